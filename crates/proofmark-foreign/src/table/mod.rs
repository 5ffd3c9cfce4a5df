//! CSV: a column for each metric, as Apache Otava reads it, or a row for each value.

use std::fs;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Trim};
use proofmark_conclude::history::{Point, Series};

mod times;

use crate::error::ForeignError;
use crate::unit::converted;

const COMMITS: [&str; 7] = [
    "commit",
    "commit_hash",
    "hash",
    "sha",
    "revision",
    "rev",
    "version",
];
const METRICS: [&str; 4] = ["metric", "benchmark", "test", "name"];
const VALUES: [&str; 3] = ["value", "result", "measurement"];

/// What the columns mean.
struct Columns {
    commit: Option<usize>,
    /// Of the values of its row.
    unit: Option<usize>,
    values: Values,
}

enum Values {
    /// A row for each value: the columns of the metric's name and of the value.
    Long(usize, usize),
    /// A column for each metric.
    Wide(Vec<usize>),
}

/// The series of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<Series>, ForeignError> {
    let text = fs::read(path).map_err(|source| ForeignError::file(path, source))?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter(text))
        .trim(Trim::All)
        .comment(Some(b'#'))
        .from_reader(text);
    let malformed = |error: csv::Error| ForeignError::damaged(path, error.to_string());
    let header = reader.headers().map_err(malformed)?.clone();
    let rows: Vec<StringRecord> = reader
        .records()
        .collect::<Result<_, _>>()
        .map_err(malformed)?;
    if rows.is_empty() {
        return Err(ForeignError::Empty {
            path: path.to_path_buf(),
        });
    }
    let time = times::column(path, &header, &rows)?;
    let mut columns = Columns::of(&header, &rows, time).ok_or_else(|| ForeignError::Unknown {
        path: path.to_path_buf(),
    })?;
    if columns.metrics() > 1
        && let Some(unit) = columns.unit.take()
        && let Some(other) = rows.iter().find(|row| row.get(unit) != rows[0].get(unit))
    {
        let why = format!(
            "line {} has another unit than line {}, and there are {} metrics that it may be of",
            line(other),
            line(&rows[0]),
            columns.metrics()
        );
        let next = "write a row for each value, with the columns metric, value and unit";
        return Err(ForeignError::refused(path, &why, next));
    }
    let times = match time {
        Some(column) => times::read(path, &header, &rows, column)?,
        None => vec![None; rows.len()],
    };
    let mut all: Vec<Series> = Vec::new();
    // The row that each series began with, which says its unit.
    let mut begun: Vec<&StringRecord> = Vec::new();
    for (row, time_ms) in rows.iter().zip(times) {
        for (name, cell) in columns.cells(&header, row) {
            let Some(value) = number(path, row, cell)? else {
                continue;
            };
            let unit = columns.unit.and_then(|at| filled(row, at));
            let point = Point {
                commit: columns.commit.and_then(|at| filled(row, at)),
                time_ms,
                value,
            };
            let Some(at) = all.iter().position(|one| one.name == name) else {
                begun.push(row);
                all.push(Series {
                    name: name.to_owned(),
                    unit,
                    points: vec![point],
                });
                continue;
            };
            let series = &mut all[at];
            let value = converted(value, unit.as_deref(), series.unit.as_deref());
            let value = value.ok_or_else(|| {
                let said = |unit: &Option<String>| match unit {
                    Some(unit) => format!("is in `{unit}`"),
                    None => "has no unit".to_owned(),
                };
                let why = format!(
                    "line {}: a value of `{name}` {}, and the one in line {} {}",
                    line(row),
                    said(&unit),
                    line(begun[at]),
                    said(&series.unit),
                );
                let next = "write all values of a metric in one unit, or call them two metrics";
                ForeignError::refused(path, &why, next)
            })?;
            series.points.push(Point { value, ..point });
        }
    }
    Ok(all)
}

/// What separates the columns: what is most often in the first line, of what is in use.
fn delimiter(text: &[u8]) -> u8 {
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let count = |mark: &u8| first.iter().filter(|byte| *byte == mark).count();
    let marks = [b';', b'\t', b','];
    marks.into_iter().max_by_key(count).unwrap_or(b',')
}

impl Columns {
    fn of(header: &StringRecord, rows: &[StringRecord], time: Option<usize>) -> Option<Columns> {
        let named = |names: &[&str]| {
            let is = |column: &str| names.iter().any(|name| column.eq_ignore_ascii_case(name));
            header.iter().position(is)
        };
        let (commit, unit) = (named(&COMMITS), named(&["unit", "units"]));
        let values = match (named(&METRICS), named(&VALUES)) {
            (Some(metric), Some(value)) => Values::Long(metric, value),
            _ => {
                let metric = |at: &usize| Some(*at) != time && Some(*at) != commit;
                let numbers = |at: &usize| {
                    let mut cells = rows.iter().filter_map(|row| row.get(*at));
                    let mut some = false;
                    let all = cells.all(|cell| {
                        some |= !cell.is_empty();
                        cell.is_empty() || cell.parse::<f64>().is_ok()
                    });
                    all && some
                };
                let wide = (0..header.len()).filter(metric).filter(numbers).collect();
                Values::Wide(wide)
            }
        };
        let none = matches!(&values, Values::Wide(metrics) if metrics.is_empty());
        (!none).then_some(Columns {
            commit,
            unit,
            values,
        })
    }

    /// How many values a row has.
    fn metrics(&self) -> usize {
        match &self.values {
            Values::Long(..) => 1,
            Values::Wide(metrics) => metrics.len(),
        }
    }

    /// The metrics of a row: name and cell.
    fn cells<'a>(
        &self,
        header: &'a StringRecord,
        row: &'a StringRecord,
    ) -> Vec<(&'a str, &'a str)> {
        match &self.values {
            Values::Long(metric, value) => {
                let cell = |at: usize| row.get(at).unwrap_or_default();
                vec![(cell(*metric), cell(*value))]
            }
            Values::Wide(metrics) => {
                let cell = |at: &usize| Some((header.get(*at)?, row.get(*at)?));
                metrics.iter().filter_map(cell).collect()
            }
        }
    }
}

fn filled(row: &StringRecord, at: usize) -> Option<String> {
    let cell = row.get(at)?;
    (!cell.is_empty()).then(|| cell.to_owned())
}

/// Where a row stands in its file, from 1.
fn line(row: &StringRecord) -> u64 {
    row.position().map_or(0, csv::Position::line)
}

/// The number of a cell; none where it is empty or says that there is none.
fn number(path: &Path, row: &StringRecord, cell: &str) -> Result<Option<f64>, ForeignError> {
    if cell.is_empty() || cell.eq_ignore_ascii_case("nan") {
        return Ok(None);
    }
    match cell.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Some(value)),
        _ => {
            let why = format!("line {}: `{cell}` is no finite number", line(row));
            Err(ForeignError::damaged(path, why))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Vec<Series>, ForeignError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.csv");
        fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn columns_are_metrics_and_words_are_not() {
        let read =
            read_text("time;commit;branch;a;b\n2024-01-01;x;main;1;\n2024-01-02;y;main;2;3.5\n")
                .unwrap();
        let names: Vec<&str> = read.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(read[1].points.len(), 1);
        assert_eq!(read[1].points[0].commit.as_deref(), Some("y"));
        assert_eq!(read[0].points[0].time_ms, Some(1_704_067_200_000));
    }

    #[test]
    fn rows_are_values_where_a_metric_is_named() {
        let text = "version,metric,value,unit\nx,t,5,ms\nx,m,7,MB\ny,t,nan,ms\n";
        let read = read_text(text).unwrap();
        assert_eq!(read.len(), 2);
        assert_eq!(read[0].unit.as_deref(), Some("ms"));
        assert_eq!(read[0].points.len(), 1);
    }

    #[test]
    fn values_are_in_the_unit_of_the_first() {
        let text = "commit,metric,value,unit\na,t,110,ms\nb,t,0.11,s\nb,m,3,MiB\nc,m,512,KiB\n";
        let read = read_text(text).unwrap();
        let values = |at: usize| -> Vec<f64> {
            let series: &Series = &read[at];
            series.points.iter().map(|point| point.value).collect()
        };
        assert_eq!(
            (read[0].unit.as_deref(), values(0)),
            (Some("ms"), vec![110.0, 110.0])
        );
        assert_eq!(
            (read[1].unit.as_deref(), values(1)),
            (Some("MiB"), vec![3.0, 0.5])
        );
        // A column for the metric, and one for its unit.
        let read = read_text("commit,m,unit\na,110,ms\nb,0.11,s\n").unwrap();
        assert_eq!(read[0].unit.as_deref(), Some("ms"));
        assert_eq!(read[0].points[1].value.to_bits(), 110_f64.to_bits());
    }

    #[test]
    fn units_that_cannot_be_converted_are_refused_by_name() {
        let said = |rows: &str| {
            let text = format!("commit,metric,value,unit\na,t,1,ms\n{rows}");
            read_text(&text).unwrap_err().to_string()
        };
        let said_of_other = said("a,u,1,MB\nb,t,1,MB\n");
        assert!(
            said_of_other
                .contains("line 4: a value of `t` is in `MB`, and the one in line 2 is in `ms`"),
            "{said_of_other}"
        );
        assert!(said("b,t,1,\n").contains("line 3: a value of `t` has no unit"));
        let two = read_text("commit,m,n,unit\na,1,1,ms\nb,1,1,s\n").unwrap_err();
        assert!(
            two.to_string()
                .contains("line 3 has another unit than line 2, and there are 2")
        );
    }

    /// The commits of the first series, in order.
    fn commits(text: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.csv");
        fs::write(&path, text).unwrap();
        let all = crate::read(&path).unwrap();
        let commits = all[0].points.iter().map(|point| point.commit.clone());
        commits.map(Option::unwrap).collect()
    }

    #[test]
    fn rows_are_in_the_order_of_their_times() {
        // As git log --format=%cI,%h writes it: the newest first, and each as far from UTC as its
        // committer was.
        let log = "time,commit,m\n2026-01-01T11:00:00+01:00,c,3\n2026-01-01T11:30:00+02:00,b,2\n\
                   2026-01-01T00:00:00-08:00,a,1\n";
        assert_eq!(commits(log), ["a", "b", "c"]);
        // Of one day, the newest first.
        let days = "date,commit,m\n2026-01-02,c,3\n2026-01-01,b,2\n2026-01-01,a,1\n";
        assert_eq!(commits(days), ["a", "b", "c"]);
        let oldest_first = "date,commit,m\n2026-01-01,a,3\n2026-01-01,b,2\n2026-01-02,c,1\n";
        assert_eq!(commits(oldest_first), ["a", "b", "c"]);
        let one_day = "date,commit,m\n2026-01-01,a,3\n2026-01-01,b,2\n";
        assert_eq!(commits(one_day), ["a", "b"]);
        // As Apache Otava's samples write it.
        let otava = "time,commit,m\n2024.01.02 3:00:00 +0100,b,3\n2024.01.01 3:00:00 +0100,a,2\n";
        assert_eq!(commits(otava), ["a", "b"]);
        // The benchmark's own time, beside the date.
        let both = "time,date,commit\n1.5,2026-01-02,b\n1.25,2026-01-01,a\n";
        assert_eq!(commits(both), ["a", "b"]);
        assert_eq!(read_text(both).unwrap()[0].name, "time");
    }

    #[test]
    fn times_that_cannot_be_read_are_refused_by_name() {
        let said = |text: &str| read_text(text).unwrap_err().to_string();
        for (text, part) in [
            (
                "time,m\n2026-01-01,1\n01/31/2026,1\n",
                "line 3: `01/31/2026` in the column `time` is no time that can be read\n  next: ",
            ),
            // A duration.
            (
                "commit,time,m\na,1.5,3\n",
                "line 2: `1.5` in the column `time`",
            ),
            (
                "date,time,m\n2026-01-01,10:00,1\n",
                "the columns `date` and `time` both say when",
            ),
            (
                "time,m\n2026-01-01T10:00:00,1\n2026-01-01T10:00:00Z,1\n",
                "line 3: `2026-01-01T10:00:00Z` in the column `time` says how far",
            ),
            (
                "time,m\n2026-01-02,1\n,2\n2026-01-01,3\n",
                "line 3 has no `time`",
            ),
        ] {
            assert!(said(text).contains(part), "{}", said(text));
        }
    }

    #[test]
    fn what_is_no_history_is_refused_by_name() {
        let said = |text: &str| read_text(text).unwrap_err().to_string();
        assert!(said("a,b\n").contains("has no values"));
        assert!(said("a,b\nx,y\n").contains("holds no history"));
        assert!(said("a,b\n1,2\n3\n").contains("record 2"));
        assert!(said("a\n1\n1e999\n").contains("line 3: `1e999` is no finite number"));
        assert!(said("metric,value\nm,fast\n").contains("line 2: `fast`"));
        assert!(said("").contains("has no values"));
    }
}

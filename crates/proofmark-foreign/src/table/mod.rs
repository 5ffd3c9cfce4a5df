//! CSV: a column for each metric, as Apache Otava reads it, or a row for each value.

use std::fs;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Trim};
use proofmark_conclude::history::{Point, Series};

mod times;

use crate::error::ForeignError;

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
    values: Values,
}

enum Values {
    /// A row for each value: the columns of the metric's name, of the value, and of the unit.
    Long(usize, usize, Option<usize>),
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
    let columns = Columns::of(&header, &rows, time).ok_or_else(|| ForeignError::Unknown {
        path: path.to_path_buf(),
    })?;
    let times = match time {
        Some(column) => times::read(path, &header, &rows, column)?,
        None => vec![None; rows.len()],
    };
    let mut all: Vec<Series> = Vec::new();
    for (row, time_ms) in rows.iter().zip(times) {
        for (name, unit, cell) in columns.cells(&header, row) {
            let Some(value) = number(path, row, cell)? else {
                continue;
            };
            let point = Point {
                commit: columns.commit.and_then(|at| filled(row, at)),
                time_ms,
                value,
            };
            match all.iter_mut().find(|one| one.name == name) {
                Some(series) => series.points.push(point),
                None => all.push(Series {
                    name: name.to_owned(),
                    unit,
                    points: vec![point],
                }),
            }
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
        let commit = named(&COMMITS);
        let values = match (named(&METRICS), named(&VALUES)) {
            (Some(metric), Some(value)) => Values::Long(metric, value, named(&["unit"])),
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
        (!none).then_some(Columns { commit, values })
    }

    /// The metrics of a row: name, unit, cell.
    fn cells<'a>(
        &self,
        header: &'a StringRecord,
        row: &'a StringRecord,
    ) -> Vec<(&'a str, Option<String>, &'a str)> {
        match &self.values {
            Values::Long(metric, value, unit) => {
                let name = row.get(*metric).unwrap_or_default();
                let unit = unit.and_then(|at| filled(row, at));
                vec![(name, unit, row.get(*value).unwrap_or_default())]
            }
            Values::Wide(metrics) => {
                let cell = |at: &usize| Some((header.get(*at)?, None, row.get(*at)?));
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

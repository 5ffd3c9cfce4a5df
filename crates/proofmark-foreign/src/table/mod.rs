//! CSV: a column for each metric, as Apache Otava reads it, or a row for each value.

use std::collections::HashMap;
use std::path::Path;

use csv::StringRecord;
use proofmark_conclude::history::{Point, Series, Ties};

mod columns;
mod mixed;
mod repeated;
mod rows;
mod times;

use crate::error::ForeignError;
use crate::unit::converted;
use columns::{Columns, Values};
use rows::{Table, line};

/// A metric's values as they are found.
struct Found<'a> {
    series: Series,
    /// The row that it began with, which says its unit.
    begun: &'a StringRecord,
}

/// The series of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<Series>, ForeignError> {
    let table = rows::read(path)?;
    let columns = Columns::of(path, &table)?;
    repeated::check(path, &table, &columns)?;
    mixed::check(path, &table, &columns)?;
    let times = match columns.time {
        Some(column) => times::read(path, &table, column)?,
        None => vec![None; table.rows.len()],
    };
    let mut all: Vec<Found> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for (row, time_ms) in table.rows.iter().zip(times) {
        for (name, cell) in columns.cells(path, &table, row)? {
            let Some(value) = number(path, row, cell)? else {
                continue;
            };
            let unit = columns.unit.and_then(|at| filled(row, at));
            let at = *places.entry(name).or_insert_with_key(|name| {
                let series = Series {
                    name: name.clone(),
                    unit: unit.clone(),
                    points: Vec::new(),
                    ties: Ties::InOrder,
                };
                all.push(Found { series, begun: row });
                all.len() - 1
            });
            let value = all[at].in_its_unit(path, row, value, unit.as_deref())?;
            all[at].series.points.push(Point {
                commit: columns.commit.and_then(|at| filled(row, at)),
                time_ms,
                value,
            });
        }
    }
    Ok(all.into_iter().map(|found| found.series).collect())
}

impl Columns {
    /// The values of a row: the metric's name, with its place where there are several, and the
    /// cell.
    fn cells<'a>(
        &self,
        path: &Path,
        table: &'a Table,
        row: &'a StringRecord,
    ) -> Result<Vec<(String, &'a str)>, ForeignError> {
        let filled = |at: &&usize| !row[**at].is_empty();
        let joined = |columns: &[usize], by: &str| {
            let words = columns.iter().filter(filled).map(|at| &row[*at]);
            words.collect::<Vec<_>>().join(by)
        };
        let place = joined(&self.places, ", ");
        let named = |name: &str| match place.as_str() {
            "" => name.to_owned(),
            place => format!("{name} on {place}"),
        };
        let (Values::Long(names, _) | Values::Wide(names, _)) = &self.values;
        let name = joined(names, " ");
        if let Some(column) = names.first().filter(|_| name.is_empty()) {
            let why = format!("line {} has no `{}`", line(row), &table.header[*column]);
            let next = "say of which metric its value is, or remove the row";
            return Err(ForeignError::refused(path, &why, next));
        }
        Ok(match &self.values {
            Values::Long(_, value) => vec![(named(&name), &row[*value])],
            Values::Wide(_, metrics) => {
                let metric = |at: &usize| format!("{name} {}", &table.header[*at]);
                let cell = |at: &usize| (named(metric(at).trim_start()), &row[*at]);
                metrics.iter().map(cell).collect()
            }
        })
    }
}

impl Found<'_> {
    /// A value in the unit of the series.
    fn in_its_unit(
        &self,
        path: &Path,
        row: &StringRecord,
        value: f64,
        unit: Option<&str>,
    ) -> Result<f64, ForeignError> {
        let own = self.series.unit.as_deref();
        converted(value, unit, own).ok_or_else(|| {
            let said = |unit: Option<&str>| match unit {
                Some(unit) => format!("is in `{unit}`"),
                None => "has no unit".to_owned(),
            };
            let why = format!(
                "line {}: a value of `{}` {}, and the one in line {} {}",
                line(row),
                self.series.name,
                said(unit),
                line(self.begun),
                said(own),
            );
            let next = "write all values of a metric in one unit, or call them two metrics";
            ForeignError::refused(path, &why, next)
        })
    }
}

fn filled(row: &StringRecord, at: usize) -> Option<String> {
    let cell = row.get(at)?;
    (!cell.is_empty()).then(|| cell.to_owned())
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
    use std::fs;

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

    #[test]
    fn what_tells_values_apart_is_not_passed_over() {
        let said = |text: &str| read_text(text).unwrap_err().to_string();
        for (text, part) in [
            (
                "commit,m,m\na,1,2\n",
                "the columns 2 (`m`) and 3 (`m`) are of one metric",
            ),
            (
                "commit,metric,threads,value\na,t,1,5\na,t,2,9\n",
                "lines 2 and 3 are each a value of `t`, `a`, and differ in the column `threads`",
            ),
            (
                "metric,build,value\nt,x,1\nt,y,2\n",
                "differ in the column `build`",
            ),
            (
                "commit,flavour,m\na,x,1\na,y,2\n",
                "lines 2 and 3 are each a row of `a`",
            ),
            (
                "metric,value,result\nt,1,2\n",
                "(`value`) and 3 (`result`) both hold the values",
            ),
            ("metric,value\nt,1\n,2\n", "line 3 has no `metric`"),
            (
                "commit,m,n\na,1,1\nb,1,2\nc,1,FAIL\n",
                "line 4: `FAIL` in the column `n`",
            ),
            (
                "commit;m;n\na;1;\"1,5\"\n",
                "line 2: `1,5` in the column `n` is no number",
            ),
            (
                "commit,m,n\na,1,5 ms\n",
                "line 2: `5 ms` in the column `n` is no number",
            ),
            (",commit,m\n0,a,1\n", "the column 1 has numbers and no name"),
            (
                "2026-01-01,a,100.0\n2026-01-02,b,101.0\n",
                "line 1 has numbers and no names",
            ),
        ] {
            assert!(said(text).contains(part), "{text}: {}", said(text));
        }
    }

    #[test]
    fn values_of_several_places_are_several_series() {
        let names = |text: &str| -> Vec<String> {
            let series = read_text(text).unwrap();
            series.into_iter().map(|one| one.name).collect()
        };
        let long = "commit,metric,value,machine\na,t,1,x\na,t,2,y\n";
        assert_eq!(names(long), ["t on x", "t on y"]);
        let wide = "time,branch,os,m\n2026-01-01,main,linux,1\n2026-01-02,fix,linux,2\n";
        assert_eq!(names(wide), ["m on main", "m on fix"]);
        assert_eq!(
            names("commit,test,metric,value\na,q,t,1\na,q,m,2\n"),
            ["q t", "q m"]
        );
        let alike = "commit,author,metric,value,os\na,X,t,1,linux\nb,Y,t,2,linux\n";
        assert_eq!(names(alike), ["t"]);
    }

    #[test]
    fn rows_may_begin_as_remarks_do() {
        assert_eq!(
            commits("# by hand\ncommit,m\n#1,1\n# and then\n2,1\n"),
            ["#1", "2"]
        );
        assert_eq!(commits("# commit;m\nb;1\na;1\n"), ["b", "a"]);
        let said = read_text("m\n1\n#2\n").unwrap_err().to_string();
        assert!(said.contains("holds no history"), "{said}");
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
        assert!(
            said("a,b\n1,2\n3\n").contains("line 3: the row has 1 cells, and the header has 2")
        );
        assert!(said("a\n1\n1e999\n").contains("line 3: `1e999` is no finite number"));
        assert!(said("metric,value\nm,fast\n").contains("line 2: `fast`"));
        assert!(said("").contains("has no values"));
    }
}

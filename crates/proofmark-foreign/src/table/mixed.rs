//! Rows of several things in one series: a column that is not read tells them apart, and no commit
//! says that what it holds goes with what was measured.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::columns::{Columns, Values};
use super::rows::Table;
use crate::error::ForeignError;

/// Refuses series without commits in which a column that is not read has a few values, each again
/// and again, such as the mode of a benchmark or a compiler. What differs from row to row, as a
/// remark does, tells no two series apart; neither does an empty cell.
pub(super) fn check(path: &Path, table: &Table, columns: &Columns) -> Result<(), ForeignError> {
    if let Some(next) = criterion(table) {
        let why = "these are criterion's samples of one run, and no history: each is the time of \
                   another number of iterations";
        return Err(ForeignError::refused(path, why, next));
    }
    if columns.commit.is_some() {
        return Ok(());
    }
    let (Values::Long(names, _) | Values::Wide(names, _)) = &columns.values;
    let key: Vec<usize> = names.iter().chain(&columns.places).copied().collect();
    for column in &columns.others {
        let mut series: HashMap<Vec<&str>, Vec<&str>> = HashMap::new();
        for row in table.rows.iter().filter(|row| !row[*column].is_empty()) {
            let of = key.iter().map(|at| &row[*at]).collect();
            series.entry(of).or_default().push(&row[*column]);
        }
        for (of, cells) in series {
            let kinds: HashSet<&&str> = cells.iter().collect();
            if kinds.len() < 2 || kinds.len() * 2 > cells.len() {
                continue;
            }
            let one = cells[0];
            let other = cells.iter().find(|cell| **cell != one).unwrap_or(&one);
            let of = match of.join(" ").as_str() {
                "" => String::new(),
                of => format!(" of `{of}`"),
            };
            let name = &table.header[*column];
            let why = format!(
                "the rows{of} have several words in the column `{name}`, each several times: \
                 `{one}` and `{other}`; they may be of several benchmarks"
            );
            let next = "call the column `metric` if they are, `commit` if it is what was measured, \
                        and remove it if it does not matter";
            return Err(ForeignError::refused(path, &why, next));
        }
    }
    Ok(())
}

/// What to do about a table of criterion's `raw.csv`, whose `value` is the size of the input.
fn criterion(table: &Table) -> Option<&'static str> {
    let has = |name| table.header.iter().any(|column| column == name);
    (has("sample_measured_value") && has("iteration_count")).then_some(
        "write a row for each commit, with the estimate of a time: that of estimates.json beside it",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::read;
    use proofmark_conclude::history::Series;

    fn read_text(text: &str) -> Result<Vec<Series>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("h.csv");
        fs::write(&path, text).unwrap();
        read(&path).map_err(|error| error.to_string())
    }

    /// Its series, each with the number of its values.
    fn series(text: &str) -> Vec<(String, usize)> {
        let all = read_text(text).unwrap();
        let all = all.into_iter().map(|one| (one.name, one.points.len()));
        all.collect()
    }

    #[test]
    fn benchmarks_in_rows_are_series_of_their_own() {
        let google = "date,name,real_time,time_unit\n2026-01-01,BM_a,1,ns\n2026-01-02,BM_b,9,us\n\
                      2026-01-03,BM_a,0.001,us\n2026-01-04,BM_b,9,us\n";
        let two = ["BM_a real_time", "BM_b real_time"].map(|name| (name.to_owned(), 2));
        assert_eq!(series(google), two);
        let read = read_text(google).unwrap();
        assert_eq!(read[0].unit.as_deref(), Some("ns"));
        assert!((read[0].points[1].value - 1.0).abs() < 1e-9);

        // Several metrics: the unit of each benchmark is its own, and of none it is another one.
        let jmh =
            "Benchmark,Score,Error,Unit\na,1,2,ops/s\na,1,2,ops/s\nb,1,2,ns/op\nb,1,2,ns/op\n";
        let names: Vec<String> = series(jmh).into_iter().map(|one| one.0).collect();
        assert_eq!(names, ["a Score", "a Error", "b Score", "b Error"]);
        let said = read_text(&jmh.replace("b,", "a,")).unwrap_err();
        assert!(
            said.contains("line 4 has another unit than line 2"),
            "{said}"
        );

        let sizes = "Benchmark,Param: size,Score\na,10,1\na,99,9\na,10,1\na,99,9\n";
        let two = ["a 10 Score", "a 99 Score"].map(|name| (name.to_owned(), 2));
        assert_eq!(series(sizes), two);

        let hyperfine = "commit,command,mean\nx,./a,1\nx,./b,2\ny,./a,1\ny,./b,2\n";
        let two = ["./a mean", "./b mean"].map(|name| (name.to_owned(), 2));
        assert_eq!(series(hyperfine), two);
    }

    #[test]
    fn names_that_never_recur_are_no_benchmarks() {
        let titles = "commit,name,m\nx,Fix it,1\ny,Make it fast,2\n";
        assert_eq!(series(titles), [("m".to_owned(), 2)]);
        let said = read_text("name,m\nv1,1\nv2,2\n").unwrap_err();
        assert!(said.contains("each row has another `name`"), "{said}");
        assert!(said.contains("call the column `commit`"), "{said}");
    }

    #[test]
    fn a_column_that_recurs_and_is_not_read_is_refused_without_commits() {
        for text in [
            "mode,m\nthrpt,1\navgt,9\nthrpt,1\navgt,9\n",
            "date,mode,m\n2026-01-01,thrpt,1\n2026-01-02,avgt,9\n2026-01-03,thrpt,1\n\
             2026-01-04,avgt,9\n",
        ] {
            let said = read_text(text).unwrap_err();
            assert!(
                said.contains("in the column `mode`, each several times"),
                "{said}"
            );
        }
        // A remark now and then, and what goes with a commit.
        for text in [
            "date,remark,m\n2026-01-01,,1\n2026-01-02,new disk,1\n2026-01-03,,1\n",
            "commit,author,m\na,X,1\nb,Y,1\nc,X,1\nd,Y,1\n",
        ] {
            assert_eq!(series(text).len(), 1);
        }
    }

    #[test]
    fn samples_of_criterion_are_no_history() {
        let raw = "group,value,sample_measured_value,unit,iteration_count\ng,100,99.1,ns,1\n";
        assert!(read_text(raw).unwrap_err().contains("criterion's samples"));
    }
}

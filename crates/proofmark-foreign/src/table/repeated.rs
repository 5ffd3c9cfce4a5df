//! Values of one metric at one commit that something else tells apart, which is not read.

use std::collections::HashMap;
use std::path::Path;

use csv::StringRecord;

use super::columns::{Columns, Values};
use super::rows::{Table, line};
use crate::error::ForeignError;

/// Refuses rows of one metric and one commit (or one time, where no commits are named) that differ
/// in a column which is not read, such as the number of threads: they are several metrics.
pub(super) fn check(path: &Path, table: &Table, columns: &Columns) -> Result<(), ForeignError> {
    let state = columns.commit.or(columns.time);
    let names = match &columns.values {
        Values::Long(names, _) => names,
        // Without commits and times each row is a state of its own, whatever is said of it.
        Values::Wide(..) if state.is_none() => return Ok(()),
        Values::Wide(names, _) => names,
    };
    let key: Vec<usize> = names
        .iter()
        .chain(&columns.places)
        .chain(&state)
        .copied()
        .collect();
    let mut first = HashMap::new();
    // A row that does not say its commit may be of any.
    let said = |row: &&StringRecord| state.is_none_or(|at| !row[at].is_empty());
    for row in table.rows.iter().filter(said) {
        let cells: Vec<&str> = key.iter().map(|at| &row[*at]).collect();
        let one = *first.entry(cells).or_insert(row);
        let Some(at) = columns.others.iter().find(|at| one[**at] != row[**at]) else {
            continue;
        };
        let what = if names.is_empty() { "row" } else { "value" };
        let of = key.iter().map(|at| format!("`{}`", &row[*at]));
        let why = format!(
            "lines {} and {} are each a {what} of {}, and differ in the column `{}`: `{}` and `{}`",
            line(one),
            line(row),
            of.collect::<Vec<_>>().join(", "),
            &table.header[*at],
            &one[*at],
            &row[*at],
        );
        let next = "write a metric's name for each, or a file for each, or remove the column; call \
                    it `commit` if it is what was measured";
        return Err(ForeignError::refused(path, &why, next));
    }
    Ok(())
}

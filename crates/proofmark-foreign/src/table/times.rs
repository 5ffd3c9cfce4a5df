//! When each row of a table was: the column that says so, and its cells.

use std::path::Path;

use csv::StringRecord;

use super::rows::{Table, is_called, line};
use crate::error::ForeignError;
use crate::time::{Disorder, FORMS, Time, disorder, parsed};

const TIMES: [&str; 5] = ["time", "timestamp", "date", "datetime", "commit_time"];

/// The column that says when; none where none is called so.
pub(super) fn column(path: &Path, table: &Table) -> Result<Option<usize>, ForeignError> {
    let Table { header, rows } = table;
    let called = (0..header.len()).filter(|at| is_called(&header[*at], &TIMES));
    let called: Vec<usize> = called.collect();
    // A benchmark's time may stand beside the date: 1.5 is a number, and no time.
    let metric = |at: &usize| {
        let mut cells = rows.iter().filter_map(|row| row.get(*at));
        cells.all(|cell| cell.parse::<f64>().is_ok() && parsed(cell).is_none())
    };
    let others = called.iter().filter(|at| !metric(at));
    match others.collect::<Vec<_>>()[..] {
        // The first of its cells is refused by name.
        [] => Ok(called.first().copied()),
        [one] => Ok(Some(*one)),
        [one, other, ..] => Err(ForeignError::refused(
            path,
            &format!(
                "the columns `{}` and `{}` both say when",
                &header[*one], &header[*other]
            ),
            "leave one of them, or put date and time into one column",
        )),
    }
}

/// The times of all rows in milliseconds since 1970-01-01 UTC, by a column; none where its cell is
/// empty.
pub(super) fn read(
    path: &Path,
    table: &Table,
    column: usize,
) -> Result<Vec<Option<i64>>, ForeignError> {
    let Table { header, rows } = table;
    let name = &header[column];
    let cell = |row: &StringRecord| row.get(column).unwrap_or_default().to_owned();
    let mut times: Vec<Option<Time>> = Vec::new();
    for row in rows {
        let text = cell(row);
        let time = parsed(&text);
        if time.is_none() && !text.is_empty() {
            let why = format!(
                "line {}: `{text}` in the column `{name}` is no time that can be read",
                line(row)
            );
            return Err(ForeignError::refused(path, &why, FORMS));
        }
        times.push(time);
    }
    match disorder(&times) {
        None => Ok(times.iter().map(|time| Some((*time)?.ms)).collect()),
        Some(Disorder::Mixed(one, other)) => Err(ForeignError::refused(
            path,
            &format!(
                "line {}: `{}` in the column `{name}` says how far it is from UTC, and in line {} \
                 `{}` does not",
                line(&rows[one]),
                cell(&rows[one]),
                line(&rows[other]),
                cell(&rows[other]),
            ),
            "write all times with an offset, such as +02:00 or Z",
        )),
        Some(Disorder::Missing(at)) => Err(ForeignError::refused(
            path,
            &format!(
                "line {} has no `{name}`, and the other rows are not in the order of theirs: \
                 nobody knows where it belongs",
                line(&rows[at])
            ),
            "fill the cell, remove the row, or put the oldest row first",
        )),
    }
}

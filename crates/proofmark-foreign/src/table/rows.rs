//! The rows of a table of CSV, and its header.

use std::fs;
use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Trim};

use crate::error::ForeignError;

/// A file's table. Each row has as many cells as the header.
pub(super) struct Table {
    pub(super) header: StringRecord,
    /// One at least.
    pub(super) rows: Vec<StringRecord>,
}

/// The table of a file.
pub(super) fn read(path: &Path) -> Result<Table, ForeignError> {
    let text = fs::read(path).map_err(|source| ForeignError::file(path, source))?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter(text))
        .trim(Trim::All)
        .has_headers(false)
        .flexible(true)
        .from_reader(text);
    let records: Vec<StringRecord> = reader
        .records()
        .collect::<Result<_, _>>()
        .map_err(|error| ForeignError::damaged(path, error.to_string()))?;
    let mut records = records.into_iter();
    let header = records.find(|row| !remark(row)).unwrap_or_default();
    let rows: Vec<StringRecord> = records
        .filter(|row| header.len() == 1 || !remark(row))
        .collect();
    if rows.is_empty() {
        return Err(ForeignError::Empty {
            path: path.to_path_buf(),
        });
    }
    if let Some(other) = rows.iter().find(|row| row.len() != header.len()) {
        let why = format!(
            "line {}: the row has {} cells, and the header has {}",
            line(other),
            other.len(),
            header.len()
        );
        return Err(ForeignError::damaged(path, why));
    }
    Ok(Table { header, rows })
}

/// Whether a line is a remark: one cell that begins with `#`. A row may begin so as well, with the
/// number of a change, and it has more cells.
fn remark(row: &StringRecord) -> bool {
    row.len() == 1 && row[0].starts_with('#')
}

/// What separates the columns: what is most often in the first line that is no remark, of what is
/// in use.
fn delimiter(text: &[u8]) -> u8 {
    let mut lines = text.split(|byte| *byte == b'\n');
    let first = lines.find(|line| !line.starts_with(b"#"));
    let first = first.unwrap_or_default();
    let count = |mark: &u8| first.iter().filter(|byte| *byte == mark).count();
    let marks = [b';', b'\t', b','];
    marks.into_iter().max_by_key(count).unwrap_or(b',')
}

/// Whether a column is called so, whatever its case. A header may begin with `#`.
pub(super) fn is_called(column: &str, names: &[&str]) -> bool {
    let column = column.trim_start_matches('#').trim_start();
    names.iter().any(|name| column.eq_ignore_ascii_case(name))
}

/// Where a row stands in its file, from 1.
pub(super) fn line(row: &StringRecord) -> u64 {
    row.position().map_or(0, csv::Position::line)
}

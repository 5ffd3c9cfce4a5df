//! The regular expression of a metric.

use std::cell::RefCell;

use regex::{Regex, RegexBuilder};

use super::MetricError;

thread_local! {
    /// The last one: run after run is read by the same.
    static LAST: RefCell<Option<(String, Regex)>> = const { RefCell::new(None) };
}

/// The expression of a metric, in which `^` and `$` stand for the ends of a line.
///
/// # Errors
/// When it cannot be read.
pub fn expression(pattern: &str) -> Result<Regex, MetricError> {
    LAST.with_borrow_mut(|last| {
        if let Some((_, known)) = last.as_ref().filter(|(of, _)| of == pattern) {
            return Ok(known.clone());
        }
        let read = RegexBuilder::new(pattern)
            .multi_line(true)
            .build()
            .map_err(|error| MetricError::Regex(error.to_string()))?;
        *last = Some((pattern.to_owned(), read.clone()));
        Ok(read)
    })
}

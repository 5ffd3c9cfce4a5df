//! Where in the file something is wrong: from a span, or from the way through its tables.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::ProjectError;
use super::tables::tables;
use crate::definition::{Problem, nearest};

/// An error of the reader, with the nearest key where a key is unknown.
pub(super) fn shape(text: &str, file: &Path, error: &toml::de::Error) -> ProjectError {
    at(text, file, error.span(), with_nearest(error.message()))
}

/// A problem of meaning.
pub(super) fn problem(text: &str, file: &Path, problem: &Problem) -> ProjectError {
    let span = tables(text).ok().and_then(|top| span(&top, &problem.at));
    at(text, file, span, problem.to_string())
}

fn at(text: &str, file: &Path, span: Option<Range<usize>>, what: String) -> ProjectError {
    let offset = span.map_or(0, |span| span.start).min(text.len());
    let before = text.get(..offset).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    ProjectError::Wrong {
        file: file.to_owned(),
        line: before.matches('\n').count() + 1,
        column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        what,
    }
}

/// ``unknown field `x`, expected one of `a`, `b` `` in words for people.
fn with_nearest(message: &str) -> String {
    let Some((_, rest)) = message.split_once("unknown field `") else {
        return message.trim().replace('\n', "; ");
    };
    let Some((written, expected)) = rest.split_once('`') else {
        return message.to_owned();
    };
    let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
    match nearest(written, known.iter().copied()) {
        Some(near) => format!("unknown key `{written}`; did you mean `{near}`?"),
        None if known.is_empty() => format!("unknown key `{written}`"),
        None => format!("unknown key `{written}`; there is {}", known.join(", ")),
    }
}

/// The place of the deepest step that is there.
fn span(top: &Spanned<DeTable<'_>>, steps: &[String]) -> Option<Range<usize>> {
    let (first, rest) = steps.split_first()?;
    let (key, value) = top
        .get_ref()
        .iter()
        .find(|(key, _)| key.get_ref() == first)?;
    Some(span_in(value, rest).unwrap_or_else(|| key.span()))
}

fn span_in(value: &Spanned<DeValue<'_>>, steps: &[String]) -> Option<Range<usize>> {
    let (first, rest) = steps.split_first()?;
    match value.get_ref() {
        DeValue::Table(table) => {
            let (key, value) = table.iter().find(|(key, _)| key.get_ref() == first)?;
            Some(span_in(value, rest).unwrap_or_else(|| key.span()))
        }
        DeValue::Array(list) => {
            let value = list.get(first.parse::<usize>().ok()?)?;
            Some(span_in(value, rest).unwrap_or_else(|| value.span()))
        }
        _ => Some(value.span()),
    }
}

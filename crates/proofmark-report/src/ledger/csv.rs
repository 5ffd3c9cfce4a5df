//! All figures of a ledger, one row a figure, for other programs.

use std::io::Write;

use proofmark_evidence::record::{FigureOf, LedgerEvent, LedgerRun};
use serde::Serialize;
use thiserror::Error;

use super::rows::Over;
use super::{LedgerView, reading};
use crate::number::rfc3339;

/// The figures could not be written.
#[derive(Debug, Error)]
#[error("cannot write the figures: {0}")]
pub struct CsvError(#[from] ::csv::Error);

/// A row: one figure of one run.
#[derive(Serialize)]
struct Line<'a> {
    /// The entry's index.
    entry: u32,
    /// RFC 3339, UTC.
    at: &'a str,
    /// `null`, `alone`, `whole`, `added`, `left-out`, `interaction`.
    figure: &'static str,
    /// Empty outside of stacks.
    stack: &'a str,
    /// Empty for base again and for whole stacks.
    idea: &'a str,
    /// `suite`, `group`, `benchmark`.
    over: &'static str,
    /// The group's or the benchmark's name.
    name: &'a str,
    ratio: f64,
    low: f64,
    high: f64,
    blocks: u32,
    /// `lower` or `higher`.
    better: &'static str,
}

/// Writes every figure of every run, in the order in which they were measured.
///
/// # Errors
///
/// `output` cannot be written.
pub fn csv(ledger: &LedgerView<'_>, output: impl Write) -> Result<(), CsvError> {
    let mut writer = ::csv::Writer::from_writer(output);
    for entry in &ledger.recorded.entries {
        let LedgerEvent::Measured { run } = &entry.of else {
            continue;
        };
        let at = rfc3339(entry.at_ms);
        for one in &run.figures {
            let (figure, stack, idea) = named(run, one.of);
            let (over, name) = benchmarks(run, Over::of(one.over));
            let interval = &one.figure.interval;
            writer.serialize(Line {
                entry: entry.index,
                at: &at,
                figure,
                stack,
                idea,
                over,
                name,
                ratio: interval.estimate.ratio(),
                low: interval.low.ratio(),
                high: interval.high.ratio(),
                blocks: one.figure.blocks,
                better: reading::word(run, Over::of(one.over)),
            })?;
        }
    }
    writer.flush().map_err(::csv::Error::from)?;
    Ok(())
}

/// A figure's word, its stack and its idea.
pub(super) fn named(run: &LedgerRun, of: FigureOf) -> (&'static str, &str, &str) {
    let idea = |at: u32| {
        let at = usize::try_from(at).ok();
        let idea = at.and_then(|at| run.asked.ideas.get(at));
        idea.map_or("", |idea| &idea.name)
    };
    let stack = |at: u32| {
        let at = usize::try_from(at).ok();
        at.and_then(|at| run.asked.stacks.get(at))
    };
    let in_stack = |at: u32, place: u32| {
        let stack = stack(at);
        let place = usize::try_from(place).ok();
        let place = place.and_then(|place| stack?.places.get(place));
        (
            stack.map_or("", |stack| stack.name.as_str()),
            place.map_or("", |place| idea(place.idea)),
        )
    };
    let with = |word, (stack, idea)| (word, stack, idea);
    match of {
        FigureOf::Null => ("null", "", ""),
        FigureOf::Alone { idea: at } => ("alone", "", idea(at)),
        FigureOf::Whole { stack: at } => ("whole", stack(at).map_or("", |stack| &stack.name), ""),
        FigureOf::Added { stack, place } => with("added", in_stack(stack, place)),
        FigureOf::LeftOut { stack, place } => with("left-out", in_stack(stack, place)),
        FigureOf::Interaction { stack, place } => with("interaction", in_stack(stack, place)),
    }
}

/// What a figure is over, and its name.
pub(super) fn benchmarks(run: &LedgerRun, over: Over) -> (&'static str, &str) {
    let place = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
    match over {
        Over::Suite => ("suite", ""),
        Over::Group(at) => {
            let group = run.asked.groups.get(place(at));
            ("group", group.map_or("", |group| &group.name))
        }
        Over::Member(at) => {
            let member = run.asked.benchmarks.get(place(at));
            ("benchmark", member.map_or("", |member| &member.name))
        }
    }
}

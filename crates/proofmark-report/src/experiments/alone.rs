//! Sweeps and attributions at a glance: experiments on one build alone.

use proofmark_evidence::record::Benchmark;
use proofmark_evidence::{RecordedAttribution, RecordedSweep};
use schemars::JsonSchema;
use serde::Serialize;

use crate::number::{minute, rfc3339};
use crate::style::{Style, Tone};
use crate::text::{printable, untied, wrapped};
use crate::{attribute, sweep};

/// Where the second and later lines of an entry begin: below the time.
const INDENT: &str = "              ";

/// One of them.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AloneView {
    /// Its name.
    id: String,
    /// `sweep` or `attribution`.
    kind: &'static str,
    /// The build's name.
    build: String,
    /// The benchmark's command, for people.
    command: Vec<String>,
    /// When it began, RFC 3339, UTC.
    began: String,
    /// Blocks measured so far.
    blocks: usize,
    /// What was found, in a sentence; null where it was interrupted.
    answer: Option<String>,
    #[serde(skip)]
    began_ms: u64,
}

/// All of them, in the order in which they were begun.
pub(crate) fn views(
    sweeps: &[RecordedSweep],
    attributions: &[RecordedAttribution],
) -> Vec<AloneView> {
    let of_sweep = |one: &RecordedSweep| AloneView {
        id: one.id.to_string(),
        kind: "sweep",
        build: one.sweep.build.name.clone(),
        command: words(&one.sweep.benchmark),
        began: rfc3339(one.sweep.began_ms),
        blocks: one.blocks.len(),
        answer: sweep::answer(one),
        began_ms: one.sweep.began_ms,
    };
    let of_attribution = |one: &RecordedAttribution| AloneView {
        id: one.id.to_string(),
        kind: "attribution",
        build: one.attribution.build.name.clone(),
        command: words(&one.attribution.benchmark),
        began: rfc3339(one.attribution.began_ms),
        blocks: one.blocks.len(),
        answer: attribute::answer(one),
        began_ms: one.attribution.began_ms,
    };
    let mut all: Vec<AloneView> = sweeps.iter().map(of_sweep).collect();
    all.extend(attributions.iter().map(of_attribution));
    all.sort_by_key(|one| one.began_ms);
    all
}

/// A command, for people.
fn words(benchmark: &Benchmark) -> Vec<String> {
    let words = benchmark.argv.iter();
    let shown = words.map(|word| word.as_ref().to_string_lossy().into_owned());
    shown.collect()
}

/// The lines of one of them on a terminal.
pub(crate) fn entry(one: &AloneView, style: Style) -> Vec<String> {
    let begun = minute(one.began_ms).replace(' ', "\u{a0}");
    let short = one.id.get(..12).unwrap_or(&one.id);
    let head = format!(
        "{}  {begun}  {} of {}",
        style.paint(Tone::Figure, short),
        one.kind,
        printable(&one.build)
    );
    let found = match &one.answer {
        Some(answer) => answer.clone(),
        None => format!("interrupted after {} blocks", one.blocks),
    };
    let mut lines = wrapped(&head, style.columns(), "", INDENT);
    lines.extend(wrapped(&found, style.columns(), INDENT, INDENT));
    lines.into_iter().map(|line| untied(&line)).collect()
}

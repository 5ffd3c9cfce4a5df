//! Sweeps, attributions and explanations at a glance: what is not a comparison, and is found by a name
//! of its own.

use proofmark_evidence::record::Benchmark;
use proofmark_evidence::{RecordedAttribution, RecordedExplanation, RecordedSweep, Summary};
use schemars::JsonSchema;
use serde::Serialize;

use crate::number::{minute, rfc3339};
use crate::style::{Style, Tone};
use crate::text::{printable, untied, wrapped};
use crate::{attribute, explain, sweep};

/// Where the second and later lines of an entry begin: below the time.
const INDENT: &str = "              ";

/// What a store holds, each kind in the order in which it was begun.
#[derive(Clone, Copy, Debug, Default)]
pub struct Listed<'a> {
    /// Comparisons, null tests and steps of bisections.
    pub experiments: &'a [Summary],
    /// Sweeps.
    pub sweeps: &'a [RecordedSweep],
    /// Attributions.
    pub attributions: &'a [RecordedAttribution],
    /// Explanations.
    pub explanations: &'a [RecordedExplanation],
}

/// One of them.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AloneView {
    /// Its name.
    id: String,
    /// `sweep`, `attribution` or `explanation`.
    kind: &'static str,
    /// The build's name; of an explanation, that of the build that is held against the base.
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
pub(crate) fn views(listed: &Listed<'_>) -> Vec<AloneView> {
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
    let of_explanation = |one: &RecordedExplanation| {
        let mut summaries = listed.experiments.iter();
        let of = summaries.find(|summary| summary.id == one.explanation.comparison);
        let build = one.explanation.build.place();
        AloneView {
            id: one.id.to_string(),
            kind: "explanation",
            build: of
                .and_then(|summary| summary.names.get(build))
                .map_or_else(|| "?".to_owned(), Clone::clone),
            command: of.map_or_else(Vec::new, |summary| summary.command.clone()),
            began: rfc3339(one.explanation.began_ms),
            blocks: one.blocks.len(),
            answer: explain::answer(one),
            began_ms: one.explanation.began_ms,
        }
    };
    let mut all: Vec<AloneView> = listed.sweeps.iter().map(of_sweep).collect();
    all.extend(listed.attributions.iter().map(of_attribution));
    all.extend(listed.explanations.iter().map(of_explanation));
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
        Some(answer) => printable(answer),
        None => format!("interrupted after {} blocks", one.blocks),
    };
    let mut lines = wrapped(&head, style.columns(), "", INDENT);
    lines.extend(wrapped(&found, style.columns(), INDENT, INDENT));
    lines.into_iter().map(|line| untied(&line)).collect()
}

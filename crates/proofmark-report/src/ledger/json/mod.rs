//! A ledger for programs.

mod run;

use proofmark_evidence::record::{Decision, LedgerClaim, LedgerEvent, LedgerFigure, LedgerRace};
use proofmark_terms::Holds;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::LedgerView;
use super::words::decision;
use crate::document::words::Ratio;
use crate::document::{Document, enveloped};
use crate::number::rfc3339;
use run::{RunView, view};

/// A ledger for programs.
#[must_use]
pub fn json(ledger: &LedgerView<'_>) -> Value {
    enveloped(&LedgerDocument::of(ledger))
}

/// A ledger of proofmark: ideas, what was found of them, and what was decided.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LedgerDocument {
    /// Its name in the store: BLAKE3 of its first record.
    id: String,
    /// Its name.
    name: String,
    /// When it began, RFC 3339, UTC.
    began: String,
    /// The error budget.
    budget: BudgetView,
    /// What happened, in its order.
    entries: Vec<EntryView>,
}

/// The error budget of a ledger.
#[derive(Serialize, JsonSchema)]
struct BudgetView {
    /// The share of false findings among all findings that is promised not to be exceeded.
    rate: f64,
    /// Questions asked so far.
    asked: u32,
    /// Findings so far.
    findings: usize,
    /// What is left of the wealth.
    left: f64,
    /// The level of the next question.
    next_level: f64,
}

/// Something that happened.
#[derive(Serialize, JsonSchema)]
struct EntryView {
    /// From 0.
    index: u32,
    /// When, RFC 3339, UTC.
    at: String,
    #[serde(flatten)]
    of: EventView,
}

/// What happened.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum EventView {
    /// Ideas were measured side by side.
    Measured(RunView),
    /// Somebody decided on an idea.
    Decided {
        idea: String,
        /// `keep`, `drop` or `again`.
        decision: String,
        because: String,
        /// The matrix that it was last measured in.
        matrix: Option<String>,
    },
    /// Ideas raced.
    Screened(RaceView),
    /// A claim was written down, before it was measured.
    Claimed(ClaimView),
    /// A claim was measured afresh.
    Confirmed {
        /// The index of the entry that states it.
        claim: u32,
        matrix: String,
        /// With the idea ÷ without it.
        ratio: Ratio,
        blocks: u32,
        /// `yes`, `no` or `open`.
        holds: String,
        /// Whether it was measured to the width that was claimed.
        reached: bool,
    },
}

/// A race.
#[derive(Serialize, JsonSchema)]
struct RaceView {
    matrix: String,
    /// The probability that the best one left is at most 1 less this.
    confidence: f64,
    /// Base again ÷ base.
    null: Option<Ratio>,
    runners: Vec<RunnerView>,
}

/// An idea in a race.
#[derive(Serialize, JsonSchema)]
struct RunnerView {
    idea: String,
    /// Blocks that it was measured in.
    blocks: u32,
    /// Whether it may be the best of them.
    stays: bool,
    /// It ÷ base: what it was picked by.
    ratio: Option<Ratio>,
    /// Why it did not run to the end, where it failed.
    why: Option<String>,
}

/// A stated gain.
#[derive(Serialize, JsonSchema)]
struct ClaimView {
    idea: String,
    /// By how much at least, relative.
    at_least: f64,
    /// Differences smaller than this count as none, relative.
    margin: f64,
    /// The half-width to which it is measured, relative.
    precision: f64,
    benchmarks: Vec<String>,
    /// In digits.
    seed: String,
    /// What was found before.
    first: Option<FirstView>,
}

/// What was found of an idea before it was confirmed.
#[derive(Serialize, JsonSchema)]
struct FirstView {
    /// The index of the entry.
    entry: u32,
    ratio: Ratio,
    /// How many ideas it was picked from.
    among: u32,
}

impl Document for LedgerDocument {
    const SCHEMA: &'static str = "ledger";
}

impl LedgerDocument {
    fn of(ledger: &LedgerView<'_>) -> Self {
        let recorded = ledger.recorded;
        let entries = recorded.entries.iter().map(|entry| EntryView {
            index: entry.index,
            at: rfc3339(entry.at_ms),
            of: event(&entry.of),
        });
        LedgerDocument {
            id: recorded.id.as_str().to_owned(),
            name: recorded.ledger.name.clone(),
            began: rfc3339(recorded.ledger.began_ms),
            budget: BudgetView {
                rate: recorded.ledger.rate,
                asked: ledger.asked,
                findings: ledger.findings,
                left: ledger.left,
                next_level: ledger.next_level,
            },
            entries: entries.collect(),
        }
    }
}

fn event(of: &LedgerEvent) -> EventView {
    match of {
        LedgerEvent::Measured { run } => EventView::Measured(view(run)),
        LedgerEvent::Decided {
            idea,
            decision: decided,
            because,
            matrix,
        } => EventView::Decided {
            idea: idea.clone(),
            decision: word(*decided),
            because: because.clone(),
            matrix: matrix.as_ref().map(|matrix| matrix.as_str().to_owned()),
        },
        LedgerEvent::Screened { race } => EventView::Screened(race_view(race)),
        LedgerEvent::Claimed { claim } => EventView::Claimed(claim_view(claim)),
        LedgerEvent::Confirmed {
            claim,
            matrix,
            found,
            holds,
            reached,
        } => EventView::Confirmed {
            claim: *claim,
            matrix: matrix.as_str().to_owned(),
            ratio: Ratio::from(&found.interval),
            blocks: found.blocks,
            holds: held(*holds),
            reached: *reached,
        },
    }
}

fn held(holds: Holds) -> String {
    match holds {
        Holds::Yes => "yes",
        Holds::No => "no",
        Holds::Open => "open",
    }
    .to_owned()
}

fn word(of: Decision) -> String {
    decision(of).to_owned()
}

fn race_view(race: &LedgerRace) -> RaceView {
    let ratio = |figure: &LedgerFigure| Ratio::from(&figure.interval);
    let runners = race.runners.iter().map(|runner| RunnerView {
        idea: runner.idea.clone(),
        blocks: runner.blocks,
        stays: runner.stays,
        ratio: runner.figure.as_ref().map(ratio),
        why: runner.why.clone(),
    });
    RaceView {
        matrix: race.matrix.as_str().to_owned(),
        confidence: race.confidence,
        null: race.null.as_ref().map(ratio),
        runners: runners.collect(),
    }
}

fn claim_view(claim: &LedgerClaim) -> ClaimView {
    ClaimView {
        idea: claim.idea.clone(),
        at_least: claim.at_least,
        margin: claim.margin.relative(),
        precision: claim.precision,
        benchmarks: claim.benchmarks.clone(),
        seed: claim.seed.clone(),
        first: claim.first.as_ref().map(|first| FirstView {
            entry: first.entry,
            ratio: Ratio::from(&first.figure.interval),
            among: first.among,
        }),
    }
}

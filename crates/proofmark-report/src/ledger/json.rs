//! A ledger for programs.

use proofmark_evidence::record::{
    Decision, LedgerClaim, LedgerEvent, LedgerFigure, LedgerRace, LedgerRun, LedgerTest,
    TestOutcome,
};
use proofmark_terms::Holds;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::csv::{benchmarks, named};
use super::question::idea_of;
use super::rows::Over;
use super::words::decision;
use super::{LedgerView, reading};
use crate::document::trees::TreeChangeView;
use crate::document::words::Ratio;
use crate::document::{Document, enveloped};
use crate::gates::GateView;
use crate::number::rfc3339;

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

/// A run.
#[derive(Serialize, JsonSchema)]
struct RunView {
    /// The matrix whose blocks it was measured in, for `proofmark matrix show`.
    matrix: String,
    /// Confidence of all figures over the suite together, over groups together, over benchmarks
    /// together.
    confidence: f64,
    builds: Vec<BuildView>,
    ideas: Vec<IdeaView>,
    stacks: Vec<StackView>,
    figures: Vec<FigureView>,
    /// Builds that are out of a benchmark.
    out: Vec<OutView>,
}

/// A build that failed on a benchmark, or prints something else than base.
#[derive(Serialize, JsonSchema)]
struct OutView {
    build: String,
    benchmark: String,
    why: String,
}

/// A build.
#[derive(Serialize, JsonSchema)]
struct BuildView {
    name: String,
    /// Ideas on base, lowest first.
    ideas: Vec<String>,
    /// Why there is none.
    why: Option<String>,
    gates: Vec<GateView>,
    /// In which files that its runs read it differs from base.
    files: Vec<TreeChangeView>,
}

/// An idea that was measured alone.
#[derive(Serialize, JsonSchema)]
struct IdeaView {
    name: String,
    hypothesis: Option<String>,
    /// Ideas that it stands on.
    on: Vec<String>,
    /// The gain that was expected, relative.
    expected: Option<f64>,
    /// What was asked of the error budget.
    test: Option<TestView>,
}

/// A question of the error budget.
#[derive(Serialize, JsonSchema)]
struct TestView {
    p_value: f64,
    /// Which question of the ledger; absent where it was found before, and where another idea of
    /// the run is the same change.
    number: Option<u32>,
    /// What it spent.
    level: Option<f64>,
    /// The idea of the run that is the same change, and was asked in its place.
    same_as: Option<String>,
    /// Whether it is a finding, of this run or of an earlier one.
    found: bool,
}

/// A stack.
#[derive(Serialize, JsonSchema)]
struct StackView {
    name: String,
    ideas: Vec<String>,
}

/// A figure.
#[derive(Serialize, JsonSchema)]
struct FigureView {
    /// `null`, `alone`, `whole`, `added`, `left-out` or `interaction`.
    figure: String,
    /// Empty outside of stacks.
    stack: String,
    /// Empty for base again and for whole stacks.
    idea: String,
    /// `suite`, `group` or `benchmark`.
    over: String,
    /// The name of the group or the benchmark.
    name: String,
    ratio: Ratio,
    /// Which ratio is better: `lower` or `higher` than 1. A mean is the way round of its first
    /// benchmark; the others count in it by their inverse where they are not.
    better: String,
    blocks: u32,
    /// Over how many benchmarks a mean is: those that all of its builds run.
    benchmarks: u32,
    /// The smallest and the largest ratio among the benchmarks, the same way round.
    range: Option<[f64; 2]>,
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
            holds: match holds {
                Holds::Yes => "yes",
                Holds::No => "no",
                Holds::Open => "open",
            }
            .to_owned(),
            reached: *reached,
        },
    }
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

fn view(run: &LedgerRun) -> RunView {
    let asked = &run.asked;
    let builds = asked.builds.iter().map(|build| BuildView {
        name: build.name.clone(),
        ideas: build.ideas.clone(),
        why: build.why.clone(),
        gates: build.gates.iter().map(GateView::from).collect(),
        files: build.files.iter().map(Into::into).collect(),
    });
    let ideas = (0..).zip(&asked.ideas).map(|(at, idea)| IdeaView {
        name: idea.name.clone(),
        hypothesis: idea.hypothesis.clone(),
        on: idea.on.clone(),
        expected: idea.expected,
        test: (run.tests.iter())
            .find(|test| test.idea == at)
            .map(|test| tested(run, test)),
    });
    let idea = |at: u32| {
        let at = usize::try_from(at).ok();
        let idea = at.and_then(|at| asked.ideas.get(at));
        idea.map_or_else(String::new, |idea| idea.name.clone())
    };
    let stacks = asked.stacks.iter().map(|stack| StackView {
        name: stack.name.clone(),
        ideas: stack.places.iter().map(|place| idea(place.idea)).collect(),
    });
    let figures = run.figures.iter().map(|one| {
        let (figure, stack, idea) = named(run, one.of);
        let (over, name) = benchmarks(run, Over::of(one.over));
        FigureView {
            figure: figure.to_owned(),
            stack: stack.to_owned(),
            idea: idea.to_owned(),
            over: over.to_owned(),
            name: name.to_owned(),
            ratio: Ratio::from(&one.figure.interval),
            better: reading::word(run, Over::of(one.over)).to_owned(),
            blocks: one.figure.blocks,
            benchmarks: super::rows::benchmarks(one.over).unwrap_or(1),
            range: one.figure.range.map(|bounds| bounds.map(f64::exp)),
        }
    });
    let out = run.out.iter().map(|out| {
        let mut builds = asked.builds.iter();
        let build = builds.find(|build| build.cell == Some(out.cell));
        let benchmark = out.member.of(&asked.benchmarks);
        OutView {
            build: build.map_or_else(String::new, |build| build.name.clone()),
            benchmark: benchmark.map_or_else(String::new, |one| one.name.clone()),
            why: out.why.clone(),
        }
    });
    RunView {
        matrix: run.matrix.as_str().to_owned(),
        confidence: run.confidence,
        builds: builds.collect(),
        ideas: ideas.collect(),
        stacks: stacks.collect(),
        figures: figures.collect(),
        out: out.collect(),
    }
}

fn tested(run: &LedgerRun, test: &LedgerTest) -> TestView {
    let found = |of: &LedgerTest| match of.outcome {
        TestOutcome::Asked { found, .. } => found,
        TestOutcome::KnownBefore => true,
        TestOutcome::AnsweredBefore { .. } | TestOutcome::SameAs { .. } => false,
    };
    let view = TestView {
        p_value: test.p_value,
        number: None,
        level: None,
        same_as: None,
        found: found(test),
    };
    match test.outcome {
        TestOutcome::Asked { number, level, .. } => TestView {
            number: Some(number),
            level: Some(level),
            ..view
        },
        TestOutcome::AnsweredBefore { number } => TestView {
            number: Some(number),
            ..view
        },
        TestOutcome::KnownBefore => view,
        TestOutcome::SameAs { idea } => TestView {
            same_as: idea_of(run, idea).map(|idea| idea.name.clone()),
            found: run.tests.iter().any(|of| of.idea == idea && found(of)),
            ..view
        },
    }
}

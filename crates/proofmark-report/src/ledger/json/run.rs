//! What was measured side by side, for programs.

use proofmark_evidence::record::{LedgerGuard, LedgerRun, LedgerTest, TestOutcome};
use schemars::JsonSchema;
use serde::Serialize;

use super::held;
use crate::document::trees::TreeChangeView;
use crate::document::words::{Ratio, WarningView};
use crate::gates::GateView;
use crate::ledger::csv::{benchmarks, named};
use crate::ledger::question::idea_of;
use crate::ledger::rows::Over;
use crate::ledger::{reading, rows};

/// A run.
#[derive(Serialize, JsonSchema)]
pub(super) struct RunView {
    /// The matrix whose blocks it was measured in, for `proofmark matrix show`.
    matrix: String,
    /// Confidence of all figures over the suite together, over groups together, over benchmarks
    /// together.
    confidence: f64,
    builds: Vec<BuildView>,
    ideas: Vec<IdeaView>,
    stacks: Vec<StackView>,
    figures: Vec<FigureView>,
    /// What was found of guards: benchmarks that are in no mean, and on which no build may be worse
    /// by more than so much.
    guards: Vec<GuardView>,
    /// Builds that are out of a benchmark.
    out: Vec<OutView>,
    /// What must be known before the figures are believed.
    warnings: Vec<WarningView>,
}

/// What a figure says of a guard.
#[derive(Serialize, JsonSchema)]
struct GuardView {
    /// `alone` or `whole`.
    figure: String,
    /// Of `whole`: the stack; empty elsewhere.
    stack: String,
    /// Of `alone`: the idea; empty elsewhere.
    idea: String,
    benchmark: String,
    /// By how much it may be worse: 0.02 for 2 %.
    at_most: f64,
    /// `yes`, `no` or `open`.
    holds: String,
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

pub(super) fn view(run: &LedgerRun) -> RunView {
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
            benchmarks: rows::benchmarks(one.over).unwrap_or(1),
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
        guards: run.guards.iter().map(|one| guard(run, one)).collect(),
        out: out.collect(),
        warnings: run.warnings.iter().map(WarningView::of_matrix).collect(),
    }
}

fn guard(run: &LedgerRun, of: &LedgerGuard) -> GuardView {
    let (figure, stack, idea) = named(run, of.of);
    let benchmark = of.member.of(&run.asked.benchmarks);
    GuardView {
        figure: figure.to_owned(),
        stack: stack.to_owned(),
        idea: idea.to_owned(),
        benchmark: benchmark.map_or_else(String::new, |one| one.name.clone()),
        at_most: benchmark.and_then(|one| one.guard).unwrap_or_default(),
        holds: held(of.holds),
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

//! `proofmark history add` and `history check`: one more commit, for a CI that measures each.

use std::path::Path;

use clap::Args;
use proofmark_capture::states::{Repository, WORK};
use proofmark_conclude::better;
use proofmark_evidence::record::{EntryOf, PairOutcome, PointOutcome};
use proofmark_evidence::{ExperimentId, RecordedSeries, Store};
use proofmark_lab::{Added, HistoryRequest, OpenAlarm};
use proofmark_report::series::Shown;
use proofmark_report::{gate_failed, warned};
use proofmark_stats::{Better, Gate, GateKind, Margin};

use super::asked::SeriesArgs;
use super::range::Range;
use super::run::known;
use super::show::{ViewArgs, show};
use crate::commands::bisect::Workshop;
use crate::commands::gates::of_values;
use crate::commands::project;
use crate::commands::revisions::Plan;
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `history add`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark history add --build make --image lua -- {} fib.lua 30
  proofmark history add            # everything from [history] in proofmark.toml")]
pub(super) struct AddArgs {
    /// The commit, on the line of first parents from where the series begins
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    rev: String,

    #[command(flatten)]
    series: SeriesArgs,

    #[command(flatten)]
    view: ViewArgs,
}

/// Arguments of `history check`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark history check --fail-if slower:2% --build make --image lua -- {} fib.lua 30
  proofmark history check --fail-if slower:2%     # everything else from proofmark.toml")]
pub(super) struct CheckArgs {
    #[command(flatten)]
    add: AddArgs,

    /// Fail (exit 1) when a new alarm is confirmed and its whole interval lies beyond the
    /// threshold: slower:2%, faster:2%
    #[arg(long, value_name = "GATE", value_parser = |text: &str| Gate::parse(GateKind::FailIf, text), help_heading = "Gates")]
    fail_if: Vec<Gate>,
}

pub(super) fn run(args: &AddArgs, context: &Context) -> anyhow::Result<Exit> {
    added(args, &[], false, context)
}

pub(super) fn check(args: &CheckArgs, context: &Context) -> anyhow::Result<Exit> {
    added(&args.add, &args.fail_if, true, context)
}

fn added(args: &AddArgs, gates: &[Gate], watch: bool, context: &Context) -> anyhow::Result<Exit> {
    if args.view.schema {
        return console::print_schema("series");
    }
    args.view.check()?;
    let context = &project::context(&args.series.project, context)?;
    context.catch_signals()?;
    let asked = args.series.asked()?;
    for series in &asked.series {
        are_beyond_the_margin(gates, asked.margin, better(&series.benchmark.metric))?;
    }
    if args.rev == WORK {
        return Err(Usage(
            "WORK is no commit, and a history goes along commits: commit what is in the work \
             tree first"
                .to_owned(),
        )
        .into());
    }
    let repository = Repository::open(Path::new("."))?;
    let newest = repository.state(&args.rev)?;
    let plan = Plan::of(repository, &asked.build, asked.image.as_deref())?;
    let mut requests = Vec::new();
    for series in asked.series {
        let key = series.key(plan.repository().top())?;
        let origin = known(&key, context)?;
        let range = Range::of(plan.repository(), origin.as_deref(), &newest, &newest)?;
        requests.push(HistoryRequest {
            series,
            key,
            from: range.from,
            commits: range.commits,
            every: 1,
            as_shipped: false,
            surroundings: plan.surroundings(),
            parts: plan.surrounding_parts(),
            until_ms: None,
            fresh: false,
        });
    }
    let mut workshop = Workshop::new(plan, context).of_builds(args.series.repeat.builds());
    let (store, all) = context.measure(|laboratory, progress| {
        let each = requests.iter().map(|request| {
            proofmark_lab::add_to_history(laboratory, request, watch, &mut workshop, progress)
        });
        each.collect::<anyhow::Result<Vec<Added>>>()
    })?;
    if all.iter().all(|one| !one.is_new) {
        console::say("proofmark: this commit was measured before");
    }
    let mut shown = Vec::new();
    for one in &all {
        shown.push(Shown {
            recorded: store.load_series(one.series.as_str())?,
            margin: asked.margin,
        });
    }
    show(&shown, &args.view, context)?;
    let mut exit = Exit::Done;
    for (one, shown) in all.iter().zip(&shown) {
        exit = worse(exit, judged(one, &shown.recorded, gates));
        if !gates.is_empty() && doubted(one, &shown.recorded, &store)? {
            exit = Exit::Failed;
        }
    }
    Ok(exit)
}

/// Refuses gates that could never fail: a change below the margin raises no alarm.
fn are_beyond_the_margin(gates: &[Gate], margin: Margin, better: Better) -> Result<(), Usage> {
    let below = |gate: &&Gate| {
        let mut ratios = gate.ratios(better).into_iter();
        ratios.any(|ratio| ratio.ln().abs() < margin.ln())
    };
    match gates.iter().find(below) {
        None => Ok(()),
        Some(gate) => Err(Usage(format!(
            "the gate {gate} lies below the margin, and a smaller change than that raises no \
             alarm\n  next: give a --margin that is no larger"
        ))),
    }
}

/// What a commit that was added comes to.
fn judged(added: &Added, series: &RecordedSeries, gates: &[Gate]) -> Exit {
    let name = &series.series.name;
    if !added.is_point {
        console::say(&format!(
            "proofmark: {name}: the commit cannot be measured, and nothing is known of its level"
        ));
        return Exit::Subject;
    }
    if let Some(open) = added.open {
        let why = match open {
            OpenAlarm::NotCompared => "could not be compared with that",
            OpenAlarm::NotDecided => {
                "a comparison with that level decided nothing\n  next: give the command again, on \
                 a quiet machine: it is compared afresh"
            }
        };
        console::say(&format!(
            "proofmark: {name}: the commit lies off the level before it, and {why}"
        ));
        return Exit::Subject;
    }
    let Some(interval) = &added.confirmed else {
        return Exit::Done;
    };
    let better = better(&series.series.benchmark.metric);
    let mut exit = Exit::Done;
    for gate in gates.iter().filter(|gate| !gate.passes(interval, better)) {
        exit = Exit::Failed;
        console::say(&format!(
            "proofmark: {name}: {}",
            gate_failed(
                gate,
                ["new", "the level before"],
                interval,
                gate.is_open(interval, better)
            )
        ));
    }
    exit
}

/// Whether the values of a commit are such that no gate passes; says why.
fn doubted(added: &Added, series: &RecordedSeries, store: &Store) -> anyhow::Result<bool> {
    let mut found = false;
    for experiment in experiments(added, series) {
        let recorded = store.load(experiment.as_str())?;
        let warnings = recorded.conclusion.iter();
        for warning in warnings.flat_map(|conclusion| &conclusion.warnings) {
            if let Some(next) = of_values(warning) {
                found = true;
                let name = &series.series.name;
                console::say(&format!(
                    "proofmark: {name}: no gate passes: {}\n  next: {next}",
                    warned(warning)
                ));
            }
        }
    }
    Ok(found)
}

/// The experiments in which a commit was measured last, and compared last.
fn experiments<'a>(added: &Added, series: &'a RecordedSeries) -> Vec<&'a ExperimentId> {
    let entries = || series.entries.iter().rev().map(|entry| &entry.of);
    let point = entries().find_map(|of| match of {
        EntryOf::Point {
            commit,
            place,
            outcome,
        } if *place == added.place => Some((commit, outcome)),
        _ => None,
    });
    let Some((commit, outcome)) = point else {
        return Vec::new();
    };
    let measured = match outcome {
        PointOutcome::Measured { experiment, .. } => Some(experiment),
        _ => None,
    };
    let compared = entries().find_map(|of| match of {
        EntryOf::Pair {
            newer,
            outcome: PairOutcome::Compared { experiment, .. },
            ..
        } if *newer == commit.id => Some(experiment),
        _ => None,
    });
    measured.into_iter().chain(compared).collect()
}

/// A gate that failed tells more than a commit that cannot be measured.
fn worse(one: Exit, other: Exit) -> Exit {
    match (one, other) {
        (Exit::Failed, _) | (_, Exit::Failed) => Exit::Failed,
        (Exit::Done, other) => other,
        (one, _) => one,
    }
}

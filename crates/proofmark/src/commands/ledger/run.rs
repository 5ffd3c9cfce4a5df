//! `ledger run`: builds what is missing, measures all of it in the same blocks, and adds what is
//! found to the ledger.

use std::time::Duration;

use clap::Args;
use proofmark_evidence::record::{Decision, LedgerEvent};
use proofmark_evidence::{RecordedLedger, Store};
use proofmark_lab::{LedgerRequest, MatrixDesign, book_of};
use proofmark_project::{LedgerPlan, Project, Stack};
use proofmark_report::ledger::left_out;
use proofmark_terms::Holds;

use super::show::{self, FormatArgs};
use crate::arguments::{
    DesignArgs, LayoutsArg, PopulationArg, ScheduleArg, duration, schedule, share,
};
use crate::commands::matrix::build::{self, BuildArgs};
use crate::commands::matrix::gates;
use crate::commands::project;
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `ledger run`.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// Ideas and stacks; an idea with candidates is all of them [default: every stack, and every
    /// idea that was not dropped]
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    #[command(flatten)]
    build: BuildArgs,

    #[command(flatten)]
    measure: MeasureArgs,

    #[command(flatten)]
    format: FormatArgs,
}

/// How a ledger is measured: a number of blocks that is fixed beforehand, for its questions are
/// answered once.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Measuring")]
struct MeasureArgs {
    /// Blocks, each of one layout of every build
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u32).range(3..=500))]
    blocks: u32,

    /// Differences smaller than this count as none when rounds are planned
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = share)]
    margin: f64,

    /// Confidence of all figures of a table together
    #[arg(long, value_name = "SHARE", default_value = "95%", value_parser = share)]
    confidence: f64,

    /// Most time to spend on measuring; refused where it does not hold all blocks
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,

    /// Rounds of a block; in a round all builds run side by side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,

    /// How placement is varied
    #[arg(long, value_name = "HOW", default_value = "auto")]
    layouts: LayoutsArg,

    /// Which layouts to draw from
    #[arg(long, value_name = "WHICH", default_value = "pad")]
    population: PopulationArg,

    /// How runs share the machine: auto, interleaved, sliced, or sliced:TIME
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = schedule)]
    schedule: ScheduleArg,

    /// Measure again what was measured: every idea that was not found is then asked about again
    #[arg(long)]
    fresh: bool,
}

impl MeasureArgs {
    fn design(&self, context: &Context) -> anyhow::Result<MatrixDesign> {
        let all = DesignArgs {
            margin: self.margin,
            confidence: self.confidence,
            blocks: (self.blocks, self.blocks),
            budget: self.budget,
            precision: None,
            rounds: self.rounds,
            layouts: self.layouts,
            population: self.population,
            schedule: self.schedule,
            seed: None,
            fresh: self.fresh,
        };
        Ok(MatrixDesign {
            design: all.record_of_matrix()?,
            layouts: self.layouts.into(),
            population: self.population.into(),
            seed: None,
            fresh: self.fresh,
            own: context.folder.clone(),
        })
    }
}

pub(super) fn run(
    args: &RunArgs,
    project: &Project,
    json: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    let design = args.measure.design(context)?;
    let names = match args.names.as_slice() {
        [] => every(project, context)?,
        named => named.to_vec(),
    };
    let wrong = |problem: proofmark_project::Problem| Usage(problem.to_string());
    let plan = LedgerPlan::of(&project.ideas, &names).map_err(wrong)?;
    let cells = plan.project(project, &project.ideas).map_err(wrong)?;
    put_together(&plan, &cells, context)?;
    let built = build::builds(&args.build, &cells, context)?;
    build::say_doubts_of_ideas(&built);
    let (built, gates) = gates::gated(&cells, &built, context)?;
    let failed = gates::exit(&gates);
    let request = LedgerRequest::of(project, &plan, &cells, &built, gates, design)?;
    let (store, (id, added)) = context.measure(|laboratory, progress| {
        proofmark_lab::run_ledger(laboratory, &request, progress)
    })?;
    if !added {
        console::say(
            "proofmark: nothing was measured and nothing asked: an earlier run has all of it, and \
             what the runs read has not changed; `--fresh` measures again",
        );
    }
    let book = store.load_ledger(id.as_str())?;
    show::print(&book, args.format.of(json), context)?;
    let failed = failed.or_else(|| broken(&book).then_some(Exit::Failed));
    Ok(failed.unwrap_or_else(|| build::exit(&built)))
}

/// Whether the run that was measured last broke a guard.
fn broken(book: &RecordedLedger) -> bool {
    let mut entries = book.entries.iter().rev();
    let last = entries.find_map(|entry| match &entry.of {
        LedgerEvent::Measured { run } => Some(run),
        _ => None,
    });
    last.is_some_and(|run| run.guards.iter().any(|guard| guard.holds == Holds::No))
}

/// Every stack, and every idea that was not dropped; says which ones were.
fn every(project: &Project, context: &Context) -> anyhow::Result<Vec<String>> {
    let ideas = &project.ideas;
    if ideas.all.is_empty() {
        return Err(Usage(format!(
            "{} has no idea\n  next: write one down as [idea.NAME] with patch = \"FILE\"; \
             docs/ledger.md says what else goes into it",
            project.file.display()
        ))
        .into());
    }
    let book = match context.folder.exists() {
        true => match Store::open(&context.folder) {
            Ok(store) => book_of(&store, &project.ledger_name())?,
            Err(proofmark_evidence::StoreError::NoStore { .. }) => None,
            Err(error) => return Err(error.into()),
        },
        false => None,
    };
    let entries = book.iter().flat_map(|book| book.entries.iter().rev());
    let last = |name: &str| {
        entries.clone().find_map(|entry| match &entry.of {
            LedgerEvent::Decided {
                idea,
                decision,
                because,
                ..
            } if idea == name => Some((*decision, entry.at_ms, because)),
            _ => None,
        })
    };
    let stays = |name: &String| match last(name) {
        Some((Decision::Drop, at_ms, because)) => {
            let holds = |stack: &&Stack| stack.ideas.iter().any(|at| ideas.all[*at].name == *name);
            let stack = ideas.stacks.iter().find(holds);
            let stack = stack.map(|stack| stack.name.as_str());
            console::say(&left_out(name, at_ms, because, stack));
            false
        }
        _ => true,
    };
    let stays = ideas.all.iter().map(|idea| idea.name.clone()).filter(stays);
    let stacks = ideas.stacks.iter().map(|stack| stack.name.clone());
    let names: Vec<String> = stays.chain(stacks).collect();
    if names.is_empty() {
        return Err(Usage(
            "every idea was dropped, and there is no stack\n  next: name the idea to measure \
             again, or write down another"
                .to_owned(),
        )
        .into());
    }
    Ok(names)
}

/// Refuses a patch that does not apply, by the build that it was to be a part of, before anything
/// is built.
pub(crate) fn put_together(
    plan: &LedgerPlan,
    cells: &Project,
    context: &Context,
) -> anyhow::Result<()> {
    let workshop = project::workshop(cells, context)?;
    let unfit = workshop.unfit(&workshop.plan());
    // The smallest build that fails says most: alone before on a stack.
    let ideas = |name: &str| {
        let build = plan.builds.iter().find(|build| build.name == name);
        build.map_or(&[][..], |build| &build.ideas)
    };
    let first = unfit.iter().min_by_key(|(cell, _)| ideas(&cell.name).len());
    let Some((cell, why)) = first else {
        return Ok(());
    };
    let names = ideas(&cell.name).iter();
    let names: Vec<&str> = names
        .filter_map(|at| cells.ideas.all.get(*at))
        .map(|idea| idea.name.as_str())
        .collect();
    let of = match names.as_slice() {
        [] => String::new(),
        [alone] => format!(", which is base with {alone}"),
        several => format!(", which is base with {} in this order", several.join(", ")),
    };
    Err(Usage(format!(
        "`{}`{of}, cannot be put together: {why}\n  next: mend the patch; where it does not apply \
         after another, let it stand on that (`on`) and make it from there",
        cell.name
    ))
    .into())
}

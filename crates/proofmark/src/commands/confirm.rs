//! `proofmark confirm`: an idea or a stack measured afresh, against a claim that is written down
//! first.

use anyhow::Context as _;
use clap::Args;
use proofmark_evidence::RecordedLedger;
use proofmark_evidence::record::LedgerEvent;
use proofmark_lab::{ConfirmRequest, LedgerRequest, MatrixDesign};
use proofmark_project::{LedgerPlan, Problem, Purpose, Selection};
use proofmark_stats::Margin;
use proofmark_terms::Holds;

use super::ledger::run::put_together;
use super::ledger::show::{self, FormatArgs};
use super::matrix::build::{self, BuildArgs};
use super::matrix::gates;
use super::project::{self, ProjectArgs};
use crate::arguments::{DesignArgs, share};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// The half-width to which a claim is measured, where nothing is said.
const USUAL: f64 = 0.005;

/// Arguments of `confirm`.
#[derive(Debug, Args)]
#[command(after_help = "Example: proofmark confirm lowbit --at-least 3% --precision 0.5%")]
pub(crate) struct ConfirmArgs {
    /// The idea, NAME or NAME.CANDIDATE; or the stack, as a whole
    #[arg(value_name = "NAME")]
    idea: String,

    /// By how much it is better at least, as a claim of a matrix has it: with 25% it takes at most
    /// 1 ÷ 1.25 of the time (100% is twice as fast)
    #[arg(long, value_name = "SHARE", value_parser = share)]
    at_least: f64,

    /// Only this benchmark; may be given several times
    #[arg(long = "benchmark", value_name = "NAME")]
    benchmarks: Vec<String>,

    #[command(flatten)]
    project: ProjectArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    build: BuildArgs,

    #[command(flatten)]
    design: DesignArgs,

    #[command(flatten)]
    format: FormatArgs,
}

pub(crate) fn run(args: &ConfirmArgs, context: &Context) -> anyhow::Result<Exit> {
    let context = &project::context(&args.project, context)?;
    let mut project = project::find(&args.project)?;
    context.catch_signals()?;
    if args.design.seed.is_some() || args.design.fresh {
        let what = "a claim is measured with a seed that is drawn for it alone: leave out --seed \
                    and --fresh";
        return Err(Usage(what.to_owned()).into());
    }
    let wrong = |problem: Problem| Usage(problem.to_string());
    let plan = LedgerPlan::of_one(&mut project.ideas, &args.idea).map_err(wrong)?;
    let cells = plan.project(&project, &project.ideas).map_err(wrong)?;
    let selection = Selection {
        cells: Vec::new(),
        benchmarks: args.benchmarks.clone(),
    };
    let cells = cells
        .part(&selection, Purpose::Measure)
        .map_err(wrong)?
        .project
        .without_guards(&args.benchmarks);
    put_together(&plan, &cells, context)?;
    let built = build::builds(&args.build, &cells, context)?;
    build::say_doubts_of_ideas(&built);
    let (built, gates) = gates::gated(&cells, &built, context)?;
    if let Some(failed) = gates::exit(&gates) {
        console::say(&format!(
            "proofmark: `{}` is not confirmed, for a build that it needs fails a gate\n  next: \
             mend it; `proofmark matrix gates` says what differs",
            args.idea
        ));
        return Ok(failed);
    }
    let design = MatrixDesign {
        design: args.design.record_of_matrix()?,
        layouts: args.design.layouts.into(),
        population: args.design.population.into(),
        seed: None,
        fresh: false,
        own: context.folder.clone(),
    };
    let margin = Margin::from_relative(args.design.margin);
    let request = ConfirmRequest {
        run: LedgerRequest::of(&project, &plan, &cells, &built, gates, design)?,
        at_least: args.at_least,
        margin: margin.context("--margin must lie between 0 and 100 %")?,
        precision: args.design.precision.unwrap_or(USUAL),
    };
    if build::exit(&built) != Exit::Done {
        let why = built.iter().find_map(|cell| match &cell.outcome {
            proofmark_project::BuildOutcome::Failed(failure) => Some(failure.why.clone()),
            proofmark_project::BuildOutcome::Made(_) => None,
        });
        return Err(proofmark_lab::LabError::Refused(format!(
            "`{}` cannot be confirmed, for it cannot be measured: {}",
            args.idea,
            why.unwrap_or_default()
        ))
        .into());
    }
    let (store, id) = context
        .measure(|laboratory, progress| proofmark_lab::confirm(laboratory, request, progress))?;
    let book = store.load_ledger(id.as_str())?;
    show::print(&book, args.format.of(args.json), context)?;
    Ok(match holds(&book) {
        Some(Holds::Yes) => Exit::Done,
        _ => Exit::Failed,
    })
}

/// What was found of the claim that was measured last.
fn holds(book: &RecordedLedger) -> Option<Holds> {
    book.entries.iter().rev().find_map(|entry| match &entry.of {
        LedgerEvent::Confirmed { holds, .. } => Some(*holds),
        _ => None,
    })
}

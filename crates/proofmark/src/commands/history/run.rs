//! `proofmark history run`: a range of commits, measured where it matters.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use proofmark_capture::states::Repository;
use proofmark_evidence::{Store, StoreError};
use proofmark_lab::{HistoryRequest, Ran};
use proofmark_report::series::Shown;
use proofmark_terms::CommitId;

use super::asked::SeriesArgs;
use super::range::Range;
use super::show::{ViewArgs, show};
use crate::arguments::duration;
use crate::commands::bisect::Workshop;
use crate::commands::project;
use crate::commands::revisions::{self, Plan};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// At most so many commits from one point to the next.
const EVERY: u32 = 16;

/// Arguments of `history run`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark history run --rev v1.0..main --build make --image lua -- {} fib.lua 30
  proofmark history run --rev v1.0..main --every 1 --build make --plot fib.svg -- {} fib.lua 30

docs/history.md says what is measured and what is promised.")]
pub(super) struct RunArgs {
    /// The range, A..B; first parents from A to B
    #[arg(long, value_name = "A..B")]
    rev: Option<String>,

    /// Measure every Nth commit, and those between where the level changes [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    every: Option<u32>,

    /// Also look closer where only the level as shipped changes: that may be placement alone
    #[arg(long)]
    as_shipped: bool,

    /// Begin no measurement after this time; the same command continues
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,

    /// Begin a new series even where there is one
    #[arg(long)]
    fresh: bool,

    #[command(flatten)]
    series: SeriesArgs,

    #[command(flatten)]
    view: ViewArgs,
}

pub(super) fn run(args: &RunArgs, context: &Context) -> anyhow::Result<Exit> {
    if args.view.schema {
        return console::print_schema("series");
    }
    args.view.check()?;
    let context = &project::context(&args.series.project, context)?;
    context.catch_signals()?;
    let asked = args.series.asked()?;
    let rev = args.rev.as_deref().or(asked.rev.as_deref());
    let rev =
        rev.ok_or_else(|| Usage("which commits? give --rev A..B, as in v1.0..main".to_owned()))?;
    let repository = Repository::open(Path::new("."))?;
    let [from, to] = revisions::ends(rev, &repository)?;
    let plan = Plan::of(repository, &asked.build, asked.image.as_deref())?;
    let (surroundings, parts) = (plan.surroundings(), plan.surrounding_parts());
    let until_ms = args.budget.map(until);
    let mut requests = Vec::new();
    for series in asked.series {
        let key = series.key(plan.repository().top())?;
        let known = if args.fresh {
            None
        } else {
            known(&key, context)?
        };
        let range = Range::of(plan.repository(), known.as_deref(), &from, &to)?;
        requests.push(HistoryRequest {
            series,
            key,
            commits: range.commits,
            from: range.from,
            every: args.every.or(asked.every).unwrap_or(EVERY),
            as_shipped: args.as_shipped,
            surroundings: surroundings.clone(),
            parts: parts.clone(),
            until_ms,
            fresh: args.fresh,
        });
    }
    let mut workshop = Workshop::new(plan, context).of_builds(args.series.repeat.builds());
    let (store, ran) = context.measure(|laboratory, progress| {
        let each = requests.iter().map(|request| {
            proofmark_lab::run_history(laboratory, request, &mut workshop, progress)
        });
        each.collect::<anyhow::Result<Vec<Ran>>>()
    })?;
    said(&ran);
    let margin = asked.margin;
    let shown = ran.iter().map(|one| {
        Ok(Shown {
            recorded: store.load_series(one.series.as_str())?,
            margin,
        })
    });
    show(
        &shown.collect::<anyhow::Result<Vec<Shown>>>()?,
        &args.view,
        context,
    )
}

/// When a budget that begins now is spent, in milliseconds since 1970-01-01 UTC.
fn until(budget: Duration) -> u64 {
    let budget_ms = u64::try_from(budget.as_millis()).unwrap_or(u64::MAX);
    proofmark_lab::now_ms().saturating_add(budget_ms)
}

/// The name of the commit at which the series of this key begins, where there is one.
pub(super) fn known(key: &str, context: &Context) -> anyhow::Result<Option<CommitId>> {
    let store = match Store::open(&context.folder) {
        Err(StoreError::NoStore { .. }) => return Ok(None),
        store => store?,
    };
    let series = store.series_of_key(key)?;
    Ok(series.map(|recorded| recorded.series.origin.id))
}

fn said(ran: &[Ran]) {
    if ran.iter().any(|one| !one.complete) {
        console::say("proofmark: the budget is spent; the same command goes on from here");
    } else if ran.iter().all(|one| one.measured == 0) {
        console::say("proofmark: all of this was measured before; --fresh measures it again");
    }
}

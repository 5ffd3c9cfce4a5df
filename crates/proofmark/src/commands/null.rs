//! `proofmark null`: a build against itself. Blocks are recorded once; how often this set-up would
//! cry wolf follows by re-drawing signs.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use proofmark_evidence::record::Question;
use proofmark_lab::{CountedRuns, Request};

use crate::arguments::ExperimentArgs;
use crate::commands::trees::{self, TreeArgs};
use crate::commands::{report, unread};
use crate::context::Context;
use crate::exit::Exit;

/// Arguments of `null`.
#[derive(Debug, Args)]
#[command(after_help = "Example: proofmark null base --layouts independent -- {} fib.lua 30")]
pub(crate) struct NullArgs {
    /// The build that is compared with itself: a captured build, an executable file,
    /// or a folder with the program in it
    #[arg(value_name = "BUILD", required_unless_present = "tree")]
    build: Option<OsString>,

    /// A folder of files that runs read. Without a BUILD, the program is the one that the command
    /// begins with, and {} is the path at which runs see the folder
    #[arg(long, value_name = "DIR")]
    tree: Option<OsString>,

    /// Where runs see their tree [default: where it lies]
    #[arg(long, value_name = "DIR")]
    tree_at: Option<PathBuf>,

    #[command(flatten)]
    experiment: ExperimentArgs,
}

pub(crate) fn run(args: &NullArgs, context: &Context) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    let ExperimentArgs {
        benchmark, output, ..
    } = &args.experiment;
    unread::say_input(benchmark);
    let trees = TreeArgs::one(args.tree.as_ref(), args.tree_at.as_ref());
    let (subject, at) = trees::alone(args.build.as_ref(), &trees, benchmark, context)?;
    let mut itself = subject.clone();
    itself.name = format!("{} again", subject.name);
    let request = args
        .experiment
        .request(Question::Null, vec![subject, itself])?;
    // One program does one work.
    let mut request = Request {
        counted: CountedRuns::None,
        ..request
    };
    if let Some(at) = at {
        request.benchmark = trees::in_place(request.benchmark, &at);
    }
    let (store, id) = context
        .measure(|laboratory, progress| proofmark_lab::run(laboratory, &request, progress))?;
    report::show(&store.load(&id.to_string())?, output, context)?;
    Ok(Exit::Done)
}

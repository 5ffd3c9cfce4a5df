//! `proofmark null`: a build against itself. Blocks are recorded once; how often this set-up would
//! cry wolf follows by re-drawing signs.

use std::ffi::OsString;

use clap::Args;
use proofmark_evidence::record::Question;
use proofmark_lab::Request;

use crate::arguments::ExperimentArgs;
use crate::commands::{report, subject, unread};
use crate::context::Context;
use crate::exit::Exit;

/// Arguments of `null`.
#[derive(Debug, Args)]
#[command(after_help = "Example: proofmark null base --layouts independent -- {} fib.lua 30")]
pub(crate) struct NullArgs {
    /// The build that is compared with itself: a captured build, or an executable file
    #[arg(value_name = "BUILD")]
    build: OsString,

    #[command(flatten)]
    experiment: ExperimentArgs,
}

pub(crate) fn run(args: &NullArgs, context: &Context) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    let ExperimentArgs {
        benchmark, output, ..
    } = &args.experiment;
    subject::check_command(benchmark)?;
    unread::say_input(benchmark);
    let subject = subject::find(&args.build, benchmark.image.as_deref(), context)?;
    let mut itself = subject.clone();
    itself.name = format!("{} again", subject.name);
    let request = args
        .experiment
        .request(Question::Null, vec![subject, itself])?;
    // One program does one work.
    let request = Request {
        instructions: false,
        ..request
    };
    let (store, id) = context
        .measure(|laboratory, progress| proofmark_lab::run(laboratory, &request, progress))?;
    report::show(&store.load(&id.to_string())?, output, context)?;
    Ok(Exit::Done)
}

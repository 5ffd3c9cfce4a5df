//! `proofmark null`: a build against itself. Blocks are recorded once; how often this set-up would
//! cry wolf follows by re-drawing signs.

use std::ffi::OsString;

use clap::Args;
use proofmark_evidence::Store;
use proofmark_evidence::record::Question;
use proofmark_lab::{Laboratory, Request};

use crate::arguments::{BenchmarkArgs, BesideArgs, DesignArgs};
use crate::commands::{report, subject, unread};
use crate::context::Context;
use crate::exit::Exit;
use crate::progress::Progress;

/// Arguments of `null`.
#[derive(Debug, Args)]
#[command(after_help = "Example: proofmark null base --layouts independent -- {} fib.lua 30")]
pub(crate) struct NullArgs {
    /// The build that is compared with itself: a captured build, or an executable file
    #[arg(value_name = "BUILD")]
    build: OsString,

    #[command(flatten)]
    benchmark: BenchmarkArgs,

    #[command(flatten)]
    design: DesignArgs,

    #[command(flatten)]
    beside: BesideArgs,

    #[command(flatten)]
    output: report::OutputArgs,
}

pub(crate) fn run(args: &NullArgs, context: &Context) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    subject::check_command(&args.benchmark)?;
    unread::say_input(&args.benchmark);
    let subject = subject::find(&args.build, args.benchmark.image.as_deref(), context)?;
    let mut itself = subject.clone();
    itself.name = format!("{} again", subject.name);
    let request = Request {
        question: Question::Null,
        subjects: vec![subject, itself],
        benchmark: args.benchmark.record()?,
        design: args.design.record(&args.beside)?,
        layouts: args.design.layouts.into(),
        population: args.design.population.into(),
        seed: args.design.seed,
        resume: !args.design.fresh,
        expectations: None,
        instructions: false,
    };
    let mut store = Store::open(&context.folder)?;
    let mut progress = Progress::new(context.watched, context.errors, true);
    let mut laboratory = Laboratory {
        folder: &context.folder,
        store: &mut store,
        stop: context.stop.clone(),
    };
    let id = proofmark_lab::run(&mut laboratory, &request, &mut progress);
    progress.clear();
    let recorded = store.load(&id?.to_string())?;
    report::show(&recorded, &args.output, context)?;
    Ok(Exit::Done)
}

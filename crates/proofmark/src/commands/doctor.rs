//! `proofmark doctor`: what on this machine hurts measuring, and the smallest effect that it can
//! resolve.

use clap::Args;
use proofmark_lab::resolving_power;
use proofmark_report::machine;

use crate::console;
use crate::context::Context;
use crate::exit::Exit;
use crate::progress::Progress;

/// Arguments of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// Leave out the short measurement
    #[arg(long)]
    quick: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &DoctorArgs, context: &Context) -> anyhow::Result<Exit> {
    context.catch_signals()?;
    let progress = Progress::new(context.watched, context.errors, false);
    progress.say("looking around…");
    let checks = proofmark_measure::checks::checks();
    let power = if args.quick {
        None
    } else {
        progress.say("measuring what this machine can resolve…");
        Some(resolving_power(&context.stop)?)
    };
    progress.clear();
    if args.json {
        console::print_json(&machine::json(&checks, power.as_ref()))?;
    } else {
        console::print(&machine::terminal(&checks, power.as_ref(), &context.style))?;
    }
    Ok(Exit::Done)
}

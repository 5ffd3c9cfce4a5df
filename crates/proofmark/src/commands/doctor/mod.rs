//! `proofmark doctor`: what on this machine hurts measuring, and the smallest effect that it can
//! resolve.

mod worth;

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

    /// Measure what each item of `tune` is worth here: what can be resolved without it and with it,
    /// four times in turn. Sets one after the other, as root, and puts each back
    #[arg(long)]
    worth: bool,

    /// With --worth: do not ask where others use the machine
    #[arg(long, requires = "worth")]
    yes: bool,

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
    let worth = if args.worth {
        Some(worth::measured(args.yes, context, &progress)?)
    } else {
        None
    };
    progress.clear();
    let found = machine::Found {
        checks: &checks,
        power: power.as_ref(),
        worth: worth.as_deref(),
    };
    if args.json {
        console::print_json(&machine::json(&found))?;
    } else {
        console::print(&machine::terminal(&found, &context.style))?;
    }
    Ok(Exit::Done)
}

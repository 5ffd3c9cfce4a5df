//! `proofmark ledger`: the ideas of a project's file, what was found of them, and what was decided.

mod decide;
pub(crate) mod run;
mod screen;
pub(crate) mod show;

use clap::{Args, Subcommand};

use super::project::{self, ProjectArgs};
use crate::console;
use crate::context::Context;
use crate::exit::Exit;

/// Arguments of `ledger`.
#[derive(Debug, Args)]
pub(crate) struct LedgerArgs {
    #[command(flatten)]
    project: ProjectArgs,

    /// Print JSON
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Measure ideas alone and stacks idea by idea, side by side, and write down what is found
    Run(Box<run::RunArgs>),
    /// Have ideas race for little time: those that cannot be the best any more leave early
    Screen(Box<screen::ScreenArgs>),
    /// What every idea makes, what was decided, and what is left of the error budget
    Show(show::ShowArgs),
    /// Write down what becomes of an idea, and why
    Decide(decide::DecideArgs),
}

pub(crate) fn run(args: &LedgerArgs, context: &Context) -> anyhow::Result<Exit> {
    if let Action::Show(show) = &args.action
        && show.schema
    {
        return console::print_schema("ledger");
    }
    let context = &project::context(&args.project, context)?;
    match &args.action {
        Action::Run(run) => run::run(run, &project::find(&args.project)?, args.json, context),
        Action::Screen(screen) => {
            let project = project::find(&args.project)?;
            screen::run(screen, &project, args.json, context)
        }
        Action::Show(show) => show::run(show, &args.project, args.json, context),
        Action::Decide(decide) => {
            let project = project::find(&args.project)?;
            decide::run(decide, &project, args.json, context)
        }
    }
}

//! `proofmark history`: since when?

mod add;
mod asked;
mod import;
mod range;
mod run;
mod show;

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::exit::Exit;

/// Arguments of `history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Measure commits of a range beside an anchor, and more of them where the level changes
    Run(Box<run::RunArgs>),
    /// Measure one more commit beside the anchor
    Add(Box<add::AddArgs>),
    /// Measure one more commit, and hold it against the level before it
    Check(Box<add::CheckArgs>),
    /// Show series that were measured: levels, changes, what is placement
    Show(show::ShowArgs),
    /// Where the level changed in a history that another tool recorded
    Import(import::ImportArgs),
}

pub(crate) fn run(args: &HistoryArgs, context: &Context) -> anyhow::Result<Exit> {
    match &args.action {
        Action::Run(args) => run::run(args, context),
        Action::Add(args) => add::run(args, context),
        Action::Check(args) => add::check(args, context),
        Action::Show(args) => show::run(args, context),
        Action::Import(args) => import::run(args, context),
    }
}

//! The whole command line: what every command takes, and the commands.

mod folders;
#[cfg(test)]
mod hints;

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::arguments::ColorArg;
use crate::commands;

/// The heading of options that every command takes. They stand behind its own.
const EVERYWHERE: &str = "With every command";

/// Is this speed-up real?
///
/// proofmark measures two or more builds of a program so that the answer is about the change, and
/// not about where the linker happened to put the code or what else the machine was doing.
#[derive(Debug, Parser)]
#[command(
    name = "proofmark",
    version,
    max_term_width = 100,
    arg_required_else_help = true
)]
pub(crate) struct Arguments {
    /// Folder for captured builds and evidence [default: .proofmark beside the nearest
    /// proofmark.toml; else the nearest one above this folder, or a new one here]
    #[arg(
        long,
        global = true,
        value_name = "DIR",
        env = "PROOFMARK_DIR",
        help_heading = EVERYWHERE
    )]
    pub(crate) store: Option<PathBuf>,

    /// When to use colour
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = EVERYWHERE
    )]
    pub(crate) color: ColorArg,

    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// Those of this process. What is wrong with them is said, and ends it.
    pub(crate) fn read() -> Self {
        Arguments::try_parse().unwrap_or_else(|error| folders::explained(error).exit())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a build and keep it so that it can be linked again
    Capture(commands::capture::CaptureArgs),
    /// List, show and remove captured builds
    Builds(commands::builds::BuildsArgs),
    /// Remove builds that can be made again and that nothing refers to
    Gc(commands::gc::GcArgs),
    /// Keep the builds of an experiment for good
    Pin(commands::pin::PinArgs),
    /// Compare builds: is the difference real, and how large?
    Compare(commands::compare::CompareArgs),
    /// Compare a build with itself: how often would this set-up cry wolf?
    Null(commands::null::NullArgs),
    /// Which commit changed it: a search that knows placement
    Bisect(commands::bisect::BisectArgs),
    /// What is a change made of? Its first cause, by function, with the evidence
    Explain(commands::explain::ExplainArgs),
    /// What the address of a function does: time against where it starts, as a heat map
    Sweep(commands::sweep::SweepArgs),
    /// Whose place matters: the share of each function in the spread between layouts
    Attribute(commands::attribute::AttributeArgs),
    /// Since when? Where the level of a history changed
    History(commands::history::HistoryArgs),
    /// Show a past comparison again
    Report(commands::report::ReportArgs),
    /// Evidence in one file, for others to check
    Bundle(commands::bundle::BundleArgs),
    /// Check evidence of others: every number again, from the raw samples
    Verify(commands::verify::VerifyArgs),
    /// Measure evidence of others again, here: do both machines agree?
    Replay(commands::replay::ReplayArgs),
    /// What on this machine hurts measuring, and what it can resolve
    Doctor(commands::doctor::DoctorArgs),
    /// Make the machine ready for measuring, and put it back
    Tune(commands::tune::TuneArgs),
    /// The main job on a real program: is Lua faster at -O3 than at -O2?
    Demo(commands::demo::DemoArgs),
    /// Many builds of a project's file: compilers × sources × flags
    Matrix(commands::matrix::MatrixArgs),
    /// Ideas of a project's file: what each makes alone and on a stack, and what was decided
    Ledger(commands::ledger::LedgerArgs),
    /// Measure an idea afresh against a claim that is written down first
    Confirm(Box<commands::confirm::ConfirmArgs>),
    /// The compilers of a project's file: where they are, and how to get what is missing
    Toolchains(commands::toolchains::ToolchainsArgs),
    /// Facts of the machine code of an executable or a captured build
    Inspect(commands::inspect::InspectArgs),
    /// Assert facts of the machine code; fails when one does not hold
    Expect(commands::expect::ExpectArgs),
    /// What changed in the machine code between two builds
    Diff(commands::diff::DiffArgs),
}

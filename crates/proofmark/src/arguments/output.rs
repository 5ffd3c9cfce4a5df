//! How the result of an experiment is shown.

use clap::{Args, ValueEnum};

/// How a result is shown.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// How to show the result
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: FormatArg,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

/// How a result is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// For the terminal
    Text,
    /// For a pull request
    Markdown,
    /// A comment that a bot posts on a pull request: at most 15 lines, the rest folded
    Comment,
    /// For programs; `proofmark report --schema` prints the schema
    Json,
    /// The raw samples, a row for each run
    Csv,
}

impl OutputArgs {
    /// The format; `--json` is short for one of them.
    pub(crate) fn format(&self) -> FormatArg {
        if self.json {
            FormatArg::Json
        } else {
            self.format
        }
    }
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorArg {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    Always,
    Never,
}

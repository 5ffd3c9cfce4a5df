//! Gates: conditions on the result that fail the command.

use clap::Args;
use proofmark_stats::{Gate, GateError, GateKind};

/// Conditions on the result that fail the command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Gates")]
pub(crate) struct GateArgs {
    /// Fail (exit 1) when the whole interval is beyond the threshold, in per cents of the base:
    /// slower:1%, faster:2%
    #[arg(long, value_name = "GATE", value_parser = fail_if)]
    fail_if: Vec<Gate>,

    /// Fail (exit 1) unless the whole interval shows it, in per cents of the base: no-slower:1%,
    /// faster:2%; undecided fails
    #[arg(long, value_name = "GATE", value_parser = require)]
    require: Vec<Gate>,

    /// Let gates pass although a build takes less than a tenth of the time and nothing that it
    /// prints shows that it did the work
    #[arg(long)]
    pub(crate) expect_large: bool,
}

impl GateArgs {
    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Gate> {
        self.fail_if.iter().chain(&self.require)
    }
}

fn fail_if(text: &str) -> Result<Gate, GateError> {
    Gate::parse(GateKind::FailIf, text)
}

fn require(text: &str) -> Result<Gate, GateError> {
    Gate::parse(GateKind::Require, text)
}

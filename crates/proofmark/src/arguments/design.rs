//! How the builds are measured, and when measuring stops.

use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use proofmark_evidence::record::{CertificateUse, Design, Schedule};
use proofmark_lab::{CountedRuns, LayoutChoice};
use proofmark_stats::Margin;
use proofmark_terms::Population;

use super::values;

/// When to stop, how to vary placement, how to share the machine.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct DesignArgs {
    /// Differences smaller than this count as none
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = values::share, allow_hyphen_values = true)]
    pub(crate) margin: f64,

    /// Confidence of all intervals together
    #[arg(long, value_name = "SHARE", default_value = "95%", value_parser = values::share)]
    pub(crate) confidence: f64,

    /// Fewest and most blocks, each of one layout of every build; one number for exactly so many
    #[arg(long, value_name = "MIN..MAX", default_value = "8..60", value_parser = values::blocks)]
    pub(crate) blocks: (u32, u32),

    /// Most time to spend on measuring: on everything after the builds; a round that has begun is
    /// finished
    ///
    /// Making and capturing builds is not part of it. Layouts, the runs that tell how to measure,
    /// and counting instructions are. If the fewest blocks do not fit, the budget is refused as
    /// soon as it is known what a run costs. No round begins after it is spent; a block that it
    /// cuts short is kept, and not counted. If there is no time to try slices, whole runs are
    /// measured. Where it is spent before there are enough blocks for a verdict, the same command
    /// with a larger budget continues with what was measured; an undecided result is a result, and
    /// the same command begins anew. Where a verdict needs instructions to be counted, that may
    /// take half of the budget more, at most 20 s. Where `compare` has to measure again, with each
    /// build laid out on its own, that has as much again.
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub(crate) budget: Option<Duration>,

    /// Stop when the interval is this narrow (± SHARE) instead of when decided
    #[arg(long, value_name = "SHARE", value_parser = values::share)]
    pub(crate) precision: Option<f64>,

    /// Rounds of a block; in a round all builds run side by side [default: until their noise is
    /// three quarters of the margin, or while images are made; at least 2, at most for a second]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: Option<u32>,

    /// How placement is varied
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub(crate) layouts: LayoutsArg,

    /// Which layouts to draw from: the build's own order with random gaps, or a random order as
    /// well
    #[arg(long, value_name = "WHICH", default_value = "pad")]
    pub(crate) population: PopulationArg,

    /// How runs share the machine: auto, interleaved, sliced, or sliced:TIME
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = schedule)]
    pub(crate) schedule: ScheduleArg,

    /// Repeat the draws of an earlier experiment [default: a fresh seed, recorded]
    #[arg(long, value_name = "SEED", value_parser = values::seed)]
    pub(crate) seed: Option<u64>,

    /// Start again even if the same command was interrupted
    #[arg(long)]
    pub(crate) fresh: bool,
}

/// What is measured beside the builds in drawn layouts. A matrix measures none of it.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Measuring")]
pub(crate) struct BesideArgs {
    /// Whether to test itself: to slow the base by exactly the margin, and see whether that is
    /// seen; "equivalent" then waits for the answer
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) certificate: CertificateArg,

    /// Leave out parts of the result that cost time
    #[arg(long, value_name = "PART", value_delimiter = ',')]
    pub(crate) skip: Vec<PartArg>,
}

/// How placement is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutsArg {
    /// Matched where the builds share nearly all of their code, independent otherwise
    Auto,
    /// Shared code and data at equal addresses in all builds
    Matched,
    /// As matched, but functions that changed start at any even address, as if code in front of
    /// their loops came and went
    Jittered,
    /// As jittered, and code within functions that changed has other padding in each layout
    Inside,
    /// Each build laid out on its own
    Independent,
    /// Not at all: the executables as they are
    AsShipped,
}

/// The layouts that a seed draws from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PopulationArg {
    /// The build's own order, a random gap before each function
    Pad,
    /// A random order as well
    Shuffle,
}

/// Whether a slowdown of exactly the margin is measured as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CertificateArg {
    /// Where it costs less than a fifth of the other runs
    Auto,
    /// In every block
    On,
    /// Not at all
    Off,
}

/// A part of the result that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartArg {
    /// The builds' own images
    AsShipped,
    /// Instruction counts
    Instructions,
}

/// How runs share the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScheduleArg {
    /// By the pilot.
    Auto,
    /// This one.
    Only(Schedule),
}

/// Mean length of a turn where none is named, in microseconds.
const USUAL_SLICE_US: u64 = 4000;

/// Reads how runs share the machine.
pub(crate) fn schedule(text: &str) -> Result<ScheduleArg, String> {
    match text.split_once(':') {
        None if text == "auto" => Ok(ScheduleArg::Auto),
        None if text == "interleaved" => Ok(ScheduleArg::Only(Schedule::Interleaved)),
        None if text == "sliced" => Ok(ScheduleArg::Only(Schedule::Sliced {
            slice_us: USUAL_SLICE_US,
        })),
        Some(("sliced", length)) => {
            let length = values::duration(length)?;
            let slice_us = u64::try_from(length.as_micros()).unwrap_or(u64::MAX);
            if (200..=1_000_000).contains(&slice_us) {
                Ok(ScheduleArg::Only(Schedule::Sliced { slice_us }))
            } else {
                Err("a slice lasts from 200us to 1s".to_owned())
            }
        }
        _ => Err(format!(
            "`{text}` is none of auto, interleaved, sliced, sliced:4ms"
        )),
    }
}

impl DesignArgs {
    /// The design as the evidence records it.
    pub(crate) fn record(&self, beside: &BesideArgs) -> anyhow::Result<Design> {
        Ok(Design {
            as_shipped: !beside.skip.contains(&PartArg::AsShipped),
            certificate: beside.certificate.into(),
            ..self.record_of_matrix()?
        })
    }

    /// The design of a matrix: builds in drawn layouts only, so that a block of many builds is not
    /// twice as long.
    pub(crate) fn record_of_matrix(&self) -> anyhow::Result<Design> {
        let margin =
            Margin::from_relative(self.margin).context("--margin must lie between 0 and 100 %")?;
        Ok(Design {
            margin,
            confidence: self.confidence,
            min_blocks: self.blocks.0,
            max_blocks: self.blocks.1,
            precision: self.precision,
            asked: Vec::new(),
            budget_ms: self
                .budget
                .map(|budget| u64::try_from(budget.as_millis()).unwrap_or(u64::MAX)),
            rounds: self.rounds,
            schedule: self.schedule.into(),
            as_shipped: false,
            certificate: CertificateUse::Never,
        })
    }
}

impl BesideArgs {
    /// Of which runs instructions are to be counted.
    pub(crate) fn counted(&self) -> CountedRuns {
        if self.skip.contains(&PartArg::Instructions) {
            CountedRuns::None
        } else {
            CountedRuns::All
        }
    }
}

impl From<ScheduleArg> for Option<Schedule> {
    fn from(arg: ScheduleArg) -> Self {
        match arg {
            ScheduleArg::Auto => None,
            ScheduleArg::Only(schedule) => Some(schedule),
        }
    }
}

impl From<LayoutsArg> for LayoutChoice {
    fn from(arg: LayoutsArg) -> Self {
        match arg {
            LayoutsArg::Auto => LayoutChoice::Auto,
            LayoutsArg::Matched => LayoutChoice::Matched,
            LayoutsArg::Jittered => LayoutChoice::Jittered,
            LayoutsArg::Inside => LayoutChoice::Inside,
            LayoutsArg::Independent => LayoutChoice::Independent,
            LayoutsArg::AsShipped => LayoutChoice::AsShipped,
        }
    }
}

impl From<CertificateArg> for CertificateUse {
    fn from(arg: CertificateArg) -> Self {
        match arg {
            CertificateArg::Auto => CertificateUse::Auto,
            CertificateArg::On => CertificateUse::Always,
            CertificateArg::Off => CertificateUse::Never,
        }
    }
}

impl From<PopulationArg> for Population {
    fn from(arg: PopulationArg) -> Self {
        match arg {
            PopulationArg::Pad => Population::Pad,
            PopulationArg::Shuffle => Population::Shuffle,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Alone {
        #[command(flatten)]
        design: DesignArgs,
        #[command(flatten)]
        beside: BesideArgs,
    }

    #[test]
    fn what_nobody_says_is_the_usual_design() {
        let said = Alone::parse_from(["proofmark"]);
        assert_eq!(said.design.record(&said.beside).unwrap(), Design::default());
    }
}

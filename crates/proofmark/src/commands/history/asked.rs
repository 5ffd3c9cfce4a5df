//! What of a history is asked for: benchmarks, and how each point is measured.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use proofmark_evidence::record::{CertificateUse, Design};
use proofmark_lab::SeriesRequest;
use proofmark_stats::Margin;

use crate::arguments::{
    BenchmarkArgs, LayoutsArg, PopulationArg, ScheduleArg, blocks, schedule, seed, share,
};
use crate::exit::Usage;

/// A point's interval is to be so many margins narrow: two points that differ by the margin are
/// then told apart.
const OF_MARGIN: f64 = 0.5;

/// What is measured.
#[derive(Debug, Args)]
pub(super) struct SeriesArgs {
    /// Shell command that builds a commit in a clean copy of the repository
    #[arg(long, value_name = "COMMAND")]
    build: Option<String>,

    /// What the benchmark is called [default: the words of its command]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    measuring: MeasuringArgs,

    #[command(flatten)]
    benchmark: BenchmarkArgs,
}

/// How each point is measured.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
struct MeasuringArgs {
    /// Levels that differ by less than this count as one
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = share, allow_hyphen_values = true)]
    margin: f64,

    /// Confidence that all changes of a line are changes
    #[arg(long, value_name = "SHARE", default_value = "95%", value_parser = share)]
    confidence: f64,

    /// Fewest and most blocks of a point, each of one layout of the commit and of its anchor
    #[arg(long, value_name = "MIN..MAX", default_value = "8..40", value_parser = blocks)]
    blocks: (u32, u32),

    /// A point is measured until its interval is this narrow (± SHARE) [default: half the margin]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    precision: Option<f64>,

    /// Rounds of a block; in a round both builds run side by side [default: by a pilot]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,

    /// A new anchor after so many commits; it is measured beside the one before
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    anchor_every: u32,

    /// How placement is varied
    #[arg(long, value_name = "HOW", default_value = "auto")]
    layouts: LayoutsArg,

    /// Which layouts to draw from: the build's own order with random gaps, or a random order as
    /// well
    #[arg(long, value_name = "WHICH", default_value = "pad")]
    population: PopulationArg,

    /// How runs share the machine: auto, interleaved, sliced, or sliced:TIME
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = schedule)]
    schedule: ScheduleArg,

    /// Repeat the draws of an earlier series [default: fresh seeds, recorded]
    #[arg(long, value_name = "SEED", value_parser = seed)]
    seed: Option<u64>,
}

/// Benchmarks and what they are built by.
#[derive(Debug)]
pub(super) struct Asked {
    /// The build's command, of all of them.
    pub(super) build: String,
    /// The image that was asked for.
    pub(super) image: Option<PathBuf>,
    /// One or more.
    pub(super) series: Vec<SeriesRequest>,
}

impl SeriesArgs {
    /// What is asked for.
    pub(super) fn asked(&self) -> anyhow::Result<Asked> {
        let build = self.build.clone().ok_or_else(|| {
            Usage("a history needs --build, the command that builds a commit".to_owned())
        })?;
        crate::commands::subject::check_command(&self.benchmark)?;
        let benchmark = self.benchmark.record()?;
        let words = benchmark
            .argv
            .iter()
            .map(|word| word.as_ref().to_string_lossy().into_owned());
        let words = words.filter(|word| word != "{}").collect::<Vec<String>>();
        let name = self.name.clone().unwrap_or_else(|| {
            if words.is_empty() {
                "benchmark".to_owned()
            } else {
                words.join(" ")
            }
        });
        let image = self.benchmark.image.clone();
        Ok(Asked {
            series: vec![SeriesRequest {
                name,
                build: build.clone(),
                image: image.as_ref().map(|path| path.display().to_string()),
                benchmark,
                design: self.measuring.design()?,
                layouts: self.measuring.layouts.into(),
                population: self.measuring.population.into(),
                anchor_every: self.measuring.anchor_every,
                seed: self.measuring.seed,
            }],
            build,
            image,
        })
    }

    /// Levels that differ by less than this count as one.
    pub(super) fn margin(&self) -> anyhow::Result<Margin> {
        self.measuring.margin()
    }
}

impl MeasuringArgs {
    fn margin(&self) -> anyhow::Result<Margin> {
        Margin::from_relative(self.margin).context("--margin must lie between 0 and 100 %")
    }

    fn design(&self) -> anyhow::Result<Design> {
        Ok(Design {
            margin: self.margin()?,
            confidence: self.confidence,
            min_blocks: self.blocks.0,
            max_blocks: self.blocks.1,
            precision: Some(self.precision.unwrap_or(OF_MARGIN * self.margin)),
            budget_ms: None,
            rounds: self.rounds,
            schedule: self.schedule.into(),
            as_shipped: true,
            certificate: CertificateUse::Never,
        })
    }
}

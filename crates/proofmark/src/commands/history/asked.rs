//! What of a history is asked for: benchmarks, and how each point is measured.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use proofmark_evidence::record::{Benchmark, CertificateUse, Design};
use proofmark_lab::{SeriesRequest, benchmarks_of};
use proofmark_project::{HistoryDefinition, ProjectHistory};
use proofmark_stats::Margin;
use proofmark_terms::Share;

use crate::arguments::{
    BenchmarkArgs, LayoutsArg, PopulationArg, RepeatArg, ScheduleArg, blocks, schedule, seed, share,
};
use crate::commands::project::{self, ProjectArgs};
use crate::exit::Usage;

/// A point's interval is to be so many margins narrow: two points that differ by the margin are
/// then told apart.
const OF_MARGIN: f64 = 0.5;

/// Fewest and most blocks of a point.
const BLOCKS: (u32, u32) = (8, 40);

/// From one anchor to the next.
const ANCHOR_EVERY: u32 = 256;

/// What is measured.
#[derive(Debug, Args)]
pub(super) struct SeriesArgs {
    /// Shell command that builds a commit in a clean copy of the repository [default: that of
    /// [history] in the project's file]
    #[arg(long, value_name = "COMMAND")]
    build: Option<String>,

    #[command(flatten)]
    pub(super) repeat: RepeatArg,

    /// What the benchmark is called [default: the words of its command]; without a command, only
    /// this benchmark of the project's file
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    #[command(flatten)]
    pub(super) project: ProjectArgs,

    #[command(flatten)]
    measuring: MeasuringArgs,

    #[command(flatten)]
    benchmark: BenchmarkArgs,
}

/// How each point is measured.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
struct MeasuringArgs {
    /// Levels that differ by less than this count as one [default: 1%]
    #[arg(long, value_name = "SHARE", value_parser = share, allow_hyphen_values = true)]
    margin: Option<f64>,

    /// Confidence that every change named on a line is one
    #[arg(long, value_name = "SHARE", default_value = "95%", value_parser = share)]
    confidence: f64,

    /// Fewest and most blocks of a point, each of one layout of the commit and of its anchor
    /// [default: 8..40]
    #[arg(long, value_name = "MIN..MAX", value_parser = blocks)]
    blocks: Option<(u32, u32)>,

    /// A point is measured until its interval is this narrow (± SHARE) [default: half the margin]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    precision: Option<f64>,

    /// Rounds of a block; in a round both builds run side by side [default: by a pilot]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,

    /// A new anchor after so many commits; it is measured beside the one before [default: 256]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    anchor_every: Option<u32>,

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
    /// The range of commits that the project's file names.
    pub(super) rev: Option<String>,
    /// How far apart points may lie, by the project's file.
    pub(super) every: Option<u32>,
    /// Levels that differ by less than this count as one.
    pub(super) margin: Margin,
    /// One or more.
    pub(super) series: Vec<SeriesRequest>,
}

impl SeriesArgs {
    /// What is asked for: by the command line, and where that is silent by the project's file.
    pub(super) fn asked(&self) -> anyhow::Result<Asked> {
        let read = project::place(&self.project)?.map(|file| ProjectHistory::read(&file));
        let of_file = read.transpose()?.flatten();
        let history = of_file.as_ref().map(|file| file.history.clone());
        let history = history.unwrap_or_default();
        let build = self.build.clone().or(history.build.clone());
        let build = build.ok_or_else(|| {
            let what = "a history needs --build, the command that builds a commit, or `build` in \
                        [history] of proofmark.toml";
            Usage(what.to_owned())
        })?;
        let benchmarks = match &of_file {
            Some(file) if self.benchmark.command.is_empty() => self.of_file(file)?,
            _ => vec![self.of_command()?],
        };
        let image = self.benchmark.image.clone().or(history.image.clone());
        let design = self.measuring.design(&history)?;
        let of_measuring = self.measuring.anchor_every.or(history.anchor_every);
        let series = benchmarks
            .into_iter()
            .map(|(name, benchmark)| SeriesRequest {
                name,
                build: build.clone(),
                repeat: self.repeat.builds(),
                trusted: self.repeat.is_trusted(),
                image: image.as_ref().map(|path| path.display().to_string()),
                benchmark,
                design: design.clone(),
                layouts: self.measuring.layouts.into(),
                population: self.measuring.population.into(),
                anchor_every: of_measuring.unwrap_or(ANCHOR_EVERY),
                seed: self.measuring.seed,
            });
        Ok(Asked {
            series: series.collect(),
            rev: history.rev.clone(),
            every: history.every,
            margin: design.margin,
            build,
            image,
        })
    }

    fn of_command(&self) -> anyhow::Result<(String, Benchmark)> {
        crate::commands::subject::check_command(&self.benchmark)?;
        let benchmark = self.benchmark.record()?;
        let words = benchmark.argv.iter();
        let words = words.map(|word| word.as_ref().to_string_lossy().into_owned());
        let words = words.filter(|word| word != "{}").collect::<Vec<String>>();
        let name = self.name.clone().unwrap_or_else(|| {
            if words.is_empty() {
                "benchmark".to_owned()
            } else {
                words.join(" ")
            }
        });
        Ok((name, benchmark))
    }

    /// The benchmarks of the project's file, each at every size of its scale.
    fn of_file(&self, file: &ProjectHistory) -> anyhow::Result<Vec<(String, Benchmark)>> {
        let mut all = Vec::new();
        for (name, definition) in &file.benchmarks {
            all.extend(benchmarks_of(name, definition, &file.folder)?);
        }
        let Some(only) = &self.name else {
            return Ok(all);
        };
        let known: Vec<String> = all.iter().map(|(name, _)| name.clone()).collect();
        all.retain(|(name, _)| name == only);
        if all.is_empty() {
            return Err(Usage(format!(
                "the project's file has no benchmark `{only}` for a history; there is {}",
                known.join(", ")
            ))
            .into());
        }
        Ok(all)
    }
}

impl MeasuringArgs {
    fn design(&self, history: &HistoryDefinition) -> anyhow::Result<Design> {
        let of_file = history.margin.map(Share::get);
        let margin = self
            .margin
            .or(of_file)
            .unwrap_or(Margin::default().relative());
        let read = |text: &String| {
            blocks(text).map_err(|error| Usage(format!("[history] blocks: {error}")))
        };
        let of_file = history.blocks.as_ref().map(read).transpose()?;
        let (min_blocks, max_blocks) = self.blocks.or(of_file).unwrap_or(BLOCKS);
        Ok(Design {
            margin: Margin::from_relative(margin)
                .context("--margin must lie between 0 and 100 %")?,
            confidence: self.confidence,
            min_blocks,
            max_blocks,
            precision: Some(self.precision.unwrap_or(OF_MARGIN * margin)),
            asked: Vec::new(),
            budget_ms: None,
            rounds: self.rounds,
            schedule: self.schedule.into(),
            as_shipped: true,
            certificate: CertificateUse::Never,
        })
    }
}

//! The arguments of `bisect`, and what is asked by them.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{ArgGroup, Args};
use proofmark_evidence::record::{Benchmark, CertificateUse, Design, Judge};
use proofmark_stats::Margin;

use crate::arguments::{
    BenchmarkArgs, FormatArg, LayoutsArg, PlotArgs, PopulationArg, RepeatArg, ScheduleArg, blocks,
    schedule, seed, share,
};

/// Arguments of `bisect`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark bisect --good v1.0 --bad main --build make --image lua -- {} fib.lua 30
  proofmark bisect --good v1.0 --bad main --build make --as-shipped -- {} fib.lua 30
  proofmark bisect --good v1.0 --bad main --build make --all -- {} fib.lua 30
  proofmark bisect --good v1.0 --bad main --run 'make && ./check.sh'
  proofmark bisect --over toolchains --benchmark fib
  proofmark bisect --toolchain mycc --good v1.0 --bad main --benchmark fib
  proofmark bisect --show latest --format markdown

docs/bisect.md says how the search goes and what the answer means.")]
pub(crate) struct BisectArgs {
    /// The older end: a revision from before the change
    #[arg(long, value_name = "REV", required_unless_present_any = ["over", "show", "schema"])]
    pub(super) good: Option<String>,

    /// The newer end: a revision that has the change, for the better or for the worse [default:
    /// HEAD]
    #[arg(long, value_name = "REV")]
    pub(super) bad: Option<String>,

    /// Shell command that builds a revision in a clean copy of the repository
    #[arg(long, value_name = "COMMAND", required_unless_present_any = ["run", "over", "toolchain", "show", "schema"])]
    pub(super) build: Option<String>,

    #[command(flatten)]
    pub(super) repeat: RepeatArg,

    /// Shell command that judges a revision in a clean copy by its exit code: 0 good, 1 to 124 bad,
    /// 125 skip; in place of a benchmark
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["build", "repeat", "command", "as_shipped"])]
    pub(super) run: Option<String>,

    /// Follow first parents only: what a merge brought in counts as the merge's
    #[arg(long)]
    pub(super) first_parent: bool,

    /// Look for every change along first parents, not for one: several steps, both edges of a peak
    #[arg(long, conflicts_with_all = ["run", "log"])]
    pub(super) all: bool,

    /// With --all: the widest peak, in commits, that may stay unseen [default: an eighth of the
    /// range]
    #[arg(long, value_name = "COMMITS")]
    pub(super) peaks: Option<u32>,

    /// Look for what changed the program as shipped, even if it may be placement alone
    #[arg(long)]
    pub(super) as_shipped: bool,

    /// Show a bisection again: its name, the beginning of it, or `latest`
    #[arg(long, value_name = "ID", conflicts_with_all = ["good", "build", "run", "all", "command"])]
    pub(super) show: Option<String>,

    /// Print the JSON Schema of --json
    #[arg(long, conflicts_with_all = ["good", "build", "run", "show", "command"])]
    pub(super) schema: bool,

    #[command(flatten)]
    pub(super) over: OverArgs,

    #[command(flatten)]
    pub(super) measuring: MeasuringArgs,

    #[command(flatten)]
    pub(super) output: BisectOutputArgs,

    #[command(flatten)]
    pub(super) benchmark: BenchmarkArgs,
}

/// What of a project's file is searched in place of commits.
#[derive(Debug, Args)]
#[command(next_help_heading = "Of a project's file")]
#[command(group = ArgGroup::new("of_a_project").args(["over", "toolchain"]))]
pub(super) struct OverArgs {
    /// Look for every change from one toolchain to the next, or from one set of flags to the next,
    /// in the order of the project's file; --good and --bad are then names of those [default: the
    /// first and the last]
    #[arg(long, value_name = "WHAT", conflicts_with_all = ["build", "run", "first_parent", "repeat", "log", "show"])]
    pub(super) over: Option<Over>,

    /// Search the commits of a compiler: those of the repository that this toolchain of the
    /// project's file is made from. Each makes a compiler, and what is measured is one program as
    /// that compiles it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["over", "build", "run", "repeat", "show"])]
    pub(super) toolchain: Option<String>,

    /// The other words of the cells: source and flags, or toolchain and source [default: those of
    /// the file's first cell, or of the toolchain's first]
    #[arg(long, value_name = "WORDS", requires = "of_a_project")]
    pub(super) cell: Option<String>,

    /// The benchmark of the project's file [default: its only one]; or write a command after --
    #[arg(
        long,
        value_name = "NAME",
        requires = "of_a_project",
        conflicts_with = "command"
    )]
    pub(super) benchmark: Option<String>,

    /// The project's file [default: the nearest proofmark.toml in this folder or above]
    #[arg(long, value_name = "FILE", requires = "of_a_project")]
    pub(super) file: Option<PathBuf>,

    /// Install no packages
    #[arg(long, requires = "of_a_project")]
    pub(super) offline: bool,
}

/// What a project's file has an order of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Over {
    Toolchains,
    Flags,
}

/// How each commit is measured.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
pub(super) struct MeasuringArgs {
    /// Ends that differ by less than this count as equal
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = share, allow_hyphen_values = true)]
    margin: f64,

    /// Confidence of the whole answer, shared out among its steps
    #[arg(long, value_name = "SHARE", default_value = "95%", value_parser = share)]
    pub(super) confidence: f64,

    /// Fewest and most blocks of a step, each of one layout of every build
    #[arg(long, value_name = "MIN..MAX", default_value = "8..180", value_parser = blocks)]
    blocks: (u32, u32),

    /// Rounds of a block; in a round all builds run side by side [default: by a pilot]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,

    /// How placement is varied
    #[arg(long, value_name = "HOW", default_value = "auto")]
    pub(super) layouts: LayoutsArg,

    /// Which layouts to draw from: the build's own order with random gaps, or a random order as
    /// well
    #[arg(long, value_name = "WHICH", default_value = "pad")]
    pub(super) population: PopulationArg,

    /// How runs share the machine: auto, interleaved, sliced, or sliced:TIME
    #[arg(long, value_name = "HOW", default_value = "auto", value_parser = schedule)]
    schedule: ScheduleArg,

    /// Repeat the draws of an earlier bisection [default: fresh seeds, recorded]
    #[arg(long, value_name = "SEED", value_parser = seed)]
    pub(super) seed: Option<u64>,

    /// Begin anew even where the same command was interrupted, or has its answer
    #[arg(long)]
    pub(super) fresh: bool,
}

/// What is shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct BisectOutputArgs {
    /// How to show the answer
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats())]
    format: FormatArg,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Write a log that `git bisect replay` takes
    #[arg(long, value_name = "FILE")]
    pub(super) log: Option<PathBuf>,

    #[command(flatten)]
    pub(super) plot: PlotArgs,
}

/// Those formats that a bisection has.
fn formats() -> impl clap::builder::TypedValueParser<Value = FormatArg> {
    use clap::builder::TypedValueParser as _;
    clap::builder::PossibleValuesParser::new(["text", "markdown", "json"]).map(|word| {
        match word.as_str() {
            "markdown" => FormatArg::Markdown,
            "json" => FormatArg::Json,
            _ => FormatArg::Text,
        }
    })
}

impl BisectOutputArgs {
    /// The format; `--json` is short for one of them.
    pub(super) fn format(&self) -> FormatArg {
        if self.json {
            FormatArg::Json
        } else {
            self.format
        }
    }
}

impl BisectArgs {
    /// Whether first parents alone are followed. Every change is looked for along a line.
    pub(super) fn first_parent(&self) -> bool {
        self.first_parent || self.all
    }

    /// How many commits may stay unseen between two that are alike, where every change of a range
    /// of so many commits is looked for.
    pub(super) fn survey(&self, range: usize) -> Option<u32> {
        let eighth = u32::try_from(range / 8).unwrap_or(u32::MAX);
        let all = self.all || self.over.over.is_some();
        all.then(|| self.peaks.unwrap_or(eighth))
    }

    /// Who judges.
    pub(super) fn judge(&self) -> anyhow::Result<Judge> {
        if let Some(command) = &self.run {
            return Ok(Judge::Script {
                command: command.clone(),
            });
        }
        self.blocks(
            self.build.clone().unwrap_or_default(),
            self.benchmark.record()?,
        )
    }

    /// Blocks of a benchmark as the judge.
    pub(super) fn blocks(&self, build: String, benchmark: Benchmark) -> anyhow::Result<Judge> {
        Ok(Judge::Blocks {
            build,
            repeat: self.repeat.builds(),
            benchmark: Box::new(benchmark),
            design: Box::new(self.measuring.design()?),
            as_shipped: self.as_shipped,
        })
    }
}

impl MeasuringArgs {
    fn design(&self) -> anyhow::Result<Design> {
        let margin =
            Margin::from_relative(self.margin).context("--margin must lie between 0 and 100 %")?;
        Ok(Design {
            margin,
            confidence: self.confidence,
            min_blocks: self.blocks.0,
            max_blocks: self.blocks.1,
            precision: None,
            asked: Vec::new(),
            budget_ms: None,
            rounds: self.rounds,
            schedule: self.schedule.into(),
            as_shipped: true,
            certificate: CertificateUse::Never,
        })
    }
}

//! `proofmark attribute`: whose place carries the spread between layouts.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use proofmark_evidence::record::{AttributionDesign, Benchmark, Build};
use proofmark_evidence::{RecordedAttribution, Store};
use proofmark_lab::{AttributionRequest, RecordedComparison, Subject};
use proofmark_report::attribute;
use proofmark_terms::BuildIndex;

use crate::arguments::{BenchmarkArgs, PlotArgs, duration, seed};
use crate::commands::{subject, unread};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `attribute`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark attribute base -- {} fib.lua 30
  proofmark attribute base --plot shares.svg --budget 10m -- {} fib.lua 30
  proofmark attribute base --function 'luaV_*' -- {} fib.lua 30
  proofmark attribute latest            the layouts of the latest comparison
  proofmark attribute --show latest --markdown

docs/attribute.md says how to read it.")]
pub(crate) struct AttributeArgs {
    /// A captured build; or, without a command, a recorded comparison: its name, the beginning of
    /// it, or `latest`
    #[arg(value_name = "BUILD|ID", required_unless_present_any = ["show", "schema"])]
    build: Option<OsString>,

    /// Which build of the comparison to look at [default: the base]
    #[arg(long, value_name = "BUILD", conflicts_with_all = ["show", "command"])]
    of: Option<String>,

    /// Only these functions: a name, a name with * and ?, or a /regular expression/
    /// [default: those in which a sampled run spends its time]
    #[arg(short, long, value_name = "PATTERN")]
    function: Vec<String>,

    /// Show an attribution again: its name, the beginning of it, or `latest`
    #[arg(long, value_name = "ID", conflicts_with_all = ["build", "function", "command"])]
    show: Option<String>,

    /// Print the JSON Schema of --json
    #[arg(long, conflicts_with_all = ["build", "function", "show", "command"])]
    schema: bool,

    #[command(flatten)]
    measuring: MeasuringArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    benchmark: BenchmarkArgs,
}

/// When measuring stops.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
struct MeasuringArgs {
    /// Most functions of a sampled run that are looked at
    #[arg(long, value_name = "FUNCTIONS", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=512))]
    most: u32,

    /// Blocks in which single functions are measured: more make narrower intervals
    #[arg(long, value_name = "BLOCKS", default_value_t = 40, value_parser = clap::value_parser!(u32).range(8..=10_000))]
    blocks: u32,

    /// Blocks of each earlier stage, in which groups of functions are measured
    #[arg(long, value_name = "BLOCKS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    screening: u32,

    /// Rounds of each of the two measurements of a layout [default: by how long a run takes]
    #[arg(long, value_name = "ROUNDS", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,

    /// Most time to spend; if it is too short for an answer, the same command with more continues
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,

    /// Repeat the draws of an earlier attribution [default: a fresh seed, recorded]
    #[arg(long, value_name = "SEED", value_parser = seed)]
    seed: Option<u64>,

    /// Begin anew even where the same command was interrupted
    #[arg(long)]
    fresh: bool,
}

/// What is shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct OutputArgs {
    /// Print JSON, with every run
    #[arg(long, conflicts_with = "markdown")]
    json: bool,

    /// Print Markdown, for a pull request
    #[arg(long)]
    markdown: bool,

    #[command(flatten)]
    plot: PlotArgs,
}

pub(crate) fn run(args: &AttributeArgs, context: &Context) -> anyhow::Result<Exit> {
    if args.schema {
        return console::print_schema("attribution");
    }
    args.output.plot.check()?;
    let recorded = match &args.show {
        Some(id) => Store::open(&context.folder)?.load_attribution(id)?,
        None => measured(args, context)?,
    };
    show(&recorded, &args.output, context)?;
    args.output
        .plot
        .write(|format, theme| attribute::picture(&recorded, format, theme))?;
    Ok(Exit::Done)
}

fn measured(args: &AttributeArgs, context: &Context) -> anyhow::Result<RecordedAttribution> {
    context.catch_signals()?;
    let asked = Asked::of(args, context)?;
    let measuring = &args.measuring;
    let budget = measuring.budget.map(|budget| budget.as_millis());
    let request = AttributionRequest {
        subject: asked.subject,
        benchmark: asked.benchmark,
        comparison: asked.comparison,
        design: AttributionDesign {
            asked: args.function.clone(),
            most: measuring.most,
            screening: measuring.screening,
            blocks: measuring.blocks,
            rounds: measuring.rounds,
            confidence: 0.95,
            budget_ms: budget.map(|budget| u64::try_from(budget).unwrap_or(u64::MAX)),
            seed: 0,
        },
        seed: measuring.seed,
        resume: !measuring.fresh,
    };
    let (store, id) = context.measure(|laboratory, progress| {
        proofmark_lab::run_attribution(laboratory, &request, progress)
    })?;
    Ok(store.load_attribution(id.as_str())?)
}

/// What is attributed.
struct Asked {
    subject: Subject,
    benchmark: Benchmark,
    comparison: Option<RecordedComparison>,
}

impl Asked {
    /// A build with a command, or a comparison, which has both.
    fn of(args: &AttributeArgs, context: &Context) -> anyhow::Result<Asked> {
        let word = args.build.clone().unwrap_or_default();
        if args.benchmark.command.is_empty() {
            return Asked::again(&word, args.of.as_deref(), context);
        }
        subject::check_command(&args.benchmark)?;
        unread::say_input(&args.benchmark);
        Ok(Asked {
            subject: subject::find(&word, args.benchmark.image.as_deref(), context)?,
            benchmark: args.benchmark.record()?,
            comparison: None,
        })
    }

    /// A recorded comparison, with its builds as they are kept.
    fn again(word: &OsStr, of: Option<&str>, context: &Context) -> anyhow::Result<Asked> {
        let word = word.to_string_lossy();
        if context.folder.is_dir() && context.builds()?.has(&word) {
            return Err(Usage(format!(
                "no benchmark for the build {word}: write its command after --, with {{}} where \
                 the image goes, as in `-- {{}} fib.lua 30`; a recorded comparison needs none"
            ))
            .into());
        }
        let recorded = Store::open(&context.folder)?.load(&word)?;
        let builds = &recorded.experiment.builds;
        let build = match of {
            None => BuildIndex::BASE,
            Some(name) => BuildIndex::each(builds)
                .find(|(_, build)| build.name == name)
                .map(|(index, _)| index)
                .ok_or_else(|| no_build(name, builds))?,
        };
        let subjects: Vec<Subject> = builds
            .iter()
            .map(|build| subject::again(build, context))
            .collect::<anyhow::Result<_>>()?;
        let own = |index: BuildIndex| Some((index.of(builds)?, index.of(&subjects)?));
        let (known, subject) = own(build).context("a comparison without builds")?;
        let benchmark = known.run_as.as_deref();
        Ok(Asked {
            subject: subject.clone(),
            benchmark: benchmark.unwrap_or(&recorded.experiment.benchmark).clone(),
            comparison: Some(RecordedComparison {
                recorded,
                subjects,
                build,
            }),
        })
    }
}

fn no_build(name: &str, builds: &[Build]) -> Usage {
    let names: Vec<&str> = builds.iter().map(|build| build.name.as_str()).collect();
    Usage(format!(
        "the comparison has no build {name}; it has {}",
        names.join(", ")
    ))
}

fn show(
    recorded: &RecordedAttribution,
    output: &OutputArgs,
    context: &Context,
) -> anyhow::Result<()> {
    if output.json {
        return console::print_json(&attribute::json(recorded));
    }
    if output.markdown {
        return console::print(&attribute::markdown(recorded));
    }
    console::print(&attribute::terminal(recorded, &context.style))
}

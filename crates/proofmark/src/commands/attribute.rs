//! `proofmark attribute`: whose place carries the spread between layouts.

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;
use proofmark_evidence::record::AttributionDesign;
use proofmark_evidence::{RecordedAttribution, Store};
use proofmark_lab::AttributionRequest;
use proofmark_report::attribute;

use crate::arguments::{BenchmarkArgs, PlotArgs, duration, seed};
use crate::commands::{subject, unread};
use crate::console;
use crate::context::Context;
use crate::exit::Exit;

/// Arguments of `attribute`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark attribute base -- {} fib.lua 30
  proofmark attribute base --plot shares.svg --budget 10m -- {} fib.lua 30
  proofmark attribute base --function 'luaV_*' -- {} fib.lua 30
  proofmark attribute --show latest --markdown

docs/attribute.md says how to read it.")]
pub(crate) struct AttributeArgs {
    /// A captured build
    #[arg(value_name = "BUILD", required_unless_present_any = ["show", "schema"])]
    build: Option<OsString>,

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

    /// Blocks of each stage before that, in which groups of functions are
    #[arg(long, value_name = "BLOCKS", default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..=10_000))]
    screening: u32,

    /// Rounds of each of the two measurements of a layout [default: by how long a run takes]
    #[arg(long, value_name = "ROUNDS", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,

    /// Most time to spend; what is too little to say anything goes on with more
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
    subject::check_command(&args.benchmark)?;
    unread::say_input(&args.benchmark);
    let build = args.build.clone().unwrap_or_default();
    let subject = subject::find(&build, args.benchmark.image.as_deref(), context)?;
    let measuring = &args.measuring;
    let budget = measuring.budget.map(|budget| budget.as_millis());
    let request = AttributionRequest {
        subject,
        benchmark: args.benchmark.record()?,
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

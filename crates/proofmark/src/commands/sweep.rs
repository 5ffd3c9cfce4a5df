//! `proofmark sweep`: what the address of a function does.

use std::ffi::OsString;
use std::time::Duration;

use clap::Args;
use proofmark_evidence::record::SweepDesign;
use proofmark_evidence::{RecordedSweep, Store};
use proofmark_lab::SweepRequest;
use proofmark_report::sweep;

use crate::arguments::{BenchmarkArgs, PlotArgs, address, duration, seed, share};
use crate::commands::{subject, unread};
use crate::console;
use crate::context::Context;
use crate::exit::Exit;

/// Arguments of `sweep`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark sweep base --function fib -- {} 29
  proofmark sweep base --function fib --plot fib.png -- {} 29
  proofmark sweep base --function fib --range 4096 --step 64 --budget 5m -- {} 29
  proofmark sweep base --function fib --inside -- {} 29
  proofmark sweep base --function fib --against main -- {} 29
  proofmark sweep --show latest --csv

docs/sweep.md says how to read it.")]
pub(crate) struct SweepArgs {
    /// A captured build
    #[arg(value_name = "BUILD", required_unless_present_any = ["show", "schema"])]
    build: Option<OsString>,

    /// The function: a name, a name with * and ?, or a /regular expression/; several move together
    #[arg(short, long, value_name = "PATTERN", required_unless_present_any = ["show", "schema"])]
    function: Vec<String>,

    /// Functions that move together in a window of their own: two starts, each against each
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["inside", "at"])]
    against: Vec<String>,

    /// Move the code within the function, by padding in front of its first loop, or of its place of
    /// this number, from 1; the function's start stays
    #[arg(long, value_name = "PLACE", num_args = 0..=1, default_missing_value = "0", require_equals = true, conflicts_with = "at")]
    inside: Option<u32>,

    /// Show a sweep again: its name, the beginning of it, or `latest`
    #[arg(long, value_name = "ID", conflicts_with_all = ["build", "function", "against", "inside", "command"])]
    show: Option<String>,

    /// Print the JSON Schema of --json
    #[arg(long, conflicts_with_all = ["build", "function", "show", "command"])]
    schema: bool,

    #[command(flatten)]
    measuring: MeasuringArgs,

    #[command(flatten)]
    output: SweepOutputArgs,

    #[command(flatten)]
    benchmark: BenchmarkArgs,
}

/// Which addresses, and when measuring stops.
#[derive(Debug, Args)]
#[command(next_help_heading = "Measuring")]
struct MeasuringArgs {
    /// Bytes that the function's start goes through [default: 128; with --inside 64]
    #[arg(long, value_name = "BYTES")]
    range: Option<u64>,

    /// Bytes from one start to the next [default: 1; with --against 16]
    #[arg(long, value_name = "BYTES")]
    step: Option<u64>,

    /// Only these starts, of which the lowest twelve bits count: 0x180,0x190
    #[arg(long, value_name = "ADDRESS", value_delimiter = ',', value_parser = address, conflicts_with_all = ["range", "step"])]
    at: Vec<u64>,

    /// Half the width of each address's own 95 % interval
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = share)]
    precision: f64,

    /// Most time to spend; the same command with a larger one goes on
    #[arg(long, value_name = "TIME", value_parser = duration)]
    budget: Option<Duration>,

    /// Fewest and most blocks of each address
    #[arg(long, value_name = "MIN..MAX", default_value = "8..60", value_parser = crate::arguments::blocks)]
    blocks: (u32, u32),

    /// Repeat the draws of an earlier sweep [default: a fresh seed, recorded]
    #[arg(long, value_name = "SEED", value_parser = seed)]
    seed: Option<u64>,

    /// Begin anew even where the same command was interrupted
    #[arg(long)]
    fresh: bool,
}

/// What is shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
struct SweepOutputArgs {
    /// Print JSON, with every run
    #[arg(long, conflicts_with = "csv")]
    json: bool,

    /// Print every run as CSV
    #[arg(long)]
    csv: bool,

    #[command(flatten)]
    plot: PlotArgs,
}

/// Blocks in which the extremes are measured afresh.
const AFRESH: u32 = 12;

pub(crate) fn run(args: &SweepArgs, context: &Context) -> anyhow::Result<Exit> {
    if args.schema {
        return console::print_schema("sweep");
    }
    args.output.plot.check()?;
    let recorded = match &args.show {
        Some(id) => Store::open(&context.folder)?.load_sweep(id)?,
        None => measured(args, context)?,
    };
    show(&recorded, &args.output, context)?;
    args.output
        .plot
        .write(|format, theme| sweep::picture(&recorded, format, theme))?;
    Ok(Exit::Done)
}

fn measured(args: &SweepArgs, context: &Context) -> anyhow::Result<RecordedSweep> {
    context.catch_signals()?;
    subject::check_command(&args.benchmark)?;
    unread::say_input(&args.benchmark);
    let build = args.build.clone().unwrap_or_default();
    let subject = subject::find(&build, args.benchmark.image.as_deref(), context)?;
    let measuring = &args.measuring;
    let budget = measuring.budget.map(|budget| budget.as_millis());
    let request = SweepRequest {
        subject,
        functions: args.function.clone(),
        against: args.against.clone(),
        benchmark: args.benchmark.record()?,
        design: SweepDesign {
            range: measuring
                .range
                .unwrap_or(if args.inside.is_some() { 64 } else { 128 }),
            step: measuring
                .step
                .unwrap_or(if args.against.is_empty() { 1 } else { 16 }),
            at: measuring.at.clone(),
            inside: args.inside,
            precision: measuring.precision,
            confidence: 0.95,
            min_blocks: measuring.blocks.0,
            max_blocks: measuring.blocks.1,
            afresh: AFRESH,
            budget_ms: budget.map(|budget| u64::try_from(budget).unwrap_or(u64::MAX)),
            seed: 0,
        },
        seed: measuring.seed,
        resume: !measuring.fresh,
    };
    let (store, id) = context
        .measure(|laboratory, progress| proofmark_lab::run_sweep(laboratory, &request, progress))?;
    Ok(store.load_sweep(id.as_str())?)
}

fn show(
    recorded: &RecordedSweep,
    output: &SweepOutputArgs,
    context: &Context,
) -> anyhow::Result<()> {
    if output.json {
        return console::print_json(&sweep::json(recorded));
    }
    if output.csv {
        let mut text = Vec::new();
        sweep::csv(recorded, &mut text)?;
        return console::print(&String::from_utf8_lossy(&text));
    }
    console::print(&sweep::terminal(recorded, &context.style))
}

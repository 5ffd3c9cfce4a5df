//! `proofmark history import`: histories that other tools recorded.

use std::path::PathBuf;

use clap::Args;
use proofmark_conclude::history::{Series, conclude_history};
use proofmark_report::history::{Histories, json, picture, terminal};

use crate::arguments::{PlotArgs, share};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `history import`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark history import nightly.csv
  proofmark history import .asv/results --metric 'time_insert*' --plot insert.svg
  proofmark history import pyperf-results/ --json

docs/history.md says what is read and what is promised.")]
pub(super) struct ImportArgs {
    /// A file of CSV, a folder of asv's results, or a folder or file of pyperf's JSON
    #[arg(value_name = "PATH")]
    path: PathBuf,

    /// Only these metrics: a name, a name with * and ?, or a /regular expression/
    #[arg(short, long, value_name = "PATTERN")]
    metric: Vec<String>,

    /// Count smaller changes, and do not list them
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = share)]
    margin: f64,

    /// Print JSON, with every value
    #[arg(long, help_heading = "Output")]
    json: bool,

    #[command(flatten)]
    plot: PlotArgs,
}

pub(super) fn run(args: &ImportArgs, context: &Context) -> anyhow::Result<Exit> {
    args.plot.check()?;
    let series = chosen(proofmark_foreign::read(&args.path)?, args)?;
    let found = series.into_iter().filter_map(|one| {
        let found = conclude_history(&one)?;
        Some((one, found))
    });
    let found: Vec<_> = found.collect();
    let histories = Histories {
        series: &found,
        margin: args.margin,
    };
    if args.json {
        console::print_json(&json(&histories))?;
    } else {
        console::print(&terminal(&histories, &context.style))?;
    }
    args.plot
        .write(|format, theme| picture(&histories, format, theme))?;
    Ok(Exit::Done)
}

/// The metrics that were asked for.
fn chosen(mut all: Vec<Series>, args: &ImportArgs) -> Result<Vec<Series>, Usage> {
    let parse = |text: &String| {
        proofmark_code::Pattern::parse(text).map_err(|error| Usage(error.to_string()))
    };
    let patterns = args
        .metric
        .iter()
        .map(parse)
        .collect::<Result<Vec<_>, _>>()?;
    if patterns.is_empty() {
        return Ok(all);
    }
    let names: Vec<String> = all.iter().map(|one| one.name.clone()).collect();
    all.retain(|one| {
        patterns
            .iter()
            .any(|pattern| pattern.matches_symbol(&one.name))
    });
    if all.is_empty() {
        return Err(Usage(format!(
            "no metric of {} is called so; there is {}",
            args.path.display(),
            names.join(", ")
        )));
    }
    Ok(all)
}

//! `proofmark history show`: series that were measured, again.

use clap::Args;
use proofmark_evidence::{RecordedSeries, Store};
use proofmark_report::series::{Shown, json, markdown, picture, terminal};
use proofmark_stats::Margin;

use crate::arguments::{FormatArg, PlotArgs, share};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `history show`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark history show
  proofmark history show fib --format markdown
  proofmark history show fib --plot fib.svg")]
pub(super) struct ShowArgs {
    /// A benchmark by its name, or a series by its name in the store, the beginning of that, or
    /// `latest` [default: every benchmark's last series]
    #[arg(value_name = "SERIES")]
    series: Option<String>,

    /// Levels that differ by less than this count as one [default: what the series was begun with]
    #[arg(long, value_name = "SHARE", value_parser = share, allow_hyphen_values = true)]
    margin: Option<f64>,

    #[command(flatten)]
    view: ViewArgs,
}

/// How series are shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct ViewArgs {
    /// How to show the result
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = formats())]
    format: FormatArg,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,

    /// Print the JSON Schema of --json
    #[arg(long)]
    pub(super) schema: bool,

    #[command(flatten)]
    plot: PlotArgs,
}

/// Those formats that a series has.
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

impl ViewArgs {
    /// Refuses what cannot be drawn, before anything is measured.
    pub(super) fn check(&self) -> Result<(), Usage> {
        self.plot.check()
    }
}

pub(super) fn run(args: &ShowArgs, context: &Context) -> anyhow::Result<Exit> {
    if args.view.schema {
        return console::print_schema("series");
    }
    args.view.check()?;
    let store = Store::open(&context.folder)?;
    let series = match &args.series {
        None => all(&store)?,
        Some(asked) => vec![named(&store, asked)?],
    };
    let shown = series.into_iter().map(|recorded| {
        let own = recorded.series.design.margin;
        Shown {
            margin: args.margin.and_then(Margin::from_relative).unwrap_or(own),
            recorded,
        }
    });
    show(&shown.collect::<Vec<Shown>>(), &args.view, context)
}

/// Shows series as they were asked for.
pub(super) fn show(series: &[Shown], view: &ViewArgs, context: &Context) -> anyhow::Result<Exit> {
    let format = if view.json {
        FormatArg::Json
    } else {
        view.format
    };
    match format {
        FormatArg::Json => console::print_json(&json(series))?,
        FormatArg::Markdown => console::print(&markdown(series))?,
        FormatArg::Text | FormatArg::Comment | FormatArg::Csv => {
            console::print(&terminal(series, &context.style))?;
        }
    }
    view.plot
        .write(|format, theme| picture(series, format, theme))?;
    Ok(Exit::Done)
}

/// Every benchmark's last series, in the order of their names.
fn all(store: &Store) -> anyhow::Result<Vec<RecordedSeries>> {
    let mut all = store.all_series()?;
    // The last one stands first.
    all.sort_by(|one, other| one.series.name.cmp(&other.series.name));
    all.dedup_by(|one, other| one.series.name == other.series.name);
    if all.is_empty() {
        return Err(Usage(
            "no series is measured here yet; `proofmark history run` makes one".to_owned(),
        )
        .into());
    }
    Ok(all)
}

/// The last series of a benchmark, or a series by its name.
fn named(store: &Store, asked: &str) -> anyhow::Result<RecordedSeries> {
    let all = store.all_series()?;
    let of_benchmark = all.into_iter().find(|one| one.series.name == asked);
    match of_benchmark {
        Some(found) => Ok(found),
        None => Ok(store.load_series(asked)?),
    }
}

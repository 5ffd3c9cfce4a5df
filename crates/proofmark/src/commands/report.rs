//! `proofmark report`: any past comparison again, and how the commands that measure show theirs.

use clap::Args;
use proofmark_evidence::{Recorded, Store};
use proofmark_report::{experiment, experiments};

use super::comment::{self, CommentArgs};
use super::in_bundle;
use crate::arguments::{FormatArg, OutputArgs};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The experiment, or the beginning of its id; with --format comment a matrix or a ledger as
    /// well [default: the latest]
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// List all experiments, sweeps, attributions and explanations
    #[arg(long, conflicts_with = "id")]
    list: bool,

    /// Print the JSON Schema of --format json
    #[arg(long, conflicts_with_all = ["id", "list"])]
    schema: bool,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    comment: CommentArgs,
}

pub(crate) fn run(args: &ReportArgs, context: &Context) -> anyhow::Result<Exit> {
    if args.schema {
        return console::print_schema("experiment");
    }
    args.comment.check(args.output.format())?;
    if args.output.format() == FormatArg::Comment && !args.list {
        comment::print(args.id.as_deref(), &args.comment, context)?;
        return Ok(Exit::Done);
    }
    let store = Store::open(&context.folder)?;
    if args.list {
        list(&store, args.output.format(), context)?;
        return Ok(Exit::Done);
    }
    let recorded = match &args.id {
        Some(id) => store.load(id)?,
        None if context.folder.is_file() => store.load(&in_bundle::experiment(context, &store)?)?,
        None => store.load("latest")?,
    };
    show(&recorded, &args.output, context)?;
    Ok(Exit::Done)
}

/// Lists experiments as asked.
fn list(store: &Store, format: FormatArg, context: &Context) -> anyhow::Result<()> {
    let (all, sweeps, attributions) = (store.list()?, store.sweeps()?, store.attributions()?);
    let listed = experiments::Listed {
        experiments: &all,
        sweeps: &sweeps,
        attributions: &attributions,
        explanations: &store.explanations()?,
    };
    match format {
        FormatArg::Text => console::print(&experiments::terminal(&listed, &context.style)),
        FormatArg::Json => console::print_json(&experiments::json(&listed)),
        FormatArg::Markdown | FormatArg::Comment | FormatArg::Csv => Err(Usage(
            "a list of experiments is text or JSON; name one for another format".to_owned(),
        )
        .into()),
    }
}

/// Shows a recorded experiment as asked.
pub(crate) fn show(
    recorded: &Recorded,
    output: &OutputArgs,
    context: &Context,
) -> anyhow::Result<()> {
    match output.format() {
        FormatArg::Text => console::print(&experiment::terminal(recorded, &context.style)),
        FormatArg::Markdown => console::print(&experiment::markdown(recorded)),
        FormatArg::Comment => {
            let id = Some(recorded.id.as_str());
            comment::print(id, &CommentArgs::default(), context)
        }
        FormatArg::Json => console::print_json(&experiment::json(recorded)),
        FormatArg::Csv => {
            let mut text = Vec::new();
            experiment::csv(recorded, &mut text)?;
            console::print(&String::from_utf8_lossy(&text))
        }
    }
}

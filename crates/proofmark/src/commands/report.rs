//! `proofmark report`: any past comparison again, and how the commands that measure show theirs.

use clap::{Args, ValueEnum};
use proofmark_evidence::{Recorded, Store};
use proofmark_report::{Gate, GateOutcome};

use crate::context::{self, Context};
use crate::exit::Exit;

/// How a result is shown.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// How to show the result
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: FormatArg,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// How a result is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    /// For the terminal
    Text,
    /// For a pull request
    Markdown,
    /// For programs; the schema is printed by `proofmark report --schema`
    Json,
    /// The raw samples, a row for each run
    Csv,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    /// The experiment, or the beginning of its id [default: the latest]
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// List all experiments
    #[arg(long, conflicts_with = "id")]
    list: bool,

    /// Print the JSON Schema of --format json
    #[arg(long, conflicts_with_all = ["id", "list"])]
    schema: bool,

    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &ReportArgs, context: &Context) -> anyhow::Result<Exit> {
    if args.schema {
        context::print_json(&proofmark_report::json_schema())?;
        return Ok(Exit::Done);
    }
    let store = Store::open_existing(&context.folder)?;
    if args.list {
        context::print(&proofmark_report::summaries(&store.list()?, &context.style))?;
        return Ok(Exit::Done);
    }
    let recorded = match &args.id {
        Some(id) => store.load(id)?,
        None => store.load("latest")?,
    };
    show(&recorded, &args.output, context)?;
    Ok(Exit::Done)
}

/// Shows a recorded experiment as asked.
pub(crate) fn show(
    recorded: &Recorded,
    output: &OutputArgs,
    context: &Context,
) -> anyhow::Result<()> {
    let format = if output.json {
        FormatArg::Json
    } else {
        output.format
    };
    match format {
        FormatArg::Text => context::print(&proofmark_report::terminal(recorded, &context.style)),
        FormatArg::Markdown => context::print(&proofmark_report::markdown(recorded)),
        FormatArg::Json => context::print_json(&proofmark_report::json(recorded)),
        FormatArg::Csv => {
            let mut text = Vec::new();
            proofmark_report::csv(recorded, &mut text)?;
            context::print(&String::from_utf8_lossy(&text))
        }
    }
}

/// Judges every comparison by every gate; says which failed. A build of which nobody knows whether
/// it did the work passes none.
pub(crate) fn judge(recorded: &Recorded, gates: &[&Gate], expect_large: bool) -> Exit {
    let better = proofmark_conclude::better(&recorded.experiment.benchmark.metric);
    let mut exit = Exit::Done;
    let doubt = recorded
        .conclusion
        .iter()
        .flat_map(|conclusion| &conclusion.warnings)
        .find(|warning| warning.code == proofmark_lab::WORK_IN_DOUBT);
    if let Some(doubt) = doubt.filter(|_| !gates.is_empty() && !expect_large) {
        exit = Exit::Failed;
        context::say(&format!("proofmark: no gate passes: {}", doubt.found));
        context::say("  next: look at what it does; if the work was done, --expect-large");
    }
    for gate in gates {
        for comparison in recorded
            .conclusion
            .iter()
            .flat_map(|conclusion| &conclusion.comparisons)
        {
            if let GateOutcome::Failed { why } = gate.judge(comparison, better) {
                exit = Exit::Failed;
                context::say(&format!("proofmark: {why}"));
            }
        }
    }
    exit
}

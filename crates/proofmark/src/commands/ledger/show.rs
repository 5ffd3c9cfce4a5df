//! `ledger show`: the ledger for a terminal, as a diary, or for programs.

use clap::{Args, ValueEnum};
use proofmark_conclude::ledger::budget_of;
use proofmark_evidence::{RecordedLedger, Store};
use proofmark_lab::book_of;
use proofmark_report::ledger::{LedgerView, csv, json, markdown, terminal};

use crate::commands::project::{self, ProjectArgs};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `ledger show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The ledger's id in the store, or the beginning of it [default: that of the project's file]
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// Print the JSON Schema of --json
    #[arg(long, conflicts_with = "id")]
    pub(super) schema: bool,

    #[command(flatten)]
    format: FormatArgs,
}

/// How a ledger is shown.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct FormatArgs {
    /// How to show it
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Show each group and each benchmark too
    #[arg(long)]
    full: bool,
}

/// How a ledger is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For the terminal
    Text,
    /// A diary with its tables
    Markdown,
    /// For programs; the schema is printed by `proofmark ledger show --schema`
    Json,
    /// One row a figure
    Csv,
}

impl FormatArgs {
    /// The format; `--json` is short for one of them.
    pub(crate) fn of(self, json: bool) -> FormatArgs {
        let format = if json { Format::Json } else { self.format };
        FormatArgs { format, ..self }
    }
}

pub(super) fn run(
    args: &ShowArgs,
    file: &ProjectArgs,
    as_json: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    let store = Store::open(&context.folder)?;
    let book = match (&args.id, project::look(file)?) {
        (Some(id), _) => store.load_ledger(id)?,
        (None, None) => store.load_ledger("latest")?,
        // A bundle has ledgers by their records: what a project calls its own is private there.
        (None, Some(_)) if context.folder.is_file() => store.load_ledger("latest")?,
        (None, Some(project)) => {
            let name = project.ledger_name();
            book_of(&store, &name)?.ok_or_else(|| no_ledger(&name, context))?
        }
    };
    print(&book, args.format.of(as_json), context)?;
    Ok(Exit::Done)
}

/// That a project has no ledger yet.
pub(super) fn no_ledger(name: &str, context: &Context) -> Usage {
    Usage(format!(
        "there is no ledger `{name}` in {}\n  next: `proofmark ledger run` begins it",
        context.folder.display()
    ))
}

/// Shows a ledger as asked.
pub(crate) fn print(
    book: &RecordedLedger,
    how: FormatArgs,
    context: &Context,
) -> anyhow::Result<()> {
    let budget = budget_of(book.ledger.rate, &book.entries)?;
    let view = LedgerView {
        recorded: book,
        left: budget.left(),
        next_level: budget.next_level(),
        asked: budget.asked(),
        findings: budget.findings(),
    };
    match how.format {
        Format::Text => console::print(&terminal(&view, how.full, &context.style)),
        Format::Markdown => console::print(&markdown(&view)),
        Format::Json => console::print_json(&json(&view)),
        Format::Csv => {
            let mut text = Vec::new();
            csv(&view, &mut text)?;
            console::print(&String::from_utf8_lossy(&text))
        }
    }
}

//! `ledger decide`: what becomes of an idea, and why.

use clap::{Args, ValueEnum};
use proofmark_evidence::record::{Decision, LedgerEvent};
use proofmark_evidence::{LockedStore, RecordedLedger, Store};
use proofmark_lab::{book_of, decide};
use proofmark_project::Project;
use proofmark_report::ledger::{LedgerView, json};

use super::show::no_ledger;
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `ledger decide`.
#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// The idea: NAME, or NAME.CANDIDATE
    #[arg(value_name = "NAME")]
    idea: String,

    /// What becomes of it
    #[arg(value_name = "DECISION")]
    decision: DecisionArg,

    /// Why, in words that stay
    #[arg(long, value_name = "REASON", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    because: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DecisionArg {
    /// It stays
    Keep,
    /// It goes, and its numbers stay; `ledger run` leaves it out where it is not named
    Drop,
    /// It is to be measured again
    Again,
}

impl From<DecisionArg> for Decision {
    fn from(arg: DecisionArg) -> Self {
        match arg {
            DecisionArg::Keep => Decision::Keep,
            DecisionArg::Drop => Decision::Drop,
            DecisionArg::Again => Decision::Again,
        }
    }
}

pub(super) fn run(
    args: &DecideArgs,
    project: &Project,
    as_json: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    let name = project.ledger_name();
    // Where there is no store none is made.
    let book = book_of(&Store::open(&context.folder)?, &name)?;
    let book = book.ok_or_else(|| no_ledger(&name, context))?;
    let idea = idea(&args.idea, project, &book)?;
    let mut store = LockedStore::open(&context.folder)?;
    // Another process may have added to it meanwhile.
    let mut book = store.load_ledger(book.id.as_str())?;
    decide(
        &mut store,
        &mut book,
        &idea,
        args.decision.into(),
        &args.because,
    )?;
    if as_json {
        let budget = proofmark_conclude::ledger::budget_of(book.ledger.rate, &book.entries)?;
        console::print_json(&json(&LedgerView {
            recorded: &book,
            left: budget.left(),
            next_level: budget.next_level(),
            asked: budget.asked(),
            findings: budget.findings(),
        }))?;
    } else {
        console::print(&format!(
            "{idea}: written down; `proofmark ledger show` shows it\n"
        ))?;
    }
    Ok(Exit::Done)
}

/// An idea of the file, or one that was measured and is not in it any more.
fn idea(asked: &str, project: &Project, book: &RecordedLedger) -> Result<String, Usage> {
    let measured = book.entries.iter().any(|entry| match &entry.of {
        LedgerEvent::Measured { run } => run.asked.ideas.iter().any(|idea| idea.name == asked),
        _ => false,
    });
    if measured {
        return Ok(asked.to_owned());
    }
    let found = project.ideas.named(asked);
    let at = found.map_err(|problem| Usage(problem.to_string()))?;
    Ok(project.ideas.all[at].name.clone())
}

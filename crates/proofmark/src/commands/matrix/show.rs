//! `matrix show`: a measured matrix again, against any baseline.

use std::path::Path;

use clap::{Args, ValueEnum};
use proofmark_evidence::Store;
use proofmark_lab::MatrixUnderWay;
use proofmark_project::cell_named;
use proofmark_report::matrix::{MatrixView, json, markdown, terminal};
use proofmark_terms::CellIndex;

use super::asked;
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `matrix show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The matrix, or the beginning of its id [default: the one that this file asked for last]
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// Every benchmark against this cell, with its intervals; any cell may be the baseline
    #[arg(long, value_name = "CELL")]
    baseline: Option<String>,

    /// Print the JSON Schema of --json
    #[arg(long, conflicts_with_all = ["id", "baseline"])]
    schema: bool,

    #[command(flatten)]
    format: FormatArgs,
}

/// How a matrix is shown.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct FormatArgs {
    /// How to show the result
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// How a matrix is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For the terminal
    Text,
    /// For a pull request
    Markdown,
    /// For programs; the schema is printed by `proofmark matrix show --schema`
    Json,
}

impl FormatArgs {
    /// The format; `--json` is short for one of them.
    pub(super) fn of(self, json: bool) -> Format {
        if json { Format::Json } else { self.format }
    }
}

pub(super) fn run(
    args: &ShowArgs,
    file: Option<&Path>,
    as_json: bool,
    context: &Context,
) -> anyhow::Result<Exit> {
    if args.schema {
        return console::print_schema("matrix");
    }
    let store = Store::open(&context.folder)?;
    let asked = match (&args.id, file) {
        (Some(id), _) => id.clone(),
        (None, Some(file)) => {
            let last = asked::last(context, file, &store)?;
            if last.has_changed {
                console::say(&format!(
                    "proofmark: {} was changed since it asked for this matrix: the answer is to \
                     what it said then; `proofmark matrix run` measures what it says now",
                    file.display()
                ));
            }
            last.id
        }
        (None, None) => "latest".to_owned(),
    };
    let matrix = proofmark_lab::load_matrix(&store, &asked)?;
    print(
        matrix,
        args.baseline.as_deref(),
        args.format.of(as_json),
        context,
    )?;
    Ok(Exit::Done)
}

/// Shows a matrix as asked.
pub(super) fn print(
    mut matrix: MatrixUnderWay,
    baseline: Option<&str>,
    format: Format,
    context: &Context,
) -> anyhow::Result<()> {
    let Some(mut conclusion) = matrix.conclusion.take() else {
        return Err(Usage(format!(
            "matrix {} is unfinished: `proofmark matrix run` goes on with it",
            matrix.id.short()
        ))
        .into());
    };
    let baseline = baseline.map(|name| cell(&matrix, name)).transpose()?;
    if let Some(cell) = baseline {
        // Any cell can be the yardstick: all were measured in the same blocks.
        conclusion = proofmark_conclude::against_cell(&matrix.evidence(), conclusion, cell)?;
    }
    let warned = proofmark_conclude::members_warned_of(&matrix.evidence(), &conclusion)?;
    let members = matrix.members.iter();
    let shown = MatrixView {
        id: &matrix.id,
        run: &matrix.run,
        experiments: members.map(|member| &member.under_way.experiment).collect(),
        conclusion: &conclusion,
        warned: &warned,
        private: matrix.private,
    };
    match format {
        Format::Text => console::print(&terminal(&shown, baseline, &context.style)),
        Format::Markdown => console::print(&markdown(&shown, baseline)),
        Format::Json => console::print_json(&json(&shown)),
    }
}

/// The cell of this name, its words in any order where only one has them.
fn cell(matrix: &MatrixUnderWay, name: &str) -> Result<CellIndex, Usage> {
    let names: Vec<&str> = matrix.run.cells.iter().map(String::as_str).collect();
    let at = cell_named(&names, name).map_err(|problem| Usage(problem.to_string()))?;
    Ok(CellIndex::at(at))
}

//! `proofmark verify`: evidence of others, checked without trusting any of it.

use std::path::PathBuf;

use clap::Args;
use proofmark_conclude::verify::verify;
use proofmark_evidence::Store;
use proofmark_evidence::bundle::Content;
use proofmark_report::verification::{Verified, json, terminal};

use crate::console;
use crate::context::Context;
use crate::exit::Exit;

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = "Example: proofmark verify faster.pmb\n\n\
        Nothing is run, built or fetched. Exit codes: 0 as claimed; 1 something comes out\n\
        otherwise; 5 the file is damaged.")]
pub(crate) struct VerifyArgs {
    /// The bundle [default: the evidence of this project]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print the JSON Schema of --json
    #[arg(long)]
    schema: bool,
}

pub(crate) fn run(args: &VerifyArgs, context: &Context) -> anyhow::Result<Exit> {
    if args.schema {
        return console::print_schema("verification");
    }
    let (store, name, digest) = match &args.file {
        Some(file) => {
            let digest = Content::read(file)?.digest();
            let name = file.file_name().unwrap_or(file.as_os_str());
            let name = name.display().to_string();
            (Store::open_bundle(file)?, name, Some(digest.to_string()))
        }
        None => {
            let store = Store::open(&context.folder)?;
            (store, "this project's evidence".to_owned(), None)
        }
    };
    let found = verify(&store)?;
    let verified = Verified {
        name: &name,
        digest: digest.as_deref(),
        found: &found,
        experiments: &store.list()?,
    };
    if args.json {
        console::print_json(&json(&verified))?;
    } else {
        console::print(&terminal(&verified, &context.style))?;
    }
    Ok(if found.holds() {
        Exit::Done
    } else {
        Exit::Failed
    })
}

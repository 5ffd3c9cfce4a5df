//! `proofmark verify`: evidence of others, checked without trusting any of it.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use proofmark_conclude::verify::verify;
use proofmark_evidence::Store;
use proofmark_evidence::bundle::{Content, SignatureError, signature_of, signed};
use proofmark_report::verification::{Signature, Verified, json, terminal};

use crate::console;
use crate::context::Context;
use crate::exit::Exit;

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(after_help = "Example: proofmark verify faster.pmb\n\n\
        Nothing is run, built or fetched. Exit codes: 0 as claimed; 1 something comes out\n\
        otherwise, the file claims nothing, or nobody signed it who may; 5 the file or its\n\
        signature is damaged, or what it was made for is of a later version.")]
pub(crate) struct VerifyArgs {
    /// The bundle [default: the evidence of this project]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Also check that one of these signed it: a list as `ssh-keygen -Y verify` takes it
    #[arg(long, value_name = "SIGNERS", requires = "file")]
    allowed_signers: Option<PathBuf>,

    /// The signature [default: FILE.sig]
    #[arg(long, value_name = "SIG", requires = "allowed_signers")]
    signature: Option<PathBuf>,

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
    let mut signature = Signature::None;
    let mut enclosed = None;
    let mut asked = Vec::new();
    let (store, name, digest) = match &args.file {
        Some(file) => {
            let content = Content::read(file)?;
            signature = of(&content, file, args)?;
            let digest = content.digest();
            asked.clone_from(&content.manifest().asked);
            let enclosures = content.enclosures().clone();
            drop(content);
            let name = file.file_name().unwrap_or(file.as_os_str());
            let name = name.display().to_string();
            let store = Store::open_bundle(file)?;
            if !enclosures.is_empty() {
                enclosed = Some(proofmark_lab::check_enclosed(&store, &enclosures)?);
            }
            (store, name, Some(digest.to_string()))
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
        signature: &signature,
        found: &found,
        asked: &asked,
        experiments: &store.list()?,
        enclosed: enclosed.as_ref(),
    };
    if args.json {
        console::print_json(&json(&verified))?;
    } else {
        console::print(&terminal(&verified, &context.style))?;
    }
    // A file that claims nothing shows nothing; a store may well have nothing finished yet.
    let shows_nothing = args.file.is_some() && !found.claims();
    Ok(match () {
        () if !found.holds() => Exit::Failed,
        () if verified.is_unread() => Exit::Damaged,
        () if shows_nothing => Exit::Failed,
        () => Exit::Done,
    })
}

/// Who signed a bundle, where that was asked.
fn of(content: &Content, file: &Path, args: &VerifyArgs) -> Result<Signature, SignatureError> {
    let beside = signature_of(file);
    let Some(signers) = &args.allowed_signers else {
        return Ok(match beside.exists() {
            true => Signature::NotChecked,
            false => Signature::None,
        });
    };
    let path = args.signature.as_ref().unwrap_or(&beside);
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_secs());
    signed(content.text(), path, signers, now).map(Signature::By)
}

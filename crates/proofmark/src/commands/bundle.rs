//! `proofmark bundle`: evidence in one file, for others.

use std::path::PathBuf;

use clap::Args;
use proofmark_evidence::bundle::{Packed, Packing, signature_of};
use proofmark_evidence::{Bundled, Store};
use proofmark_lab::{Enclose, EnclosedBuilds, enclosed};
use proofmark_report::bundle::{BundleView, BundledView, json, terminal};

use super::sign;
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};
use crate::shown;

/// Arguments of `bundle`.
#[derive(Debug, Args)]
#[command(after_help = "Example: proofmark bundle latest -o faster.pmb\n\n\
        The file holds every raw sample, and what was concluded from them. Others check it with\n\
        `proofmark verify FILE`; every command that shows evidence reads it by `--store FILE`.")]
pub(crate) struct BundleArgs {
    /// Experiments, matrices, ledgers, sweeps, bisections, attributions or series: their ids, or
    /// the beginnings of them; `latest` is the last experiment. What they refer to goes in as well
    #[arg(value_name = "ID", required_unless_present = "schema")]
    ids: Vec<String>,

    /// The file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Only show what would go in
    #[arg(long, conflicts_with = "output")]
    list: bool,

    /// Put in names of persons, machines and places, and values of variables as well
    #[arg(long)]
    private: bool,

    /// Put in what looks like a key or a password
    #[arg(long)]
    with_secrets: bool,

    /// Put in the executables of the builds, and the libraries of their own, as shipped. What they
    /// say of where they were made is shown, and stays in them
    #[arg(long)]
    images: bool,

    /// Put in what captured builds are linked again from as well, so that others can draw new
    /// layouts
    #[arg(long)]
    objects: bool,

    /// Sign it with this key of SSH, by `ssh-keygen`; the signature goes into FILE.sig. A public
    /// key stands for the private one that an agent has
    #[arg(long, value_name = "KEY", requires = "output")]
    sign: Option<PathBuf>,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print the JSON Schema of --json
    #[arg(long)]
    schema: bool,
}

pub(crate) fn run(args: &BundleArgs, context: &Context) -> anyhow::Result<Exit> {
    if args.schema {
        return console::print_schema("bundle");
    }
    if args.output.is_none() && !args.list {
        return Err(Usage(
            "name the file with `-o FILE.pmb`, or give `--list` to see what would go in".to_owned(),
        )
        .into());
    }
    let store = Store::open(&context.folder)?;
    let bundled = store.bundled(&args.ids)?;
    let packing = Packing {
        private: args.private,
        secrets: args.with_secrets,
    };
    let files = files(args, &store, &bundled, context)?;
    let version = env!("CARGO_PKG_VERSION");
    let packed = Packed::enclosing(&store, &bundled, packing, version, &files.enclosing)?;
    let signature = args.sign.as_deref();
    let signature = signature.map(|key| sign::signature(packed.text(), key));
    let signature = signature.transpose()?;
    let mut signed = None;
    let file_bytes = match &args.output {
        Some(file) => {
            let bytes = packed.write(file)?;
            if let Some(signature) = &signature {
                let path = signature_of(file);
                sign::write(signature, &path)?;
                signed = Some(path.display().to_string());
            }
            Some(bytes)
        }
        None => None,
    };
    let view = BundleView {
        file: args.output.as_ref().map(|file| file.display().to_string()),
        file_bytes,
        signature: signed,
        bytes: packed.bytes(),
        digest: packed.digest().to_string(),
        records: packed.manifest().records,
        private: packed.manifest().private,
        chains: bundled.chains.iter().map(BundledView::of).collect(),
        enclosed_bytes: packed.file_bytes(),
        images: files.images.iter().map(shown::enclosed::image).collect(),
        captures: files.objects.iter().map(shown::enclosed::objects).collect(),
    };
    if args.json {
        console::print_json(&json(&view))?;
    } else {
        console::print(&terminal(&view, &context.style))?;
    }
    Ok(Exit::Done)
}

/// The files of builds that go in.
fn files(
    args: &BundleArgs,
    store: &Store,
    bundled: &Bundled,
    context: &Context,
) -> anyhow::Result<EnclosedBuilds> {
    let what = match (args.images, args.objects) {
        (_, true) => Enclose::Objects,
        (true, false) => Enclose::Images,
        (false, false) => return Ok(EnclosedBuilds::default()),
    };
    if context.folder.is_file() {
        return Err(Usage(format!(
            "{} is a bundle, and images are taken from the store of a project: give the command \
             where the builds are, or leave out --images and --objects",
            context.folder.display()
        ))
        .into());
    }
    Ok(enclosed(store, bundled, &*context.builds()?, what)?)
}

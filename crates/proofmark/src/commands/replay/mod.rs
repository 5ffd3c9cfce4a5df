//! `proofmark replay`: evidence of others, measured again on this machine.

mod again;
mod images;
mod inside;
mod plan;
mod taken_in;
mod tools;

use std::path::PathBuf;

use clap::Args;
use proofmark_evidence::Store;
use proofmark_evidence::bundle::Content;
use proofmark_report::replay::{plan_json, plan_terminal};

use crate::arguments::LimitArgs;
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  proofmark replay faster.pmb
  proofmark replay faster.pmb --run --repository https://example.org/project.git
  proofmark replay faster.pmb --run --run-images

Without --run nothing is fetched, built or run. With it, code of somebody else's is, in a sandbox
without network and home. Images that came with the bundle are run with --run-images alone.
Exit codes: 0 both machines agree; 1 they do not, or it stays undecided.")]
pub(crate) struct ReplayArgs {
    /// The bundle
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    file: Option<PathBuf>,

    /// The experiment in it, or the beginning of its id [default: the only one]
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// Fetch, build and run it; without this only the plan is shown
    #[arg(long)]
    run: bool,

    /// Take the builds from the bundle, where it encloses images, in place of building them
    #[arg(long)]
    run_images: bool,

    /// Where the revisions are: a folder of this machine, https://…, ssh://… or user@host:path.
    /// With --run-images it is needed for the files that runs read, where they read some
    #[arg(long, value_name = "URL|FOLDER")]
    repository: Option<String>,

    /// A folder that builds and runs may read as well, at its own path, such as that of a compiler;
    /// what lies in its `bin` is found first
    #[arg(long, value_name = "DIR")]
    show: Vec<PathBuf>,

    #[command(flatten)]
    limits: LimitArgs,

    /// Print one JSON document
    #[arg(long)]
    json: bool,

    /// Print the JSON Schema of --json: of the plan, or with --run of the result
    #[arg(long, conflicts_with_all = ["file", "id", "repository"])]
    schema: bool,

    /// What is done in the sandbox
    #[arg(long, hide = true, conflicts_with_all = ["run", "repository", "json"])]
    inside: bool,
}

pub(crate) fn run(args: &ReplayArgs, context: &Context) -> anyhow::Result<Exit> {
    let Some(file) = &args.file else {
        return console::print_schema("replay-plan");
    };
    if args.inside {
        return inside::run(file, args.id.as_deref(), args.run_images, context);
    }
    context.catch_signals()?;
    let content = Content::read(file)?;
    let bundle = content.digest();
    let enclosures = content.enclosures().clone();
    drop(content);
    let store = Store::open_bundle(file)?;
    let recorded = plan::chosen(&store, args.id.as_deref())?;
    let shown = plan::shown(&args.show)?;
    let mut plan = plan::of(&recorded, file, &bundle, (&shown, &args.limits))?;
    plan.images = plan::images(&recorded, &enclosures, args.run_images);
    if let Some(images) = plan.images.as_ref().filter(|images| images.run) {
        // Nothing is compiled.
        plan.tools
            .retain(|tool| images.drawn && tool.role == "linker");
    }
    if !args.run {
        if args.json {
            console::print_json(&plan_json(&plan))?;
        } else {
            console::print(&plan_terminal(&plan, &context.style))?;
        }
        return Ok(Exit::Done);
    }
    plan::refuse(&plan)?;
    if args.run_images {
        // Nothing of it is used before all of it was read.
        proofmark_lab::check_enclosed(&store, &enclosures)?;
    } else if args.repository.is_none() {
        return Err(Usage(
            "the builds are made of revisions: name the repository that has them with --repository"
                .to_owned(),
        )
        .into());
    }
    let asked = again::Asked {
        file,
        bundle: &bundle,
        recorded: &recorded,
        images: args.run_images.then_some(&enclosures),
        repository: args.repository.as_deref(),
        shown: &shown,
        limits: &args.limits,
    };
    match again::measured(&asked, context)? {
        Ok(result) => taken_in::shown(&result, &asked, args.json, context),
        Err(exit) => Ok(exit),
    }
}

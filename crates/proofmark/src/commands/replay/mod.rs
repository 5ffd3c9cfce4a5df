//! `proofmark replay`: evidence of others, measured again on this machine.

mod again;
mod cells;
mod chosen;
mod images;
mod inside;
mod plan;
mod sources;
mod taken_in;
mod tools;
mod whole;

use std::path::{Path, PathBuf};

use clap::Args;
use proofmark_conclude::again::to_the_end;
use proofmark_evidence::bundle::{Content, Enclosures};
use proofmark_evidence::record::Experiment;
use proofmark_evidence::{Recorded, Store};
use proofmark_measure::sandbox::SandboxLimits;
use proofmark_report::replay::{plan_json, plan_terminal, replay_json, replay_terminal};
use proofmark_terms::Digest;

use self::chosen::{Chosen, chosen};
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
  proofmark replay ideas.pmb 441e3f84ef60 --run --repository ../project

Without --run nothing is fetched, built or run. With it, code of somebody else's is, in a sandbox
without network and home. Images that came with the bundle are run with --run-images alone.
Exit codes: 0 both machines agree; 1 they do not, or it stays undecided. Of several experiments the
worst one counts.")]
pub(crate) struct ReplayArgs {
    /// The bundle
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    file: Option<PathBuf>,

    /// The experiment in it, or the ledger, matrix or bisection whose experiments are measured one
    /// after another; the beginning of its id is enough [default: what the bundle was made for]
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

/// A bundle, and what is to be done with it.
struct Given<'a> {
    file: &'a Path,
    /// Of its content.
    digest: Digest,
    store: Store,
    enclosures: Enclosures,
    run_images: bool,
    repository: Option<&'a str>,
    /// Folders that are let in.
    shown: Vec<PathBuf>,
}

impl Given<'_> {
    /// An error where something is missing without which nothing is run.
    fn is_ready(&self) -> anyhow::Result<()> {
        if self.run_images {
            // Nothing of it is used before all of it was read.
            proofmark_lab::check_enclosed(&self.store, &self.enclosures)?;
        } else if self.repository.is_none() {
            return Err(Usage(
                "the builds are made of revisions: name the repository that has them with \
                 --repository"
                    .to_owned(),
            )
            .into());
        }
        Ok(())
    }

    /// One experiment of it, to be measured again.
    fn asked<'a>(
        &'a self,
        recorded: &'a Recorded,
        experiment: &'a Experiment,
        limits: SandboxLimits,
    ) -> again::Asked<'a> {
        again::Asked {
            file: self.file,
            bundle: &self.digest,
            recorded,
            experiment,
            images: self.run_images.then_some(&self.enclosures),
            repository: self.repository,
            shown: &self.shown,
            limits,
            whole: None,
        }
    }
}

pub(crate) fn run(args: &ReplayArgs, context: &Context) -> anyhow::Result<Exit> {
    let Some(file) = &args.file else {
        let name = if args.run { "replay" } else { "replay-plan" };
        return console::print_schema(name);
    };
    if args.inside {
        return inside::run(file, args.id.as_deref(), args.run_images, context);
    }
    context.catch_signals()?;
    let content = Content::read(file)?;
    let given = Given {
        file,
        digest: content.digest(),
        store: Store::open_bundle(file)?,
        enclosures: content.enclosures().clone(),
        run_images: args.run_images,
        repository: args.repository.as_deref(),
        shown: plan::shown(&args.show)?,
    };
    let asked = content.manifest().asked.clone();
    drop(content);
    match chosen(&given.store, &asked, args.id.as_deref())? {
        Chosen::One(recorded) => one(&recorded, &given, args, context),
        Chosen::Whole(all) => whole::run(&all, &given, args, context),
    }
}

/// One experiment.
fn one(
    recorded: &Recorded,
    given: &Given<'_>,
    args: &ReplayArgs,
    context: &Context,
) -> anyhow::Result<Exit> {
    let limits = args.limits.limits();
    let machine = plan::Machine::look(&given.shown, limits)?;
    let plan = plan::of(recorded, given, &machine);
    if !args.run {
        match args.json {
            true => console::print_json(&plan_json(&plan))?,
            false => console::print(&plan_terminal(&plan, &context.style))?,
        }
        return Ok(Exit::Done);
    }
    plan::refuse(&plan)?;
    given.is_ready()?;
    let experiment = &to_the_end(recorded);
    let asked = given.asked(recorded, experiment, limits);
    let replayed = match again::measured(&asked, context)? {
        Ok(replayed) => replayed,
        Err(exit) => return Ok(exit),
    };
    let view = taken_in::taken(&replayed, &asked, context);
    replayed.remove()?;
    let view = view?;
    match args.json {
        true => console::print_json(&replay_json(&view))?,
        false => console::print(&replay_terminal(&view, &context.style))?,
    }
    Ok(taken_in::exit(view.agreement))
}

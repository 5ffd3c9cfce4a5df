//! `proofmark toolchains`: each one as it is found, and what is missing with the command that gets
//! it.

use anyhow::Context as _;
use clap::Args;
use proofmark_lab::LabError;
use proofmark_project::{Making, Problem, ToolchainDefinition, Toolchains};
use proofmark_report::toolchains::{self, Found};

use crate::commands::project::{self, ProjectArgs};
use crate::console;
use crate::context::Context;
use crate::exit::{Exit, Usage};
use crate::progress::Progress;
use crate::shown::toolchains as views;

/// Arguments of `toolchains`.
#[derive(Debug, Args)]
pub(crate) struct ToolchainsArgs {
    #[command(flatten)]
    project: ProjectArgs,

    /// Install the packages of toolchains that have a provider, into a folder of proofmark's own,
    /// and make those that have a source
    #[arg(long)]
    install: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Which ones: names from the project's file, or a name such as gcc12 or clang19 [default: all
    /// of the file]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
}

pub(crate) fn run(args: &ToolchainsArgs, context: &Context) -> anyhow::Result<Exit> {
    let context = &project::context(&args.project, context)?;
    let chosen = chosen(args)?;
    let mut installed = Toolchains::open(&context.folder);
    if let Some(file) = project::place(&args.project)? {
        installed = installed.of_file(&file);
    }
    if args.install {
        context.catch_signals()?;
    }
    let shim_program = std::env::current_exe().context("cannot tell where this program is")?;
    let making = Making {
        shim_program: &shim_program,
        stopped: &|| context.stop.requested(),
    };
    let progress = Progress::new(context.watched, context.errors, false);
    let mut found: Vec<Found> = Vec::new();
    for (name, definition) in chosen {
        if args.install {
            let is_made = definition.source.is_some();
            let doing = if is_made { "making" } else { "installing" };
            progress.say(format!("{doing} {name}…"));
            let done = installed.install(&name, &definition, making);
            if context.stop.requested() {
                return Err(LabError::Interrupted.into());
            }
            if let Err(error) = done {
                found.push(views::found(&name, &Err(error)));
                continue;
            }
        }
        progress.say(format!("looking at {name}…"));
        let toolchain = installed.find(&name, &definition);
        found.push(views::found(&name, &toolchain));
    }
    progress.clear();
    if args.json {
        console::print_json(&toolchains::json(&found))?;
    } else {
        console::print(&toolchains::terminal(&found, &context.style))?;
    }
    let all = found.iter().all(|one| one.toolchain.is_ok());
    Ok(if all { Exit::Done } else { Exit::Machine })
}

/// The definitions that are meant.
fn chosen(args: &ToolchainsArgs) -> anyhow::Result<Vec<(String, ToolchainDefinition)>> {
    let project = project::look(&args.project)?;
    let defined = |name: &String| match &project {
        Some(project) => project.definitions.toolchain(name),
        None => ToolchainDefinition::implied(name),
    };
    let known: Vec<String> = match &project {
        Some(project) => project
            .definitions
            .toolchain_names()
            .into_iter()
            .cloned()
            .collect(),
        None if args.names.is_empty() => vec!["gcc".to_owned(), "clang".to_owned()],
        None => Vec::new(),
    };
    let names = if args.names.is_empty() {
        &known
    } else {
        &args.names
    };
    names
        .iter()
        .map(|name| {
            let definition = defined(name).ok_or_else(|| {
                let problem = Problem::new(&[], format!("there is no toolchain `{name}`"));
                Usage(
                    problem
                        .among(name, known.iter().map(String::as_str))
                        .to_string(),
                )
            })?;
            Ok((name.clone(), definition))
        })
        .collect()
}

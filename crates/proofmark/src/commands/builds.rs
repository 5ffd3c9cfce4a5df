//! `proofmark builds`: what has been captured.

use clap::{Args, Subcommand};
use proofmark_build::variants::Outcome;
use proofmark_build::{BuildError, Builds, Capture, Removed};
use proofmark_hint::hint;

use super::project::{self, ProjectArgs};
use crate::context::{self, Context};
use crate::exit::{Exit, Usage};

/// Arguments of `builds`.
#[derive(Debug, Args)]
pub(crate) struct BuildsArgs {
    #[command(subcommand)]
    action: Option<Action>,

    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// All captured builds (the default)
    List,
    /// One build: its images, tools, what can be moved and what cannot
    Show {
        /// The build, by its name or the beginning of its id, or the cell of a matrix
        name: String,
    },
    /// Remove builds, and what only they needed
    Remove {
        /// The builds
        #[arg(required = true)]
        names: Vec<String>,
    },
}

/// The build of this name; where there is none, that of the cell of this name in the project's
/// matrix.
fn find(builds: &Builds, name: &str, context: &Context) -> anyhow::Result<Capture> {
    let missing = match builds.find(name) {
        Ok(capture) => return Ok(capture),
        Err(error @ BuildError::NoSuchBuild { .. }) => error,
        Err(error) => return Err(error.into()),
    };
    // A file that cannot be read is told by the commands that need it.
    let Ok(Some(project)) = project::look(&ProjectArgs::default()) else {
        return Err(missing.into());
    };
    let Some(cell) = project.cells.find(name) else {
        return Err(missing.into());
    };
    let workshop = project::workshop(&project, context)?;
    let mut standing = workshop.standing(&workshop.plan()).into_iter();
    let built = standing.find(|built| built.cell.name == cell.name);
    match built.map(|built| built.outcome) {
        Some(Outcome::Made(made)) => Ok(made.capture),
        _ => Err(Usage(format!(
            "`{cell}` has no build as it is now; {} makes it",
            hint("matrix build --cell", &[&cell.name])
        ))
        .into()),
    }
}

pub(crate) fn run(args: &BuildsArgs, context: &Context) -> anyhow::Result<Exit> {
    let builds = Builds::open(&context.folder)?;
    match &args.action {
        None | Some(Action::List) => {
            let listing = builds.list()?;
            if args.json {
                context::print_json(&listing.builds)?;
            } else {
                context::print(&proofmark_report::builds(&listing.builds, &context.style))?;
            }
            // Those that can be read are listed all the same.
            let mut exit = Exit::Done;
            for error in listing.unreadable {
                let error = error.into();
                exit = Exit::of(&error);
                context::complain(&error);
            }
            return Ok(exit);
        }
        Some(Action::Show { name }) => {
            let capture = find(&builds, name, context)?;
            if args.json {
                context::print_json(&capture)?;
            } else {
                context::print(&format!("{capture}\n"))?;
            }
        }
        Some(Action::Remove { names }) => {
            for name in names {
                let removed = builds.remove(name)?;
                let Removed {
                    bytes,
                    files,
                    unreadable,
                } = removed;
                context::print(&format!(
                    "removed {name}: {files} files, {:.1} MiB\n",
                    bytes as f64 / f64::from(1 << 20)
                ))?;
                if unreadable > 0 {
                    context::say(&format!(
                        "proofmark: its files stay until {unreadable} build(s) that cannot be read are removed too; `proofmark builds` names them"
                    ));
                }
            }
        }
    }
    Ok(Exit::Done)
}

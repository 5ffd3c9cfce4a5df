//! `proofmark builds`: what has been captured.

use clap::{Args, Subcommand};
use proofmark_capture::Removed;
use proofmark_report::builds::{json, one, removed, shown, terminal};

use super::named;
use super::revisions::forget_lost;
use crate::console;
use crate::context::Context;
use crate::exit::Exit;
use crate::shown::builds as views;

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

pub(crate) fn run(args: &BuildsArgs, context: &Context) -> anyhow::Result<Exit> {
    let builds = context.builds()?;
    match &args.action {
        None | Some(Action::List) => {
            let listing = builds.list()?;
            let captured: Vec<_> = listing.builds.iter().map(views::build).collect();
            if args.json {
                console::print_json(&json(captured))?;
            } else {
                console::print(&terminal(&captured, &context.style))?;
            }
            // Those that can be read are listed all the same.
            let mut exit = Exit::Done;
            for error in listing.unreadable {
                let error = error.into();
                exit = Exit::of(&error);
                console::complain(&error);
            }
            return Ok(exit);
        }
        Some(Action::Show { name }) => {
            let (capture, cell) = named::build(name, context)?;
            if let Some(cell) = cell {
                let kept = &capture.name;
                console::say(&format!(
                    "proofmark: cell `{cell}` has the build {kept}: the words of that name are \
                     those that it was first made for"
                ));
            }
            let build = views::build(&capture);
            if args.json {
                console::print_json(&one(&build))?;
            } else {
                console::print(&format!("{}\n", shown(&build)))?;
            }
        }
        Some(Action::Remove { names }) => {
            let mut gone = Vec::new();
            for name in names {
                let freed = builds.remove(name)?;
                if !args.json {
                    say_freed(name, &freed)?;
                }
                gone.push(views::removed(name, &freed));
            }
            forget_lost(context, &builds)?;
            if args.json {
                console::print_json(&removed(gone))?;
            }
        }
    }
    Ok(Exit::Done)
}

fn say_freed(name: &str, freed: &Removed) -> anyhow::Result<()> {
    console::print(&format!(
        "removed {name}: {} files, {:.1} MiB\n",
        freed.files,
        freed.bytes as f64 / f64::from(1 << 20)
    ))?;
    if freed.unreadable > 0 {
        console::say(&format!(
            "proofmark: its files stay until {} build(s) that cannot be read are removed too; `proofmark builds` names them",
            freed.unreadable
        ));
    }
    Ok(())
}

//! The project's file: the nearest one, or the one that was named.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use proofmark_project::Workshop;
use proofmark_project::{Project, StoreDefinition};

use crate::context::Context;
use crate::exit::Usage;

/// Which file.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ProjectArgs {
    /// The project's file [default: the nearest proofmark.toml in this folder or above]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) file: Option<PathBuf>,
}

/// The project's file, if there is one.
pub(crate) fn look(args: &ProjectArgs) -> anyhow::Result<Option<Project>> {
    let file = file(args)?;
    Ok(file.map(|file| Project::read(&file)).transpose()?)
}

/// What the project's file says of its store; nothing where there is none.
pub(crate) fn store(args: &ProjectArgs) -> anyhow::Result<StoreDefinition> {
    let file = file(args)?;
    let read = file.map(|file| StoreDefinition::read(&file));
    Ok(read.transpose()?.unwrap_or_default())
}

fn file(args: &ProjectArgs) -> anyhow::Result<Option<PathBuf>> {
    if let Some(file) = &args.file {
        return Ok(Some(file.clone()));
    }
    let here =
        std::env::current_dir().context("cannot tell the current folder; was it removed?")?;
    let found = Project::find(&here);
    // Said as short as the user would.
    Ok(found.map(|file| file.strip_prefix(&here).map(Path::to_owned).unwrap_or(file)))
}

/// The context of the project's folder, whether or not its file can be read; as it is where there
/// is none.
pub(crate) fn context(args: &ProjectArgs, context: &Context) -> anyhow::Result<Context> {
    Ok(match place(args)? {
        Some(file) => context.in_project(file.parent().unwrap_or(Path::new("/"))),
        None => context.clone(),
    })
}

/// Where the project's file is, absolute, whether or not it can be read; `None` where there is
/// none.
pub(crate) fn place(args: &ProjectArgs) -> anyhow::Result<Option<PathBuf>> {
    let absolute = |file: PathBuf| {
        std::path::absolute(&file).with_context(|| format!("cannot find {}", file.display()))
    };
    file(args)?.map(absolute).transpose()
}

/// The project's file.
pub(crate) fn find(args: &ProjectArgs) -> anyhow::Result<Project> {
    look(args)?.ok_or_else(|| {
        Usage(
            "there is no proofmark.toml in this folder or above; docs/matrix.md says what goes into one"
                .to_owned(),
        )
        .into()
    })
}

/// Where its builds are made, and what was made of them stays until the command ends.
pub(crate) fn workshop<'a>(
    project: &'a Project,
    context: &Context,
) -> anyhow::Result<Workshop<'a>> {
    context.builds()?;
    let Project {
        definitions,
        cells,
        folder,
        file,
        ..
    } = project;
    let workshop = Workshop::open(definitions, cells, folder, &context.folder)?;
    Ok(workshop.of_file(file))
}

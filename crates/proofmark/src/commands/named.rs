//! What a word on the command line names. The rule is one for all commands: a word with a slash is
//! a path; any other is a captured build first, then a file in this folder, then a cell of the
//! project's matrix, which has a build of its own.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use proofmark_capture::{BuildError, Capture};
use proofmark_code::Program;
use proofmark_hint::hint;
use proofmark_project::{BuildOutcome, Cell, Made};

use super::project::{self, ProjectArgs};
use crate::context::Context;
use crate::exit::Usage;

/// What a word names.
pub(crate) enum Named {
    /// A captured build.
    Build {
        /// The build.
        capture: Box<Capture>,
        /// What it was asked for by: its own name, or that of the cell. A build is kept under the
        /// name of the cell that it was first made for, which may mean another one by now.
        name: String,
        /// The program options of the cell, which say how `matrix run` runs the build.
        options: Option<String>,
        /// The runs of the cell read other files than lie in its sources.
        other_files: bool,
    },
    /// A file, which need not be there.
    File(PathBuf),
}

impl Named {
    pub(crate) fn find(word: &OsStr, context: &Context) -> anyhow::Result<Named> {
        let path = Path::new(word);
        if is_path(word) {
            return Ok(Named::File(path.to_owned()));
        }
        let name = word.to_string_lossy();
        let missing = match captured(&name, context)? {
            Ok(capture) => {
                return Ok(Named::Build {
                    name: capture.name.clone(),
                    capture: Box::new(capture),
                    options: None,
                    other_files: false,
                });
            }
            Err(_) if path.exists() => return Ok(Named::File(path.to_owned())),
            Err(missing) => missing,
        };
        match of_cell(&name, context)? {
            Some((cell, made)) => Ok(Named::Build {
                name: cell.name,
                capture: Box::new(made.capture),
                options: cell.axes.options,
                other_files: made.tree.is_some_and(|tree| !tree.changed.is_empty()),
            }),
            None => match in_path(word) {
                Some(path) => Err(Usage(format!(
                    "there is no captured build called `{name}`, and no such file here; the \
                     program of that name in PATH goes by its path, {}. Where it is the same for \
                     all builds, what differs is a folder of files that it reads: `proofmark \
                     compare --tree OLD --tree NEW -- python3 {{}}/input`",
                    path.display()
                ))
                .into()),
                None => Err(missing.into()),
            },
        }
    }
}

/// The program that a shell would start by this name.
pub(crate) fn in_path(word: &OsStr) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all = std::env::split_paths(&path).map(|folder| folder.join(word));
    let is_program = |file: &PathBuf| {
        let about = file.metadata();
        about.is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    all.find(is_program)
}

/// The captured build of this name, or that of the cell, with the cell's name; no file.
pub(crate) fn build(name: &str, context: &Context) -> anyhow::Result<(Capture, Option<String>)> {
    let missing = match captured(name, context)? {
        Ok(capture) => return Ok((capture, None)),
        Err(missing) => missing,
    };
    match of_cell(name, context)? {
        Some((cell, made)) => Ok((made.capture, Some(cell.name))),
        None => Err(missing.into()),
    }
}

fn is_path(word: &OsStr) -> bool {
    word.as_bytes().contains(&b'/')
}

/// The captured build of this name; or the error that there is none, which is not the last word.
fn captured(name: &str, context: &Context) -> anyhow::Result<Result<Capture, BuildError>> {
    // To look for a build makes no folder for builds.
    if !context.folder.is_dir() {
        return Ok(Err(BuildError::NoSuchBuild {
            name: name.to_owned(),
            near: Vec::new(),
            any: false,
        }));
    }
    match context.builds()?.find(name) {
        Ok(capture) => Ok(Ok(capture)),
        Err(missing @ BuildError::NoSuchBuild { .. }) => Ok(Err(missing)),
        Err(error) => Err(error.into()),
    }
}

/// The cell of the project's matrix that is called so, by its name, and its build.
fn of_cell(name: &str, context: &Context) -> anyhow::Result<Option<(Cell, Box<Made>)>> {
    // A file that cannot be read is told by the commands that need it.
    let Ok(Some(project)) = project::look(&ProjectArgs::default()) else {
        return Ok(None);
    };
    let Some(cell) = project.cells.find(name) else {
        return Ok(None);
    };
    let workshop = project::workshop(&project, context)?;
    let mut standing = workshop.standing(&workshop.plan()).into_iter();
    let built = standing.find(|built| built.cell.name == cell.name);
    match built.map(|built| built.outcome) {
        Some(BuildOutcome::Made(made)) => Ok(Some((cell.clone(), made))),
        _ => Err(Usage(format!(
            "`{cell}` has no build as it is now; {} makes it",
            hint("matrix build --cell", &[&cell.name])
        ))
        .into()),
    }
}

/// The image of each of these builds: the one that was asked for. Where none was, a build with
/// several images takes the one that the others have.
pub(crate) fn images<'a>(
    words: &[&'a OsStr],
    asked: Option<&'a Path>,
    context: &Context,
) -> anyhow::Result<Vec<Option<PathBuf>>> {
    if asked.is_some() || !context.folder.is_dir() {
        return Ok(words.iter().map(|_| asked.map(Path::to_owned)).collect());
    }
    let builds = context.builds()?;
    // What cannot be found is told where it is looked for.
    let capture = |word: &&OsStr| {
        let found = (!is_path(word)).then(|| builds.find(&word.to_string_lossy()).ok());
        found.flatten()
    };
    let captures: Vec<Option<Capture>> = words.iter().map(capture).collect();
    let others = captures.iter().flatten().find_map(Capture::default_image);
    Ok(captures
        .iter()
        .map(|capture| match capture {
            Some(capture) if capture.chosen.is_none() => others.clone(),
            _ => None,
        })
        .collect())
}

/// A file with machine code.
pub(crate) struct CodeFile {
    /// The build's name, or the file's.
    pub(crate) name: String,
    /// Where the file is.
    path: PathBuf,
}

impl CodeFile {
    /// The image of a build, or a file as it is.
    pub(crate) fn find(
        word: &OsStr,
        image: Option<&Path>,
        context: &Context,
    ) -> anyhow::Result<CodeFile> {
        match Named::find(word, context)? {
            Named::Build { capture, name, .. } => Ok(CodeFile {
                name,
                path: capture.image(image)?.image.clone(),
            }),
            Named::File(path) if image.is_some() => Err(Usage(format!(
                "--image chooses among the images of a captured build, and {} is a file; leave it out",
                path.display()
            ))
            .into()),
            Named::File(path) => Ok(CodeFile {
                name: path
                    .file_name()
                    .unwrap_or(word)
                    .to_string_lossy()
                    .into_owned(),
                path,
            }),
        }
    }

    /// Reads it.
    pub(crate) fn open(&self) -> anyhow::Result<Program> {
        Ok(Program::open(&self.path)?)
    }
}

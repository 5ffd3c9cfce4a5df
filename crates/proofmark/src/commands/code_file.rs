//! An executable named on the command line by its path, or by the name of a captured build: for the
//! commands that read machine code.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use proofmark_build::{BuildError, Builds};
use proofmark_code::Program;

use crate::context::Context;
use crate::exit::Usage;

/// A file with machine code.
pub(crate) struct CodeFile {
    /// The build's name, or the file's.
    pub(crate) name: String,
    /// Where the file is.
    pub(crate) path: PathBuf,
}

impl CodeFile {
    /// A word with a slash is a path; any other is a captured build first, then a file here. So the
    /// rule is everywhere.
    pub(crate) fn find(
        name: &OsStr,
        image: Option<&Path>,
        context: &Context,
    ) -> anyhow::Result<CodeFile> {
        let path = Path::new(name);
        if !name.as_bytes().contains(&b'/') && context.folder.is_dir() {
            match Builds::open(&context.folder)?.find(&name.to_string_lossy()) {
                Ok(capture) => {
                    return Ok(CodeFile {
                        name: capture.name.clone(),
                        path: capture.image(image)?.image.clone(),
                    });
                }
                Err(BuildError::NoSuchBuild { .. }) if path.exists() => {}
                Err(error) => return Err(error.into()),
            }
        }
        if image.is_some() {
            let text = format!(
                "--image chooses among the images of a captured build, and {} is a file; leave it out",
                path.display()
            );
            return Err(Usage(text).into());
        }
        let name = path
            .file_name()
            .unwrap_or(name)
            .to_string_lossy()
            .into_owned();
        Ok(CodeFile {
            name,
            path: path.to_path_buf(),
        })
    }

    /// Reads it.
    pub(crate) fn open(&self) -> anyhow::Result<Program> {
        Ok(Program::open(&self.path)?)
    }
}

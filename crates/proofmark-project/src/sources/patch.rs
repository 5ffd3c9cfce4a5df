//! A patch of a source: for the build, for the files that runs read, or for both.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_capture::states::git::{crossing, names};

/// A patch of a source.
#[derive(Clone, Debug)]
pub(super) struct Patch {
    /// Its file.
    pub(super) name: PathBuf,
    /// What it says.
    pub(super) content: Vec<u8>,
    /// It is about files that the build is made from.
    pub(super) in_build: bool,
    /// It is about files that runs read.
    pub(super) in_tree: bool,
}

impl Patch {
    /// Reads a patch; `tree` is the folder of the source that runs read, where it has one.
    pub(super) fn read(name: PathBuf, tree: Option<&Path>) -> Result<Patch, String> {
        let content = fs::read(&name)
            .map_err(|error| format!("cannot read the patch {}: {error}", name.display()))?;
        let mut patch = Patch {
            name,
            content,
            in_build: true,
            in_tree: false,
        };
        let Some(tree) = tree else {
            return Ok(patch);
        };
        if let Some([from, to]) = crossing(&patch.content, tree) {
            return Err(format!(
                "{} moves {} to {}, across the border of the tree {}: what runs read and what the \
                 build is made from are patched apart\n  next: make it by `git diff --no-renames`",
                patch.name.display(),
                from.display(),
                to.display(),
                tree.display()
            ));
        }
        // What git cannot read, it tells about where the patch is applied.
        if let Ok(names) = names(&patch.name, &patch.content) {
            patch.in_tree = names.iter().any(|file| file.starts_with(tree));
            patch.in_build = names.iter().any(|file| !file.starts_with(tree));
        }
        Ok(patch)
    }
}

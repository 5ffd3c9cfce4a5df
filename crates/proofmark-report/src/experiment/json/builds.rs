//! The builds of an experiment, for programs.

use proofmark_evidence::record::{Build, BuildOrigin, ImageFile, Revision, Vcs};
use schemars::JsonSchema;
use serde::Serialize;

use crate::document::trees::TreeView;
use crate::document::words::Text;

/// One build.
#[derive(Serialize, JsonSchema)]
pub(super) struct BuildView {
    /// As the user called it.
    name: String,
    /// BLAKE3 of the executable as the build made it.
    image: String,
    /// Libraries of its own.
    libraries: Vec<LibraryView>,
    /// The state of its sources, where that is known.
    revision: Option<RevisionView>,
    /// BLAKE3 of each patch that was applied to that state, in their order.
    patches: Vec<String>,
    /// Content hashes of its captures; empty for an executable that was never captured.
    captures: Vec<String>,
    /// Share of `.text` bytes that can be moved, 0 to 1; absent for an executable that was never
    /// captured.
    movable: Option<f64>,
    /// The executable, where it was never captured.
    executable: Option<Text>,
    /// The compilers and linker that made it, for people.
    toolchain: Vec<String>,
    /// The folder of files that its runs read, where each build has one of its own.
    tree: Option<TreeView>,
}

/// A library of a build.
#[derive(Serialize, JsonSchema)]
struct LibraryView {
    /// Its file's name.
    name: Text,
    /// BLAKE3 of it.
    digest: String,
}

impl From<&ImageFile> for LibraryView {
    fn from(image: &ImageFile) -> Self {
        LibraryView {
            name: (&image.name).into(),
            digest: image.digest.to_string(),
        }
    }
}

/// A state of the sources.
#[derive(Serialize, JsonSchema)]
struct RevisionView {
    /// `git` or `mercurial`.
    vcs: &'static str,
    /// Its name there, in full.
    id: String,
    /// Files that it keeps differed from that state.
    dirty: bool,
}

impl From<&Revision> for RevisionView {
    fn from(revision: &Revision) -> Self {
        RevisionView {
            vcs: match revision.vcs {
                Vcs::Git => "git",
                Vcs::Mercurial => "mercurial",
            },
            id: revision.id.to_string(),
            dirty: revision.dirty,
        }
    }
}

fn texts<T: ToString>(names: &[T]) -> Vec<String> {
    names.iter().map(T::to_string).collect()
}

impl From<&Build> for BuildView {
    fn from(build: &Build) -> Self {
        let (captures, movable, executable) = match &build.origin {
            BuildOrigin::Captured { ids, movable, .. } => (texts(ids), Some(*movable), None),
            BuildOrigin::Executable { path, .. } => (Vec::new(), None, Some(path.into())),
        };
        BuildView {
            name: build.name.clone(),
            image: build.images.program.digest.to_string(),
            libraries: build.images.libraries.iter().map(Into::into).collect(),
            revision: build.revision.as_ref().map(Into::into),
            patches: texts(&build.patches),
            captures,
            movable,
            executable,
            toolchain: build.toolchain.iter().map(ToString::to_string).collect(),
            tree: build.tree.as_deref().map(Into::into),
        }
    }
}

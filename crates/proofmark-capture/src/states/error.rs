//! Why a revision cannot be built apart from the work tree.

use std::io;
use std::path::{Path, PathBuf};

/// Why there is no clean copy of a revision.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// git is not there.
    #[error("cannot start git; is it installed? ({0})")]
    NoGit(io::Error),
    /// git refused, in its own words.
    #[error("cannot {doing}; git said: {said}")]
    Git {
        /// What it was to do.
        doing: String,
        /// What it said.
        said: String,
    },
    /// There is no repository, or it has no work tree.
    #[error(
        "revisions can be compared in the work tree of a git repository only; git said: {said}"
    )]
    NoRepository {
        /// What git said.
        said: String,
    },
    /// No revision of that name.
    #[error("`{revision}` is no revision of this repository{}", because(said))]
    NoRevision {
        /// As asked for.
        revision: String,
        /// What git said; empty where it only says no.
        said: String,
    },
    /// Two revisions have no base in common, or several.
    #[error("`{one}` and `{other}` have {} in common; name the base itself, as in BASE..{other}", bases(*found))]
    NoBase {
        /// One revision.
        one: String,
        /// The other one.
        other: String,
        /// How many there are.
        found: usize,
    },
    /// A submodule's commit is not in this clone.
    #[error("it has the submodule {} at {commit}, which is not in this clone; get it with `{command}`", path.display())]
    Submodule {
        /// Where it belongs, relative to the work tree.
        path: PathBuf,
        /// The commit.
        commit: String,
        /// What gets it.
        command: String,
    },
    /// A submodule has changes of its own that are not committed.
    #[error("the submodule {} has changes that are not committed, and WORK holds its commit alone; commit them there first", path.display())]
    SubmoduleChanged {
        /// Where it lies.
        path: PathBuf,
    },
    /// Files that git LFS keeps, and whose content is not here.
    #[error("git LFS keeps {} of its files, whose content is not here ({}); get it with `git lfs fetch origin {commit}`", files.len(), some(files))]
    Lfs {
        /// The files.
        files: Vec<PathBuf>,
        /// The commit.
        commit: String,
    },
    /// Files that a filter of the user's would write.
    #[error("{} of its files go through the filter `{filter}` ({}), which is a program of your own and is not run; build that revision in a work tree of its \
             own with `proofmark capture NAME -- BUILD…`", files.len(), some(files))]
    Filter {
        /// Its name.
        filter: String,
        /// The files.
        files: Vec<PathBuf>,
    },
    /// Nowhere outside of the repository is free of configuration that would be read.
    #[error("there is no place for a copy of the repository: {}; name a folder that is outside of it and has no such file above it with XDG_CACHE_HOME", reasons.join("; "))]
    NoPlace {
        /// What is wrong with each place that was tried.
        reasons: Vec<String>,
    },
    /// `rustup override` holds for the work tree's folder only.
    #[error("rustup has an override for {} ({toolchain}), which does not hold for a copy of the repository; say RUSTUP_TOOLCHAIN={toolchain} for this command", folder.display())]
    RustupOverride {
        /// The folder.
        folder: PathBuf,
        /// The toolchain.
        toolchain: String,
    },
    /// The command or a variable leads back to the work tree.
    #[error("{what} names the work tree {}, so that a revision would be built from files that are not its own; write paths relative to where the build runs", work_tree.display())]
    NamesWorkTree {
        /// "the build command", or a variable's name.
        what: String,
        /// The work tree.
        work_tree: PathBuf,
    },
    /// Another command builds a revision of this repository.
    #[error("another proofmark is building a revision of this repository ({}); try again when it has ended", path.display())]
    Busy {
        /// The lock.
        path: PathBuf,
    },
    /// A file could not be read or written.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// "read", "write"…
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl CheckoutError {
    pub(super) fn file(doing: &'static str, path: &Path, source: io::Error) -> CheckoutError {
        CheckoutError::File {
            doing,
            path: path.to_owned(),
            source,
        }
    }
}

fn because(said: &str) -> String {
    if said.is_empty() {
        String::new()
    } else {
        format!("; git said: {said}")
    }
}

fn bases(found: usize) -> String {
    match found {
        0 => "no commit".to_owned(),
        several => format!("{several} newest commits"),
    }
}

fn some(files: &[PathBuf]) -> String {
    const MOST: usize = 4;
    let mut shown: Vec<String> = files
        .iter()
        .take(MOST)
        .map(|file| file.display().to_string())
        .collect();
    if files.len() > MOST {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

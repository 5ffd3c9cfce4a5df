//! The user's repository, whoever keeps it.

use std::path::{Path, PathBuf};

use proofmark_terms::Commit;

use super::{Revision, RevisionError, State, Vcs, git, hg};

/// A repository with a work tree.
#[derive(Debug)]
pub enum Repository {
    /// Of git's.
    Git(git::Repository),
    /// Of Mercurial's.
    Mercurial(hg::Repository),
}

/// The same question to either.
macro_rules! either {
    ($repository:expr, $one:ident => $answer:expr) => {
        match $repository {
            Repository::Git($one) => $answer,
            Repository::Mercurial($one) => $answer,
        }
    };
}

impl Repository {
    /// The repository whose work tree a folder is in.
    ///
    /// # Errors
    /// When there is none, or nothing that reads it.
    pub fn open(folder: &Path) -> Result<Repository, RevisionError> {
        match Vcs::around(folder) {
            Vcs::Git => git::Repository::open(folder).map(Repository::Git),
            Vcs::Mercurial => hg::Repository::open(folder).map(Repository::Mercurial),
        }
    }

    /// Who keeps it.
    #[must_use]
    pub fn vcs(&self) -> Vcs {
        match self {
            Repository::Git(_) => Vcs::Git,
            Repository::Mercurial(_) => Vcs::Mercurial,
        }
    }

    /// The folder of what it knows.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        match self {
            Repository::Git(git) => git.git_folder().to_owned(),
            Repository::Mercurial(hg) => hg.folder(),
        }
    }

    /// The topmost folder of the work tree.
    #[must_use]
    pub fn top(&self) -> &Path {
        either!(self, one => one.top())
    }

    /// Where in the work tree the command was started, relative to its topmost folder.
    #[must_use]
    pub fn prefix(&self) -> &Path {
        either!(self, one => one.prefix())
    }

    /// The state that a name stands for: a revision, or [`super::WORK`].
    ///
    /// # Errors
    /// When there is none of that name, or several.
    pub fn state(&self, name: &str) -> Result<State, RevisionError> {
        either!(self, one => one.state(name))
    }

    /// The newest commit that two revisions have in common.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn merge_base(&self, a: &str, b: &str) -> Result<State, RevisionError> {
        either!(self, one => one.merge_base(a, b))
    }

    /// How many files of the work tree differ from the last commit, new ones that are not ignored
    /// among them.
    ///
    /// # Errors
    /// When that cannot be told.
    pub fn changes(&self) -> Result<usize, RevisionError> {
        either!(self, one => one.changes())
    }

    /// In what the work tree's state differs from its commit, as a patch that `git apply` takes;
    /// `None` of a commit, where nothing differs, and of Mercurial's where a new file is not yet
    /// added: only its own names are in its patches.
    ///
    /// # Errors
    /// When that cannot be told.
    pub fn patch(&self, state: &State) -> Result<Option<Vec<u8>>, RevisionError> {
        either!(self, one => one.patch(state))
    }

    /// What builds are told when they ask for a version. It changes with tags, though the commit is
    /// the same.
    ///
    /// # Errors
    /// When that cannot be told.
    pub fn described(&self, state: &State) -> Result<String, RevisionError> {
        either!(self, one => one.described(state))
    }

    /// All of the user's that decides what a copy holds beside its commit: settings, attributes,
    /// and what is replaced. Nothing of Mercurial's does.
    ///
    /// # Errors
    /// When that cannot be told.
    pub fn written_by(&self) -> Result<String, RevisionError> {
        match self {
            Repository::Git(git) => git.written_by(),
            Repository::Mercurial(_) => Ok(String::new()),
        }
    }

    /// Every tag, and what is like one. A copy has them.
    ///
    /// # Errors
    /// When that cannot be told.
    pub fn labels(&self) -> Result<String, RevisionError> {
        either!(self, one => one.labels())
    }

    /// Where in a copy the repository itself is.
    #[must_use]
    pub fn of_copy(&self, copy: &Path) -> PathBuf {
        copy.join(match self {
            Repository::Git(_) => ".git",
            Repository::Mercurial(_) => ".hg",
        })
    }

    /// One commit.
    ///
    /// # Errors
    /// When it cannot be shown.
    pub fn commit_of(&self, state: &State) -> Result<Commit, RevisionError> {
        either!(self, one => one.commit_of(state))
    }

    /// The commits that the newer state has and the older one has not, parents before their
    /// children; the newer state is the last one. With `first_parent` only first parents are
    /// followed.
    ///
    /// # Errors
    /// When the older state is no ancestor of the newer one, or none by first parents where those
    /// are followed, or the clone does not hold what lies between them.
    pub fn between(
        &self,
        older: &State,
        newer: &State,
        first_parent: bool,
    ) -> Result<Vec<Commit>, RevisionError> {
        either!(self, one => one.between(older, newer, first_parent))
    }

    /// What a commit touches, held against its first parent: a letter and the path for each file.
    ///
    /// # Errors
    /// When that cannot be told.
    pub fn touched(&self, commit: &Commit) -> Result<Vec<String>, RevisionError> {
        either!(self, one => one.touched(commit))
    }

    /// Writes a state to an empty folder.
    pub(super) fn write(&self, state: &State, place: &Path) -> Result<(), RevisionError> {
        either!(self, one => one.write(state, place))
    }
}

/// The commit of the repository that a folder is in. `None` outside of one, and where nothing reads
/// it.
#[must_use]
pub fn revision(folder: &Path) -> Option<Revision> {
    match Vcs::around(folder) {
        Vcs::Git => git::revision(folder),
        Vcs::Mercurial => hg::revision(folder),
    }
}

//! The user's repository: its states by name.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::command::{Git, as_path, records};
use super::settings::without_filters;
use super::source::Source;
use super::{copy, damaged, named, work};
use crate::states::times::newer;
use crate::states::{RevisionError, State, WORK};

/// A repository with a work tree.
#[derive(Debug)]
pub struct Repository {
    /// The topmost folder of the work tree.
    top: PathBuf,
    /// Where in it the command was started.
    prefix: PathBuf,
    source: Source,
}

impl Repository {
    /// The repository whose work tree a folder is in.
    ///
    /// # Errors
    /// When there is none, or no git.
    pub fn open(folder: &Path) -> Result<Repository, RevisionError> {
        let ask = |what: &str| {
            Git::of_user(folder, "find the repository")
                .args(["rev-parse", what])
                .path()
        };
        let top = ask("--show-toplevel").map_err(|error| match error {
            RevisionError::Git { said, .. } => damaged::none(folder, said),
            other => other,
        })?;
        damaged::passed_over(folder, &top)?;
        Ok(Repository {
            prefix: ask("--show-prefix")?,
            source: Source::of(&top)?,
            top,
        })
    }

    /// The folder in which git keeps objects and references.
    #[must_use]
    pub fn git_folder(&self) -> &Path {
        &self.source.common
    }

    /// The topmost folder of the work tree.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Where in the work tree the command was started, relative to its topmost folder.
    #[must_use]
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The state that a name stands for: a revision, or `WORK`.
    ///
    /// # Errors
    /// When there is none of that name, or several.
    pub fn state(&self, name: &str) -> Result<State, RevisionError> {
        if name == WORK {
            return work::state(&self.top, &self.source, name);
        }
        Ok(State::of_commit(name, self.commit(name)?.into()))
    }

    /// The newest commit that two revisions have in common.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<State, RevisionError> {
        let (a, b) = (self.commit(one)?, self.commit(other)?);
        let asked = Git::of_user(&self.top, "find the merge base");
        let all = match asked.args(["merge-base", "--all", &a, &b]).text() {
            Err(RevisionError::Git { said, .. }) if said.is_empty() => String::new(),
            other => other?,
        };
        match *all.lines().collect::<Vec<_>>() {
            [commit] => {
                let name = format!("merge-base({one},{other})");
                Ok(State::of_commit(&name, (*commit).into()))
            }
            ref found => Err(RevisionError::NoBase {
                one: one.to_owned(),
                other: other.to_owned(),
                found: found.len(),
            }),
        }
    }

    fn commit(&self, revision: &str) -> Result<String, RevisionError> {
        let git = || Git::of_user(&self.top, "find the revision");
        named::commit(&git, revision)
    }

    /// How many files of the work tree differ from the last commit, new ones that are not ignored
    /// among them.
    ///
    /// # Errors
    /// When git cannot tell.
    pub fn changes(&self) -> Result<usize, RevisionError> {
        let options = without_filters(&self.top);
        let status = Git::of_user(&self.top, "look at the work tree")
            .args(options)
            .args(["status", "--porcelain", "-z", "--no-renames"])
            .bytes()?;
        Ok(records(&status).count())
    }

    /// In what the work tree's state differs from its commit, as a patch.
    ///
    /// # Errors
    /// When git cannot tell.
    pub fn patch(&self, state: &State) -> Result<Option<Vec<u8>>, RevisionError> {
        let (Some(head), Some(objects)) = (&state.changes_of, &state.made) else {
            return Ok(None);
        };
        let patch = Git::of_user(&self.top, "write down what was changed")
            .args(without_filters(&self.top))
            .env("GIT_OBJECT_DIRECTORY", objects.path())
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", self.source.objects())
            .args(["diff-tree", "--patch", "--binary", "--full-index"])
            .args([
                "--no-renames",
                "--no-color",
                "--no-ext-diff",
                "--no-textconv",
            ])
            .args([head, &state.commit])
            .bytes()?;
        Ok((!patch.is_empty()).then_some(patch))
    }

    /// What builds are told when they ask git for a version. It changes with tags, though the
    /// commit is the same.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn described(&self, state: &State) -> Result<String, RevisionError> {
        let commit = state.changes_of.as_ref().unwrap_or(&state.commit);
        let mut all = String::new();
        for how in [&[][..], &["--tags"], &["--all", "--long"]] {
            let git = Git::of_user(&self.top, "describe the revision");
            let said = git.args(["describe", "--always"]).args(how).args([commit]);
            match said.text() {
                Ok(text) => all.push_str(&text),
                Err(RevisionError::Git { .. }) => {}
                Err(other) => return Err(other),
            }
            all.push('\n');
        }
        Ok(all)
    }

    /// All of the user's that decides what a copy holds beside its commit.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn written_by(&self) -> Result<String, RevisionError> {
        copy::written_by(&self.source)
    }

    /// Every tag and note: a copy has them, and a build that looks into it may ask for any.
    ///
    /// # Errors
    /// When git cannot be started.
    pub fn labels(&self) -> Result<String, RevisionError> {
        Git::of_user(&self.top, "list the tags")
            .args(["for-each-ref", "--format=%(refname) %(objectname)"])
            .args(["refs/tags", "refs/notes"])
            .text()
    }

    /// Writes a state to an empty folder.
    pub(in crate::states) fn write(
        &self,
        state: &State,
        place: &Path,
    ) -> Result<(), RevisionError> {
        let made = state.made.as_ref().map(TempDir::path);
        copy::write(&self.source, &state.commit, made, place, Path::new(""))?;
        let Some(head) = &state.changes_of else {
            return Ok(());
        };
        // What was edited is newer than all else.
        let edited = Git::of_copy(place, "look at what was edited")
            .args(["diff-tree", "-r", "-z", "--name-only", "--no-renames"])
            .args([head, &state.commit])
            .bytes()?;
        for name in records(&edited) {
            newer(&place.join(as_path(name)));
        }
        copy::noted(place);
        Ok(())
    }
}

//! The user's repository: its states by name.

use std::path::{Path, PathBuf};

use super::changeset::{changeset, nodes};
use super::command::{Hg, records};
use super::work;
use crate::states::{Revision, RevisionError, State, Vcs, WORK, same_time};

/// A repository with a working directory.
#[derive(Debug)]
pub struct Repository {
    /// The topmost folder of the working directory.
    top: PathBuf,
    /// Where in it the command was started.
    prefix: PathBuf,
}

impl Repository {
    /// The repository whose working directory a folder is in.
    ///
    /// # Errors
    /// When there is none, or no hg, or one that needs an extension.
    pub fn open(folder: &Path) -> Result<Repository, RevisionError> {
        let failed = |source| RevisionError::file("open", folder, source);
        let folder = folder.canonicalize().map_err(failed)?;
        let top = Hg::new(&folder, "find the repository")
            .args(["root"])
            .text()?;
        let top = PathBuf::from(top);
        Ok(Repository {
            prefix: folder
                .strip_prefix(&top)
                .unwrap_or(Path::new(""))
                .to_owned(),
            top,
        })
    }

    /// The folder in which Mercurial keeps what it knows.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.top.join(".hg")
    }

    /// The topmost folder of the working directory.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// Where in it the command was started, relative to it.
    #[must_use]
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// The state that a name stands for: a changeset, or `WORK`.
    ///
    /// # Errors
    /// When there is none of that name, or it stands for several.
    pub fn state(&self, name: &str) -> Result<State, RevisionError> {
        if name == WORK {
            return work::state(&self.top, name);
        }
        // What git calls the commit of the work tree.
        let asked = if name == "HEAD" { "." } else { name };
        Ok(State::of_commit(
            name,
            changeset(&self.top, asked, name)?.into(),
        ))
    }

    /// The newest changeset that two have in common.
    ///
    /// # Errors
    /// When there is none, or more than one.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<State, RevisionError> {
        let (a, b) = (self.state(one)?.commit, self.state(other)?.commit);
        match *self.nodes(&format!("heads(::{a} and ::{b})"))? {
            [ref commit] => {
                let name = format!("merge-base({one},{other})");
                Ok(State::of_commit(&name, commit.as_str().into()))
            }
            ref found => Err(RevisionError::NoBase {
                one: one.to_owned(),
                other: other.to_owned(),
                found: found.len(),
            }),
        }
    }

    /// In what the working directory differs from its parent, as a patch.
    ///
    /// # Errors
    /// When Mercurial cannot tell.
    pub fn patch(&self, state: &State) -> Result<Option<Vec<u8>>, RevisionError> {
        if state.changes_of.is_none() {
            return Ok(None);
        }
        let hg = || Hg::new(&self.top, "write down what was changed");
        let unknown = hg().args(["status", "--unknown", "--print0"]).bytes()?;
        let patch = hg().args(["diff", "--git"]).bytes()?;
        Ok((unknown.is_empty() && !patch.is_empty()).then_some(patch))
    }

    /// How many files of the working directory differ from its parent, new ones that are not
    /// ignored among them.
    ///
    /// # Errors
    /// When hg cannot tell.
    pub fn changes(&self) -> Result<usize, RevisionError> {
        let status = Hg::new(&self.top, "look at the working directory");
        let status = status.args(["status", "--print0"]).bytes()?;
        Ok(records(&status).count())
    }

    /// What builds are told when they ask hg for a version. It changes with tags, though the
    /// changeset is the same.
    ///
    /// # Errors
    /// When hg cannot tell.
    pub fn described(&self, state: &State) -> Result<String, RevisionError> {
        let commit = state.changes_of.as_ref().unwrap_or(&state.commit);
        const TOLD: &str = "{rev} {branch} {tags} {bookmarks} {latesttag} {latesttagdistance}";
        Hg::new(&self.top, "describe the changeset")
            .args(["log", "--rev", commit, "--template", TOLD])
            .text()
    }

    /// Every tag and bookmark: a copy has them, and a build that looks into it may ask for any.
    ///
    /// # Errors
    /// When hg cannot be started.
    pub fn labels(&self) -> Result<String, RevisionError> {
        Hg::new(&self.top, "list the tags")
            .args(["log", "--rev", "tag() or bookmark()", "--template"])
            .args(["{node} {tags} {bookmarks}\n"])
            .text()
    }

    /// The names of those that a set of Mercurial's language holds, parents before their children.
    pub(super) fn nodes(&self, set: &str) -> Result<Vec<String>, RevisionError> {
        nodes(&self.top, set)
    }

    /// Writes a state to an empty folder, with a repository of its own in it.
    pub(in crate::states) fn write(
        &self,
        state: &State,
        place: &Path,
    ) -> Result<(), RevisionError> {
        let commit = state.changes_of.as_ref().unwrap_or(&state.commit);
        // Files of the store are linked, and hg parts them where it writes.
        let written = Hg::new(&self.top, format!("write changeset {commit}"))
            .args(["clone", "--quiet", "--updaterev", commit])
            // They would be fetched, by whichever program they are of.
            .args(["--config", "subrepos.allowed=false"])
            .arg_path(&self.top)
            .arg_path(place)
            .bytes();
        match written {
            Err(RevisionError::Mercurial { said, .. }) if said.contains("subrepos not enabled") => {
                return Err(RevisionError::Subrepositories {
                    commit: commit.get(..12).unwrap_or(commit).to_owned(),
                });
            }
            Err(RevisionError::Mercurial { said, .. })
                if said.contains("not in 'served' subset") =>
            {
                return Err(RevisionError::Secret {
                    commit: commit.get(..12).unwrap_or(commit).to_owned(),
                });
            }
            other => drop(other?),
        }
        same_time(place).map_err(|error| RevisionError::file("write", place, error))?;
        match &state.changes_of {
            // What was edited is newer than all else.
            Some(_) => work::put(state, place),
            None => Ok(()),
        }
    }
}

/// The changeset of the repository that a folder is in; `None` where hg cannot tell.
#[must_use]
pub fn revision(folder: &Path) -> Option<Revision> {
    let commit = changeset(folder, ".", ".").ok()?;
    let status = Hg::new(folder, "look at the sources");
    let status = status.args(["status", "--modified", "--added", "--removed", "--deleted"]);
    Some(Revision {
        vcs: Vcs::Mercurial,
        commit: commit.into(),
        modified: !status.text().ok()?.is_empty(),
        patch: None,
    })
}

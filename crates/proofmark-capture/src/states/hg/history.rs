//! The changesets between two states, and what each of them touches.

use std::collections::{HashMap, HashSet};

use proofmark_terms::{Commit, CommitId};

use super::changeset::NULL;
use super::command::{Hg, records};
use super::repository::Repository;
use crate::states::between::{History, between, commit};
use crate::states::{RevisionError, State};

/// What is asked of each changeset: fields apart by zero bytes, which none of them can hold. The
/// manifest's name goes by the history of its files too: equal names are equal trees, and a change
/// that is taken back has another name than what was there before.
const FORMAT: &str = "{node}\\0{p1node} {p2node}\\0{manifest % '{node}'}\\0{author|person}\\0\
                      {date|rfc3339date}\\0{desc|firstline}\\n";

impl Repository {
    /// One changeset.
    ///
    /// # Errors
    /// When hg cannot show it.
    pub fn commit_of(&self, state: &State) -> Result<Commit, RevisionError> {
        let commit = self.commits(&state.commit)?.into_iter().next();
        commit.ok_or_else(|| RevisionError::NoRevision {
            revision: state.name.clone(),
            said: String::new(),
        })
    }

    /// The changesets that the newer state has and the older one has not, parents before their
    /// children; the newer state is the last one. With `first_parent` only first parents are
    /// followed.
    ///
    /// # Errors
    /// When the older state is no ancestor of the newer one, or none by first parents where those
    /// are followed.
    pub fn between(
        &self,
        older: &State,
        newer: &State,
        first_parent: bool,
    ) -> Result<Vec<Commit>, RevisionError> {
        between(self, older, newer, first_parent)
    }

    /// What a changeset touches, held against its first parent: a letter and the path for each
    /// file, with the letters that git has.
    ///
    /// # Errors
    /// When hg cannot tell.
    pub fn touched(&self, commit: &Commit) -> Result<Vec<String>, RevisionError> {
        let status = Hg::new(self.top(), "list the files of a changeset");
        let listed = status
            .args(["status", "--print0", "--change", &commit.id])
            .bytes()?;
        let file = |record: &[u8]| {
            let text = String::from_utf8_lossy(record).into_owned();
            match text.strip_prefix("R ") {
                Some(removed) => format!("D {removed}"),
                None => text,
            }
        };
        Ok(records(&listed).map(file).collect())
    }

    /// Those of a set, parents before their children: their numbers go that way.
    fn commits(&self, set: &str) -> Result<Vec<Commit>, RevisionError> {
        let set = format!("--rev=sort({set}, rev)");
        let said = Hg::new(self.top(), "list the changesets")
            .args(["log", &set, "--template", FORMAT])
            .bytes()?;
        let text = String::from_utf8_lossy(&said);
        Ok(text.lines().filter_map(|line| commit(line, NULL)).collect())
    }
}

impl History for Repository {
    fn is_ancestor(&self, older: &State, newer: &State) -> Result<bool, RevisionError> {
        let set = format!("{} and ::{}", older.commit, newer.commit);
        Ok(!self.nodes(&set)?.is_empty())
    }

    fn common(&self, one: &State, other: &State) -> Result<State, RevisionError> {
        self.merge_base(&one.commit, &other.commit)
    }

    fn listed(
        &self,
        older: &State,
        newer: &State,
        first_parent: bool,
    ) -> Result<Vec<Commit>, RevisionError> {
        let mut commits = self.commits(&format!("only({}, {})", newer.commit, older.commit))?;
        if first_parent {
            let line = first_parents(&commits, &newer.commit);
            commits.retain(|commit| line.contains(&commit.id));
        }
        Ok(commits)
    }

    fn named(&self, names: &[CommitId]) -> Result<Vec<Commit>, RevisionError> {
        let names: Vec<&str> = names.iter().map(CommitId::as_str).collect();
        self.commits(&names.join(" + "))
    }

    /// Mercurial's clones are whole.
    fn cut(&self) -> Result<Vec<CommitId>, RevisionError> {
        Ok(Vec::new())
    }
}

/// The changesets that first parents lead to from the newest.
fn first_parents(commits: &[Commit], newest: &CommitId) -> HashSet<CommitId> {
    let known: HashMap<&CommitId, &Commit> = commits.iter().map(|one| (&one.id, one)).collect();
    let mut line = HashSet::new();
    let mut next = Some(newest);
    while let Some(commit) = next.and_then(|at| known.get(at)) {
        line.insert(commit.id.clone());
        next = commit.parents.first();
    }
    line
}

//! The changesets between two states, and what each of them touches.

use std::collections::{HashMap, HashSet};

use super::changeset::NULL;
use super::command::{Hg, records};
use super::repository::Repository;
use crate::states::{Commit, RevisionError, State};

/// What is asked of each changeset: fields apart by zero bytes, which none of them can hold. The
/// manifest's name goes by the history of its files too: equal names are equal trees, and a change
/// that is taken back has another name than what was there before.
const FORMAT: &str = "{node}\\0{p1node} {p2node}\\0{manifest % '{node}'}\\0{author|person}\\0\
                      {date|rfc3339date}\\0{desc|firstline}\\n";
const FIELDS: usize = 6;

impl Repository {
    /// One changeset.
    ///
    /// # Errors
    /// When hg cannot show it.
    pub fn commit_of(&self, state: &State) -> Result<Commit, RevisionError> {
        let commit = self.listed(&state.commit)?.into_iter().next();
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
        let ends = || (older.name.clone(), newer.name.clone());
        if older.commit == newer.commit {
            let (older, newer) = ends();
            return Err(RevisionError::OneCommit { older, newer });
        }
        if !self.is_ancestor(older, newer)? {
            return Err(self.apart(older, newer)?);
        }
        let set = format!("only({}, {})", newer.commit, older.commit);
        let mut commits = self.listed(&set)?;
        if !first_parent {
            return Ok(commits);
        }
        let (line, before) = first_parents(&commits, &newer.commit);
        if before != older.commit {
            let (older, newer) = ends();
            return Err(RevisionError::NoFirstParent {
                older,
                newer,
                before: short(&before),
            });
        }
        commits.retain(|commit| line.contains(&commit.id));
        Ok(commits)
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
    fn listed(&self, set: &str) -> Result<Vec<Commit>, RevisionError> {
        let set = format!("--rev=sort({set}, rev)");
        let said = Hg::new(self.top(), "list the changesets")
            .args(["log", &set, "--template", FORMAT])
            .bytes()?;
        let text = String::from_utf8_lossy(&said);
        Ok(text.lines().filter_map(commit).collect())
    }

    fn is_ancestor(&self, older: &State, newer: &State) -> Result<bool, RevisionError> {
        let set = format!("{} and ::{}", older.commit, newer.commit);
        Ok(!self.nodes(&set)?.is_empty())
    }

    /// Why there is no way from one state to the other.
    fn apart(&self, older: &State, newer: &State) -> Result<RevisionError, RevisionError> {
        let (one, other) = (older.name.clone(), newer.name.clone());
        if self.is_ancestor(newer, older)? {
            return Ok(RevisionError::WrongWayRound {
                older: one,
                newer: other,
            });
        }
        match self.merge_base(&older.commit, &newer.commit) {
            Ok(base) => Ok(RevisionError::NoAncestor {
                older: one,
                newer: other,
                base: short(&base.commit),
            }),
            Err(RevisionError::NoBase { found, .. }) => {
                Ok(RevisionError::NoBase { one, other, found })
            }
            Err(error) => Err(error),
        }
    }
}

/// The changesets that first parents lead to from the newest, and the one before them.
fn first_parents(commits: &[Commit], newest: &str) -> (HashSet<String>, String) {
    let known: HashMap<&str, &Commit> = commits.iter().map(|one| (one.id.as_str(), one)).collect();
    let mut line = HashSet::new();
    let mut at = newest.to_owned();
    while let Some(commit) = known.get(at.as_str()) {
        line.insert(at);
        at = commit.parents.first().cloned().unwrap_or_default();
    }
    (line, at)
}

fn commit(line: &str) -> Option<Commit> {
    let mut fields = line.splitn(FIELDS, '\0').map(str::to_owned);
    Some(Commit {
        id: fields.next()?,
        parents: fields
            .next()?
            .split(' ')
            .filter(|one| *one != NULL)
            .map(str::to_owned)
            .collect(),
        tree: fields.next()?,
        author: fields.next()?,
        date: fields.next()?,
        subject: fields.next()?,
    })
}

fn short(commit: &str) -> String {
    commit.get(..12).unwrap_or(commit).to_owned()
}

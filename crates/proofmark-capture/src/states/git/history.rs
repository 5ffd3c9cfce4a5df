//! The commits between two states, and what each of them touches.

use super::command::{Git, records};
use super::repository::Repository;
use crate::states::{Commit, RevisionError, State};

/// What is asked of each commit: fields apart by zero bytes, which none of them can hold.
const FORMAT: &str = "--format=tformat:%H%x00%P%x00%T%x00%an%x00%aI%x00%s";
const FIELDS: usize = 6;

impl Repository {
    /// One commit.
    ///
    /// # Errors
    /// When git cannot show it.
    pub fn commit_of(&self, state: &State) -> Result<Commit, RevisionError> {
        let listed = self.listed(&["--no-walk", &state.commit])?;
        let commit = listed.into_iter().next();
        commit.ok_or_else(|| RevisionError::NoRevision {
            revision: state.name.clone(),
            said: String::new(),
        })
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
        let ends = || (older.name.clone(), newer.name.clone());
        if older.commit == newer.commit {
            let (older, newer) = ends();
            return Err(RevisionError::OneCommit { older, newer });
        }
        if !self.is_ancestor(older, newer)? {
            return Err(self.apart(older, newer)?);
        }
        let without = format!("^{}", older.commit);
        let mut asked = vec!["--topo-order", "--reverse"];
        if first_parent {
            asked.push("--first-parent");
        }
        asked.extend([newer.commit.as_str(), without.as_str()]);
        let commits = self.listed(&asked)?;
        let cut = self.cut()?;
        if let Some(commit) = commits.iter().find(|commit| cut.contains(&commit.id)) {
            return Err(RevisionError::Shallow {
                commit: short(&commit.id),
            });
        }
        let before = commits.first().and_then(|first| first.parents.first());
        match before {
            Some(before) if first_parent && *before != older.commit => {
                let (older, newer) = ends();
                Err(RevisionError::NoFirstParent {
                    older,
                    newer,
                    before: short(before),
                })
            }
            _ => Ok(commits),
        }
    }

    /// What a commit touches, held against its first parent: a letter and the path for each file.
    ///
    /// # Errors
    /// When git cannot tell.
    pub fn touched(&self, commit: &Commit) -> Result<Vec<String>, RevisionError> {
        let git = Git::of_user(self.top(), "list the files of a commit");
        let git = git.args(["diff-tree", "-r", "-z", "--name-status", "--no-renames"]);
        let git = match commit.parents.first() {
            Some(parent) => git.args([parent, &commit.id]),
            None => git.args(["--root", "--no-commit-id", &commit.id]),
        };
        let listed = git.bytes()?;
        let words: Vec<String> = records(&listed)
            .map(|word| String::from_utf8_lossy(word).into_owned())
            .collect();
        Ok(words.chunks(2).map(|pair| pair.join(" ")).collect())
    }

    fn listed(&self, asked: &[&str]) -> Result<Vec<Commit>, RevisionError> {
        let said = Git::of_user(self.top(), "list the commits")
            .args(["rev-list", FORMAT])
            .args(asked)
            .args(["--"])
            .bytes()?;
        let text = String::from_utf8_lossy(&said);
        // `commit NAME` goes before each.
        let lines = text.lines().filter(|line| line.contains('\0'));
        Ok(lines.filter_map(commit).collect())
    }

    fn is_ancestor(&self, older: &State, newer: &State) -> Result<bool, RevisionError> {
        Git::of_user(self.top(), "compare the revisions")
            .args(["merge-base", "--is-ancestor", &older.commit, &newer.commit])
            .succeeds()
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
        if let Some(commit) = self.cut()?.first() {
            return Ok(RevisionError::Shallow {
                commit: short(commit),
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

    /// The commits at which a shallow clone ends: their parents are not in it.
    fn cut(&self) -> Result<Vec<String>, RevisionError> {
        let asked = Git::of_user(self.top(), "look whether the clone is shallow");
        let file = asked
            .args([
                "rev-parse",
                "--path-format=absolute",
                "--git-path",
                "shallow",
            ])
            .path()?;
        match std::fs::read_to_string(&file) {
            Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(RevisionError::file("read", &file, error)),
        }
    }
}

fn commit(line: &str) -> Option<Commit> {
    let mut fields = line.splitn(FIELDS, '\0').map(str::to_owned);
    Some(Commit {
        id: fields.next()?,
        parents: fields
            .next()?
            .split(' ')
            .filter(|one| !one.is_empty())
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

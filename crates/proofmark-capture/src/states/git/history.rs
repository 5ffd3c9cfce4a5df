//! The commits between two states, and what each of them touches.

use proofmark_terms::{Commit, CommitId};

use super::command::{Git, records};
use super::repository::Repository;
use crate::states::between::{History, between, commit};
use crate::states::{RevisionError, State};

/// What is asked of each commit: fields apart by zero bytes, which none of them can hold.
const FORMAT: &str = "--format=tformat:%H%x00%P%x00%T%x00%an%x00%aI%x00%s";

impl Repository {
    /// One commit.
    ///
    /// # Errors
    /// When git cannot show it.
    pub fn commit_of(&self, state: &State) -> Result<Commit, RevisionError> {
        let found = self.commits(&["--no-walk", &state.commit])?;
        let commit = found.into_iter().next();
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
        between(self, older, newer, first_parent)
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

    fn commits(&self, asked: &[&str]) -> Result<Vec<Commit>, RevisionError> {
        let said = Git::of_user(self.top(), "list the commits")
            .args(["rev-list", FORMAT])
            .args(asked)
            .args(["--"])
            .bytes()?;
        let text = String::from_utf8_lossy(&said);
        // `commit NAME` goes before each.
        let lines = text.lines().filter(|line| line.contains('\0'));
        Ok(lines.filter_map(|line| commit(line, "")).collect())
    }
}

impl History for Repository {
    fn is_ancestor(&self, older: &State, newer: &State) -> Result<bool, RevisionError> {
        Git::of_user(self.top(), "compare the revisions")
            .args(["merge-base", "--is-ancestor", &older.commit, &newer.commit])
            .succeeds()
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
        let without = format!("^{}", older.commit);
        let mut asked = vec!["--topo-order", "--reverse"];
        if first_parent {
            asked.push("--first-parent");
        }
        asked.extend([newer.commit.as_str(), without.as_str()]);
        self.commits(&asked)
    }

    fn named(&self, names: &[CommitId]) -> Result<Vec<Commit>, RevisionError> {
        let names = names.iter().map(CommitId::as_str);
        let asked: Vec<&str> = std::iter::once("--no-walk").chain(names).collect();
        self.commits(&asked)
    }

    /// The commits at which a shallow clone ends: their parents are not in it.
    fn cut(&self) -> Result<Vec<CommitId>, RevisionError> {
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
            Ok(text) => Ok(text.lines().map(CommitId::from).collect()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(RevisionError::file("read", &file, error)),
        }
    }
}

//! The graph of commits in which something is looked for.

use thiserror::Error;

/// Commits by number, parents before their children; the last one is the newest end. Only parents
/// among these commits count: what lies outside is older than the range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    parents: Vec<Vec<usize>>,
}

/// Why this is no history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum HistoryError {
    /// There is nothing to search.
    #[error("there is no commit between the ends")]
    Empty,
    /// A parent stands behind its child.
    #[error("commit {commit} stands before its parent {parent}")]
    Order {
        /// The child.
        commit: usize,
        /// Its parent.
        parent: usize,
    },
    /// The newest commit does not come from the older end.
    #[error("the newest commit does not come from the older end")]
    NotFromOlder,
    /// A commit is no ancestor of the newest one.
    #[error("commit {commit} is no ancestor of the newest one")]
    Apart {
        /// The commit.
        commit: usize,
    },
}

impl History {
    /// The history in which commit `i` has the parents `parents[i]`, each below `i`.
    ///
    /// # Errors
    /// When there is no commit, a parent does not stand before its child, or a commit is no
    /// ancestor of the last one.
    pub fn new(parents: Vec<Vec<usize>>) -> Result<History, HistoryError> {
        for (commit, own) in parents.iter().enumerate() {
            if let Some(&parent) = own.iter().find(|&&parent| parent >= commit) {
                return Err(HistoryError::Order { commit, parent });
            }
        }
        let history = History { parents };
        let newest = history.newest().ok_or(HistoryError::Empty)?;
        let reached = history.ancestors(&[newest]);
        match reached.iter().position(|reached| !reached) {
            Some(commit) => Err(HistoryError::Apart { commit }),
            None => Ok(history),
        }
    }

    /// How many commits there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Never: a history has its newest commit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The newest commit.
    pub(super) fn newest(&self) -> Option<usize> {
        self.parents.len().checked_sub(1)
    }

    /// The parents of a commit among these.
    #[must_use]
    pub fn parents(&self, commit: usize) -> &[usize] {
        self.parents.get(commit).map_or(&[], Vec::as_slice)
    }

    /// By commit, whether it is one of these or an ancestor of one.
    pub(super) fn ancestors(&self, of: &[usize]) -> Vec<bool> {
        let mut reached = vec![false; self.len()];
        for &commit in of {
            if let Some(place) = reached.get_mut(commit) {
                *place = true;
            }
        }
        // Parents stand before their children: one pass from the newest reaches all.
        for commit in (0..self.len()).rev() {
            if reached[commit] {
                for &parent in self.parents(commit) {
                    reached[parent] = true;
                }
            }
        }
        reached
    }

    /// By commit, how many of the `open` ones it has among its ancestors, itself included; 0 of one
    /// that is not open.
    pub(super) fn weights(&self, open: &[bool]) -> Vec<usize> {
        let mut weights = vec![0; self.len()];
        let is_open = |commit: usize| open.get(commit).copied().unwrap_or(false);
        let mut seen = vec![usize::MAX; self.len()];
        for commit in 0..self.len() {
            if !is_open(commit) {
                continue;
            }
            let parents = self.parents(commit).iter().copied();
            let within: Vec<usize> = parents.filter(|&one| is_open(one)).collect();
            weights[commit] = match within.as_slice() {
                [] => 1,
                // Everything behind the only parent, and the commit.
                [only] => weights[*only] + 1,
                _ => self.counted(commit, &is_open, &mut seen),
            };
        }
        weights
    }

    /// The open ancestors of a merge, itself included, counted one by one: what its sides share
    /// counts once.
    fn counted(&self, merge: usize, is_open: &impl Fn(usize) -> bool, seen: &mut [usize]) -> usize {
        let mut count = 0;
        let mut ahead = vec![merge];
        while let Some(commit) = ahead.pop() {
            if seen[commit] == merge {
                continue;
            }
            seen[commit] = merge;
            count += 1;
            ahead.extend(self.parents(commit).iter().filter(|&&one| is_open(one)));
        }
        count
    }
}

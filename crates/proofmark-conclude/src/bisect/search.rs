//! Which commit is tried next, and what is left when none can be.

use std::collections::HashMap;

use proofmark_evidence::record::{End, StepOutcome};
use proofmark_terms::{Commit, CommitId, StateIndex};

use super::history::{History, HistoryError};
use super::side::Mark;

/// A search for the first commit that has the newer end's level. The older end is no part of the
/// history.
///
/// A side that was forked off before the older end, and merged since, may have had the newer level
/// already where it was forked: what made the older end another one is not in it. As `git bisect`
/// does, the fork is tried before anything of that side is believed. If it has the newer level, its
/// side says nothing of the range, and is left out; the merge stays a candidate. If nobody can judge
/// the fork, the side is left out, and stays in doubt: where its merge is the answer, so are its
/// commits. A commit of the side that has the older level, or that merges what may have it, is as
/// good as another fork. That another side of one fork was merged with the older level says nothing
/// of the fork.
#[derive(Clone, Debug)]
pub struct Search {
    history: History,
    marks: Vec<Option<Mark>>,
    /// By commit, whether it comes from the older end.
    own: Vec<bool>,
    /// Commits that were found to have the newer end's level, as they were found.
    newer: Vec<usize>,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Try this commit; after it about so many are left to choose from.
    Try {
        /// The commit.
        commit: usize,
        /// Candidates that are left on the larger side, at most.
        left: usize,
    },
    /// This is the one.
    Found(usize),
    /// It is one of these: all but the last could not be judged, or are of a side whose fork could
    /// not.
    Among(Vec<usize>),
}

impl Search {
    /// A search in a history whose last commit has the newer end's level. Every commit without a
    /// parent is taken for a child of the older end.
    ///
    /// # Errors
    /// As [`History::new`].
    pub fn new(parents: Vec<Vec<usize>>) -> Result<Search, HistoryError> {
        let history = History::new(parents)?;
        let newer = history.newest().ok_or(HistoryError::Empty)?;
        let mut marks = vec![None; history.len()];
        marks[newer] = Some(Mark::Newer);
        Ok(Search {
            own: vec![true; history.len()],
            history,
            marks,
            newer: vec![newer],
        })
    }

    /// A search in the history of these commits, parents before their children. One that has no
    /// parent among them and is no child of the older end is where a side was forked off before
    /// that end.
    ///
    /// # Errors
    /// As [`History::new`], and where the newest does not come from the older end.
    pub fn of(older: &CommitId, commits: &[Commit]) -> Result<Search, HistoryError> {
        let names = commits.iter().enumerate();
        let places: HashMap<&str, usize> =
            names.map(|(place, one)| (one.id.as_str(), place)).collect();
        let own = |commit: &Commit| {
            let parents = commit.parents.iter();
            let known = parents.filter_map(|one| places.get(one.as_str()));
            known.copied().collect()
        };
        let mut search = Search::new(commits.iter().map(own).collect())?;
        for (place, commit) in commits.iter().enumerate() {
            let parents = search.history.parents(place);
            let from_older = parents.iter().any(|&parent| search.own[parent]);
            search.own[place] = from_older || commit.parents.contains(older);
        }
        match search.own.last() {
            Some(true) => Ok(search),
            _ => Err(HistoryError::NotFromOlder),
        }
    }

    /// Notes what came of a step on a commit.
    pub fn note(&mut self, commit: StateIndex, outcome: &StepOutcome) {
        let mark = match outcome.like() {
            Some(End::Older) => Mark::Older,
            Some(End::Newer) => Mark::Newer,
            None => Mark::Skipped,
        };
        self.set(commit.place(), mark);
    }

    /// The graph.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// What is known of a commit by having been tried.
    #[must_use]
    pub fn mark(&self, commit: usize) -> Option<Mark> {
        self.marks.get(commit).copied().flatten()
    }

    /// Notes what came of a commit. One that is no candidate any more says nothing new, and is
    /// noted only.
    pub fn set(&mut self, commit: usize, mark: Mark) {
        let open = self.open();
        let counts = open.get(commit) == Some(&true) || self.in_doubt().contains(&commit);
        if let Some(place) = self.marks.get_mut(commit) {
            *place = Some(mark);
        }
        if mark == Mark::Newer && counts && !self.is_fork(commit) {
            self.newer.push(commit);
        }
    }

    /// Whether a side was forked off here, before the older end.
    fn is_fork(&self, commit: usize) -> bool {
        !self.own[commit] && self.history.parents(commit).is_empty()
    }

    /// By commit, whether it is of sides whose forks are all of these marks, as far as the older
    /// level has not come to it since.
    fn of_sides(&self, forks: &[Mark]) -> Vec<bool> {
        let mut out = vec![false; self.history.len()];
        for commit in 0..out.len() {
            let mark = self.mark(commit);
            out[commit] = if self.is_fork(commit) {
                mark.is_some_and(|mark| forks.contains(&mark))
            } else {
                let mut parents = self.history.parents(commit).iter();
                !self.own[commit] && mark != Some(Mark::Older) && parents.all(|&one| out[one])
            };
        }
        out
    }

    /// By commit, whether it is of a side that had the newer level where it was forked off, or may
    /// have had it.
    fn left_out(&self) -> Vec<bool> {
        self.of_sides(&[Mark::Newer, Mark::Skipped])
    }

    /// Commits at which sides were forked off with the newer level already, and those of their
    /// sides, the oldest first.
    #[must_use]
    pub fn sides_left_out(&self) -> Vec<usize> {
        let out = self.of_sides(&[Mark::Newer]);
        (0..out.len()).filter(|&commit| out[commit]).collect()
    }

    /// Commits of sides whose forks could not be judged that may be the first with the newer level,
    /// the oldest first: up to one that has it.
    fn in_doubt(&self) -> Vec<usize> {
        let (out, newer) = (self.left_out(), self.of_sides(&[Mark::Newer]));
        let inside = self.history.ancestors(&[self.newer()]);
        let ruled_out = self.ruled_out();
        let doubtful =
            |&commit: &usize| inside[commit] && out[commit] && !newer[commit] && !ruled_out[commit];
        let mut found = Vec::new();
        for commit in (0..inside.len()).filter(doubtful) {
            found.push(commit);
            if self.mark(commit) == Some(Mark::Newer) {
                break;
            }
        }
        found
    }

    /// By commit, whether one with the older level comes from it, or is it.
    fn ruled_out(&self) -> Vec<bool> {
        let marks = self.marks.iter().enumerate();
        let older = marks.filter(|(_, mark)| **mark == Some(Mark::Older));
        let older: Vec<usize> = older.map(|(commit, _)| commit).collect();
        self.history.ancestors(&older)
    }

    /// What is left where no commit in the range can be tried any more: these, and what is in doubt.
    fn rest(&self, all: Vec<usize>) -> Next {
        let mut rest = self.in_doubt();
        let untried = rest.iter().find(|commit| self.mark(**commit).is_none());
        if let Some(&commit) = untried {
            let left = rest.len();
            return Next::Try { commit, left };
        }
        rest.extend(all);
        rest.sort_unstable();
        match rest.as_slice() {
            [] => Next::Found(self.newer()),
            [one] => Next::Found(*one),
            _ => Next::Among(rest),
        }
    }

    /// The oldest commit that is known to have the newer end's level because of the range.
    fn newer(&self) -> usize {
        let out = self.left_out();
        let mut oldest = out.len() - 1;
        for &commit in self.newer.iter().filter(|&&commit| !out[commit]) {
            if self.history.ancestors(&[oldest])[commit] {
                oldest = commit;
            }
        }
        oldest
    }

    /// The commits of which one is the first with the newer level, the oldest first: ancestors of
    /// the oldest newer one that no older one has among its ancestors.
    #[must_use]
    pub fn candidates(&self) -> Vec<usize> {
        let open = self.open();
        (0..open.len()).filter(|&commit| open[commit]).collect()
    }

    fn open(&self) -> Vec<bool> {
        let mut open = self.history.ancestors(&[self.newer()]);
        let out = self.ruled_out().into_iter().zip(self.left_out());
        for (open, out) in open.iter_mut().zip(out) {
            *open &= !(out.0 || out.1);
        }
        open
    }

    /// The oldest fork, not tried yet, of the side that a commit is of.
    fn untried_fork(&self, of: usize) -> Option<usize> {
        let inside = self.history.ancestors(&[of]);
        let untried = |commit: usize| self.is_fork(commit) && self.mark(commit).is_none();
        (0..inside.len()).find(|&commit| !self.own[of] && inside[commit] && untried(commit))
    }

    /// What is to be done next: the candidate that halves what is left, as `git bisect` chooses it.
    /// Whichever of its sides the answer is on, the smaller of the two counts is ruled out.
    ///
    /// Where commits were skipped, those near them are likely to fail for the same reason: after
    /// the nth skip a commit is tried that is at least 2ⁿ⁻¹ away, as far as there is one.
    #[must_use]
    pub fn next(&self) -> Next {
        let open = self.open();
        let weights = self.history.weights(&open);
        let all: Vec<usize> = (0..open.len()).filter(|&commit| open[commit]).collect();
        let (count, newer) = (all.len(), self.newer());
        if let Some(commit) = self.untried_fork(newer) {
            let left = count - usize::from(open[commit]);
            return Next::Try { commit, left };
        }
        if count <= 1 {
            return self.rest(all);
        }
        let skipped = |commit: &usize| self.mark(*commit) == Some(Mark::Skipped);
        let away: Vec<usize> = all.iter().copied().filter(skipped).collect();
        let able: Vec<usize> = all
            .iter()
            .copied()
            .filter(|commit| *commit != newer && !skipped(commit))
            .collect();
        let halves = |commit: usize| weights[commit].min(count - weights[commit]);
        let mut gap = u32::try_from(away.len())
            .ok()
            .and_then(|skips| 1_usize.checked_shl(skips.checked_sub(1)?))
            .unwrap_or(0)
            .min(count);
        loop {
            let far = |commit: &usize| {
                let apart = |one: &usize| weights[*one].abs_diff(weights[*commit]) >= gap;
                away.iter().all(apart)
            };
            // The first of equals, so that the same history is searched the same way.
            let best = able.iter().copied().filter(far).rev();
            match best.max_by_key(|&commit| halves(commit)) {
                Some(commit) => {
                    let left = count - halves(commit);
                    return Next::Try { commit, left };
                }
                None if gap == 0 => return self.rest(all),
                None => gap /= 2,
            }
        }
    }
}

//! Every change along a line of commits: where neighbours differ the space between them is halved,
//! and where they do not it is sampled as densely as was asked for.

use std::collections::{BTreeMap, BTreeSet};

use proofmark_evidence::record::{End, Relation, StepOutcome, Stretch};
use proofmark_terms::StateIndex;

/// A survey of a line. Point 0 is the older end, the last point the newer one.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Commits that may lie unseen between two points that are alike.
    width: usize,
    /// By point, how it compares with the next point that is known; the last one has nothing to be
    /// compared with.
    known: BTreeMap<usize, Relation>,
    last: usize,
    skipped: BTreeSet<usize>,
    gradual: Vec<(usize, usize)>,
    /// Older points of pairs that could not be told, and must hold a change all the same: those
    /// around them differ.
    pursued: BTreeSet<usize>,
}

/// A point that is to be compared with its neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// The next older point that is known.
    pub older: usize,
    /// The point.
    pub commit: usize,
    /// The next newer point that is known.
    pub newer: usize,
}

impl Survey {
    /// A line from point 0 to point `last`, of which the ends are known. Between points that are
    /// alike at most `width` commits stay unseen.
    #[must_use]
    pub fn new(last: usize, width: usize, ends: Relation) -> Survey {
        Survey {
            width,
            known: BTreeMap::from([(0, ends)]),
            last,
            skipped: BTreeSet::new(),
            gradual: Vec::new(),
            pursued: BTreeSet::new(),
        }
    }

    /// Known neighbours and how they compare, from the oldest on.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize, Relation)> {
        let next = self.known.keys().skip(1).copied().chain([self.last]);
        let pairs = self.known.iter().zip(next);
        pairs.map(|((&older, &relation), newer)| (older, newer, relation))
    }

    /// The longest run of points between two others that may be tried; its length.
    fn room(&self, older: usize, newer: usize) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize)> = None;
        let mut from = older + 1;
        for at in older + 1..=newer {
            if at == newer || self.skipped.contains(&at) {
                if at > from && best.is_none_or(|(_, long)| at - from > long) {
                    best = Some((from, at - from));
                }
                from = at + 1;
            }
        }
        best
    }

    /// What is tried next; `None` when every change is narrowed down and nothing that is alike is
    /// too far apart. Changes come first, then the widest space between points that are alike.
    #[must_use]
    pub fn next(&self) -> Option<Look> {
        let open = |(older, newer, relation): (usize, usize, Relation)| {
            let (from, long) = self.room(older, newer)?;
            let wide = newer - older - 1 > self.width;
            let changed = relation == Relation::Differs || self.pursued.contains(&older);
            let look = Look {
                older,
                commit: from + long / 2,
                newer,
            };
            (changed || wide).then_some((changed, newer - older, look))
        };
        let all = self.pairs().filter_map(open);
        let first = all
            .max_by_key(|(changed, long, look)| (*changed, *long, std::cmp::Reverse(look.older)));
        first.map(|(_, _, look)| look)
    }

    /// Points between neighbours that are still to be looked between.
    #[must_use]
    pub fn open(&self) -> usize {
        let wanted = |(older, newer, relation): (usize, usize, Relation)| {
            let changed = relation == Relation::Differs || self.pursued.contains(&older);
            let is_open = changed || newer - older - 1 > self.width;
            let able = (older + 1..newer).filter(|at| !self.skipped.contains(at));
            if is_open { able.count() } else { 0 }
        };
        self.pairs().map(wanted).sum()
    }

    /// A point with its nearest neighbours that are known.
    #[must_use]
    pub fn around(&self, commit: usize) -> Look {
        let older = self.known.range(..commit).next_back();
        let newer = self.known.range(commit + 1..).next();
        Look {
            older: older.map_or(0, |(&point, _)| point),
            commit,
            newer: newer.map_or(self.last, |(&point, _)| point),
        }
    }

    /// How two neighbours compare, by the older one's point.
    #[must_use]
    pub fn relation(&self, older: usize) -> Option<Relation> {
        self.known.get(&older).copied()
    }

    /// Notes how a point compares with its neighbours.
    pub fn set(&mut self, look: Look, older: Relation, newer: Relation) {
        let before = self.known.get(&look.older).copied();
        let pursued = self.pursued.remove(&look.older);
        let both = [older, newer];
        if (pursued || before == Some(Relation::Differs)) && !both.contains(&Relation::Differs) {
            if both == [Relation::Alike; 2] {
                self.gradual.push((look.older, look.newer));
            }
            for (point, relation) in [(look.older, older), (look.commit, newer)] {
                if relation == Relation::Unclear {
                    self.pursued.insert(point);
                }
            }
        }
        self.known.insert(look.older, older);
        self.known.insert(look.commit, newer);
    }

    /// Notes what came of a step on a commit, which is the point behind its place.
    pub fn note(&mut self, commit: StateIndex, outcome: &StepOutcome) {
        let point = commit.place() + 1;
        let look = self.around(point);
        let between = self.relation(look.older).unwrap_or(Relation::Unclear);
        match outcome {
            StepOutcome::Beside { older, newer, .. } => {
                self.set(look, older.relation, newer.relation);
            }
            StepOutcome::SameProgram {
                like: End::Older, ..
            } => self.set(look, Relation::Alike, between),
            StepOutcome::SameProgram {
                like: End::Newer, ..
            } => self.set(look, between, Relation::Alike),
            _ => self.skip(point),
        }
    }

    /// Notes that a point cannot be judged.
    pub fn skip(&mut self, commit: usize) {
        self.skipped.insert(commit);
    }

    /// The changes: neighbours that differ, from the oldest on. The change is one of the points
    /// after the first up to the second; several where those between cannot be judged.
    #[must_use]
    pub fn changes(&self) -> Vec<(usize, usize)> {
        self.pairs_that(Relation::Differs)
    }

    /// Neighbours of which it could not be told whether they differ by more than the margin.
    #[must_use]
    pub fn unclear(&self) -> Vec<(usize, usize)> {
        self.pairs_that(Relation::Unclear)
    }

    fn pairs_that(&self, wanted: Relation) -> Vec<(usize, usize)> {
        let those = self.pairs().filter(|(.., relation)| *relation == wanted);
        those.map(|(older, newer, _)| (older, newer)).collect()
    }

    /// Ranges whose ends differ, while the point between them is like both, and in which nothing
    /// was found later: steps below the margin that add up.
    #[must_use]
    pub fn gradual(&self) -> Vec<(usize, usize)> {
        let found = [self.changes(), self.unclear()].concat();
        let holds_none = |(from, to): &&(usize, usize)| {
            let within = |(older, newer): &(usize, usize)| from <= older && newer <= to;
            !found.iter().any(within)
        };
        self.gradual.iter().filter(holds_none).copied().collect()
    }

    /// Most commits in a row between two points that were not seen to differ: a peak that is as
    /// narrow was not seen.
    #[must_use]
    pub fn unseen(&self) -> usize {
        let others = self
            .pairs()
            .filter(|(.., relation)| *relation != Relation::Differs);
        others
            .map(|(older, newer, _)| newer - older - 1)
            .max()
            .unwrap_or(0)
    }
}

/// The place of a point's commit.
#[must_use]
pub fn before(point: usize) -> StateIndex {
    StateIndex::at(point.saturating_sub(1))
}

/// The commits after one point, up to another.
#[must_use]
pub fn stretch((older, newer): (usize, usize)) -> Stretch {
    Stretch {
        after: older.checked_sub(1).map(StateIndex::at),
        to: before(newer),
    }
}

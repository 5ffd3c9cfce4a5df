//! Every change along a line of commits: where neighbours differ the space between them is halved,
//! and where they do not it is sampled as densely as was asked for.

use std::collections::{BTreeMap, BTreeSet};

/// How two points of a line compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They differ by more than the margin.
    Differs,
    /// They do not.
    Alike,
}

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
            let wanted = relation == Relation::Differs || wide;
            let look = Look {
                older,
                commit: from + long / 2,
                newer,
            };
            wanted.then_some((relation == Relation::Differs, newer - older, look))
        };
        let all = self.pairs().filter_map(open);
        let first = all
            .max_by_key(|(differs, long, look)| (*differs, *long, std::cmp::Reverse(look.older)));
        first.map(|(_, _, look)| look)
    }

    /// Notes how a point compares with its neighbours.
    pub fn set(&mut self, look: Look, older: Relation, newer: Relation) {
        let before = self.known.get(&look.older).copied();
        let both = [older, newer];
        if before == Some(Relation::Differs) && both == [Relation::Alike; 2] {
            self.gradual.push((look.older, look.newer));
        }
        self.known.insert(look.older, older);
        self.known.insert(look.commit, newer);
    }

    /// Notes that a point cannot be judged.
    pub fn skip(&mut self, commit: usize) {
        self.skipped.insert(commit);
    }

    /// The changes: neighbours that differ, from the oldest on. The change is one of the points
    /// after the first up to the second; several where those between cannot be judged.
    #[must_use]
    pub fn changes(&self) -> Vec<(usize, usize)> {
        let differ = self
            .pairs()
            .filter(|(.., relation)| *relation == Relation::Differs);
        differ.map(|(older, newer, _)| (older, newer)).collect()
    }

    /// Ranges whose ends differ, while the point between them is like both: steps below the margin
    /// that add up.
    #[must_use]
    pub fn gradual(&self) -> &[(usize, usize)] {
        &self.gradual
    }

    /// Most commits in a row between two points that are alike: a peak that is as narrow was not
    /// seen.
    #[must_use]
    pub fn unseen(&self) -> usize {
        let alike = self
            .pairs()
            .filter(|(.., relation)| *relation == Relation::Alike);
        alike
            .map(|(older, newer, _)| newer - older - 1)
            .max()
            .unwrap_or(0)
    }
}

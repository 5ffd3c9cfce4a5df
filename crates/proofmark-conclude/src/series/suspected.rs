//! Changes of the level that a line's values show and that nobody has compared yet.

use proofmark_terms::{Better, Commit, Interval, Margin};

use super::line::{Line, Way};
use crate::history::{ChangeSize, Point, Series, Ties, conclude_history};

/// A change of the level that values show.
#[derive(Clone, Debug)]
pub struct Suspected<'a> {
    /// The last point of the old level.
    pub older: &'a Commit,
    /// The first point of the new level.
    pub newer: &'a Commit,
    /// The way in which it shows; of one that shows in both, over layouts.
    pub way: Way,
    /// New ÷ old.
    pub ratio: Interval,
}

impl<'a> Line<'a> {
    /// The changes beyond the margin that the values show and that no comparison has covered, the
    /// oldest first. At most 5 % of lines without a change get one in each way, as in
    /// [`crate::history`].
    #[must_use]
    pub fn suspected(&self, margin: Margin, better: Better) -> Vec<Suspected<'a>> {
        let pairs = self.pairs(margin, better);
        let mut found: Vec<(u32, Suspected<'a>)> = Vec::new();
        for way in [Way::Drawn, Way::Shipped] {
            let Some(values) = self.values(way) else {
                continue;
            };
            let points = values.iter().map(|ln| Point {
                commit: None,
                time_ms: None,
                value: ln.exp(),
            });
            let series = Series {
                name: String::new(),
                unit: None,
                points: points.collect(),
                ties: Ties::InOrder,
            };
            for change in conclude_history(&series).map_or(Vec::new(), |found| found.changes) {
                let ChangeSize::Ratio(ratio) = change.size else {
                    continue;
                };
                // Any of the places at which the level may change as well.
                let first = change.within.start.saturating_sub(1);
                let ends = self
                    .points
                    .get(first)
                    .zip(self.points.get(change.within.end - 1));
                let edge = self
                    .points
                    .get(change.at - 1)
                    .zip(self.points.get(change.at));
                let (Some((from, to)), Some((older, newer))) = (ends, edge) else {
                    continue;
                };
                let compared = pairs
                    .iter()
                    .any(|pair| pair.from < to.place && from.place < pair.to);
                let known = found
                    .iter()
                    .any(|(place, _)| (from.place + 1..=to.place).contains(place));
                if !compared && !known && ratio.estimate.ln().abs() >= margin.ln() {
                    let suspected = Suspected {
                        older: older.commit,
                        newer: newer.commit,
                        way,
                        ratio,
                    };
                    found.push((newer.place, suspected));
                }
            }
        }
        found.sort_by_key(|(place, _)| *place);
        found.into_iter().map(|(_, one)| one).collect()
    }
}

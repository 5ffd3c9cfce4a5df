//! Changes of the level that a line's values show and that nobody has compared yet.

use proofmark_terms::{Better, Commit, Interval, Margin};

use super::line::{Line, LinePoint, Way};
use super::pair::LevelChange;
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
    /// What the same two points are apart over layouts, of one that shows as shipped alone.
    pub over_layouts: Option<Interval>,
}

/// Neighbours are apart where the interval between them, made so many times as wide, leaves no room
/// for the margin. The intervals of points are of 95 %. Twice as wide is four standard errors, which
/// noise exceeds in one of ten thousand pairs.
const APART: f64 = 2.0;

impl<'a> Line<'a> {
    /// The changes beyond the margin that the values show and that no comparison has covered, the
    /// oldest first. At most 5 % of lines without a change get one in each way, as in
    /// [`crate::history`]. That takes a few points that stand out for disturbed ones. These were
    /// measured, and each has its error: neighbours that are further apart are a change, however
    /// few they are.
    #[must_use]
    pub fn suspected(&self, margin: Margin, better: Better) -> Vec<Suspected<'a>> {
        let pairs = self.pairs(margin, better);
        let mut found: Vec<(u32, Suspected<'a>)> = Vec::new();
        let is_new = |found: &[(u32, Suspected<'a>)], from: &LinePoint<'_>, to: &LinePoint<'_>| {
            let compared = |pair: &LevelChange<'_>| pair.from < to.place && from.place < pair.to;
            let known = |(place, _): &(u32, _)| (from.place + 1..=to.place).contains(place);
            !pairs.iter().any(compared) && !found.iter().any(known)
        };
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
                if is_new(&found, from, to) && ratio.estimate.ln().abs() >= margin.ln() {
                    found.push((newer.place, self.suspicion([older, newer], way, ratio)));
                }
            }
            for (older, newer) in self.points.iter().zip(self.points.iter().skip(1)) {
                let Some(ratio) = self.difference(older, newer, way) else {
                    continue;
                };
                let beyond = ratio.estimate.ln().abs() - APART * ratio.half_width();
                if is_new(&found, older, newer) && beyond >= margin.ln() {
                    found.push((newer.place, self.suspicion([older, newer], way, ratio)));
                }
            }
        }
        found.sort_by_key(|(place, _)| *place);
        found.into_iter().map(|(_, one)| one).collect()
    }

    fn suspicion(
        &self,
        [older, newer]: [&LinePoint<'a>; 2],
        way: Way,
        ratio: Interval,
    ) -> Suspected<'a> {
        let over_layouts = match way {
            Way::Drawn => None,
            Way::Shipped => self.difference(older, newer, Way::Drawn),
        };
        Suspected {
            older: older.commit,
            newer: newer.commit,
            way,
            ratio,
            over_layouts,
        }
    }
}

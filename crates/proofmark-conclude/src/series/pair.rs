//! What a fresh comparison of two points says, and the changes of a line that come of it.

use proofmark_evidence::record::{EntryOf, PairOutcome, PairReason, TwoWays};
use proofmark_evidence::{ExperimentId, Recorded};
use proofmark_terms::{Better, Commit, CommitId, Interval, Margin, Verdict};

use super::line::{Line, Way};
use crate::bisect::only_comparison;
use crate::error::ConcludeError;

/// What a fresh comparison of two points says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairFound {
    /// The program changed: over layouts, by more than the margin.
    Changed,
    /// The builds differ, and placement was not varied.
    ChangedAsShipped,
    /// The builds differ as shipped, and over layouts by no more than the margin.
    Placement,
    /// The builds differ as shipped, and whether they do over layouts is not decided.
    PlacementPerhaps,
    /// There is no difference beyond the margin.
    NotConfirmed,
    /// Whether there is one is not decided.
    Undecided,
}

impl PairFound {
    /// Whether there is something to be shown.
    #[must_use]
    pub const fn is_change(self) -> bool {
        !matches!(self, PairFound::NotConfirmed | PairFound::Undecided)
    }

    /// Whether the program is known to have changed, or not to.
    #[must_use]
    pub const fn is_decided(self) -> bool {
        !matches!(self, PairFound::Undecided | PairFound::PlacementPerhaps)
    }
}

/// What a comparison says at a margin.
#[must_use]
pub fn pair_found(found: &TwoWays, margin: Margin, better: Better) -> PairFound {
    let said = |interval: &Interval| Verdict::of(interval, margin, better);
    let differs = |verdict: Verdict| matches!(verdict, Verdict::Faster | Verdict::Slower);
    let shipped = said(&found.shipped);
    let Some(drawn) = &found.drawn else {
        return match shipped {
            verdict if differs(verdict) => PairFound::ChangedAsShipped,
            Verdict::Undecided => PairFound::Undecided,
            _ => PairFound::NotConfirmed,
        };
    };
    match (said(drawn), differs(shipped)) {
        (verdict, _) if differs(verdict) => PairFound::Changed,
        (Verdict::Undecided, true) => PairFound::PlacementPerhaps,
        (Verdict::Undecided, false) => PairFound::Undecided,
        (_, true) => PairFound::Placement,
        (_, false) => PairFound::NotConfirmed,
    }
}

/// A change of a line's level.
#[derive(Clone, Debug)]
pub struct LevelChange<'a> {
    /// The last commit that is known to have the old level.
    pub older: &'a Commit,
    /// Its place.
    pub from: u32,
    /// The first commit that is known to have the new level.
    pub newer: &'a Commit,
    /// Its place.
    pub to: u32,
    /// What it is.
    pub found: PairFound,
    /// New ÷ old.
    pub ratio: TwoWays,
    /// The experiment in which both were compared.
    pub experiment: &'a ExperimentId,
    /// Why they were compared.
    pub why: PairReason,
}

impl LevelChange<'_> {
    /// How many commits it may be: 1 where the two are neighbours.
    #[must_use]
    pub fn commits(&self) -> u32 {
        self.to.saturating_sub(self.from).max(1)
    }
}

impl<'a> Line<'a> {
    /// The comparisons of two points, the oldest first; of a pair that was compared twice the last
    /// one.
    #[must_use]
    pub fn pairs(&self, margin: Margin, better: Better) -> Vec<LevelChange<'a>> {
        let mut pairs: Vec<LevelChange<'a>> = Vec::new();
        for entry in &self.entries {
            let EntryOf::Pair {
                older,
                newer,
                why,
                outcome:
                    PairOutcome::Compared {
                        experiment, found, ..
                    },
            } = &entry.of
            else {
                continue;
            };
            let point = |id: &CommitId| self.points.iter().find(|point| point.commit.id == *id);
            let (Some(older), Some(newer)) = (point(older), point(newer)) else {
                continue;
            };
            pairs.retain(|pair| (pair.from, pair.to) != (older.place, newer.place));
            pairs.push(LevelChange {
                older: older.commit,
                from: older.place,
                newer: newer.commit,
                to: newer.place,
                found: pair_found(found, margin, better),
                ratio: *found,
                experiment,
                why: *why,
            });
        }
        pairs.sort_by_key(|pair| (pair.to, pair.from));
        pairs
    }

    /// The changes of the level that a comparison confirmed, the oldest first. Of two that are of
    /// one change the narrower one is there: one within which others lie is there where these do not
    /// make up what it is.
    #[must_use]
    pub fn changes(&self, margin: Margin, better: Better) -> Vec<LevelChange<'a>> {
        let mut all = self.pairs(margin, better);
        all.retain(|pair| pair.found.is_change());
        let within = |wide: &LevelChange<'_>| {
            let narrower = all.iter().filter(|one| lies_within(one, wide));
            narrower.cloned().collect::<Vec<_>>()
        };
        let innermost = |pair: &LevelChange<'_>| within(pair).is_empty();
        let kept = all.iter().filter(|pair| {
            let mut parts = within(pair);
            parts.retain(|part| innermost(part));
            parts.is_empty() || !make_up(&parts, pair, margin)
        });
        kept.cloned().collect()
    }

    /// The change that a comparison confirmed of a point and one before it; of several the one that
    /// names the fewest commits.
    #[must_use]
    pub fn confirmed_at(
        &self,
        place: u32,
        margin: Margin,
        better: Better,
    ) -> Option<LevelChange<'a>> {
        let pairs = self.pairs(margin, better).into_iter();
        let mut confirmed = pairs.filter(|pair| pair.to == place && is_of_program(pair.found));
        confirmed.next_back()
    }

    /// Values of all points in one way, for a change that nobody has compared.
    #[must_use]
    pub fn values(&self, way: Way) -> Option<Vec<f64>> {
        let points = self.points.iter();
        points.map(|point| self.value(point, way)).collect()
    }
}

/// What an experiment of two builds says, over layouts and as shipped.
///
/// # Errors
///
/// It has no conclusion, or was not measured as shipped.
pub fn two_ways(recorded: &Recorded) -> Result<TwoWays, ConcludeError> {
    let comparison = only_comparison(recorded)?;
    let blocks = recorded.conclusion.as_ref().map_or(0, |one| one.blocks);
    if !recorded.experiment.layouts.is_drawn() {
        return Ok(TwoWays {
            drawn: None,
            shipped: comparison.interval,
            blocks,
        });
    }
    let shipped = comparison.as_shipped.as_ref().map(|one| one.interval);
    let id = recorded.id.short();
    Ok(TwoWays {
        drawn: Some(comparison.interval),
        shipped: shipped.ok_or_else(|| {
            ConcludeError::Design(format!("experiment {id} has no figures as shipped"))
        })?,
        blocks,
    })
}

/// Whether one comparison lies within another, and may be of the same change.
fn lies_within(narrow: &LevelChange<'_>, wide: &LevelChange<'_>) -> bool {
    wide.from <= narrow.from
        && narrow.to <= wide.to
        && (wide.from, wide.to) != (narrow.from, narrow.to)
        && is_of_program(narrow.found) == is_of_program(wide.found)
}

/// Whether a program changed, and not the place of its code alone.
pub(super) fn is_of_program(found: PairFound) -> bool {
    matches!(found, PairFound::Changed | PairFound::ChangedAsShipped)
}

/// Whether changes within another one are together what that one is, as near as the margin and
/// their intervals tell: ln of a product is the sum.
fn make_up(parts: &[LevelChange<'_>], whole: &LevelChange<'_>, margin: Margin) -> bool {
    let interval = |change: &LevelChange<'_>| match change.ratio.drawn {
        Some(drawn) if change.found == PairFound::Changed => drawn,
        _ => change.ratio.shipped,
    };
    let size = |change: &LevelChange<'_>| interval(change).estimate.ln();
    let room = |change: &LevelChange<'_>| interval(change).half_width();
    let rest = size(whole) - parts.iter().map(size).sum::<f64>();
    rest.abs() <= margin.ln() + room(whole) + parts.iter().map(room).sum::<f64>()
}

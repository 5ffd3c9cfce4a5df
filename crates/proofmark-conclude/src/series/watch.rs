//! The newest point of a line against the level before it.

use proofmark_evidence::record::PairReason;
use proofmark_stats::changes::{PENALTY, Watch, one_sided};
use proofmark_stats::median;
use proofmark_terms::{Better, Commit, Margin};

use super::line::{Line, LinePoint, Way};
use super::pair::{LevelChange, PairFound, is_of_program};

/// What a line's newest point is on.
#[derive(Clone, Debug)]
pub struct Watched<'a> {
    /// The newest point.
    pub newest: &'a Commit,
    /// Points of the level that it is held against, itself included.
    pub points: usize,
    /// Twice the log likelihood ratio of the clearest change; 0 where there is none.
    pub statistic: f64,
    /// The statistic beyond which there is an alarm.
    pub penalty: f64,
    /// The standard deviation of the noise of points, as ln.
    pub noise: f64,
    /// What was seen, if that is an alarm.
    pub alarm: Option<AlarmSeen>,
}

/// The level seems to have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlarmSeen {
    /// The place of a point that stands for the level before: the last one, where that lies on it.
    pub older: u32,
    /// The place of the newest point.
    pub newest: u32,
    /// The value rose.
    pub rises: bool,
}

/// Alarms of a line by their direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AlarmCount {
    /// Alarms at values that rose.
    pub rose: u32,
    /// Alarms at values that fell.
    pub fell: u32,
    /// Those of `rose` that a comparison did not confirm.
    pub rose_in_vain: u32,
    /// Those of `fell` that a comparison did not confirm.
    pub fell_in_vain: u32,
}

impl AlarmCount {
    /// How often alarms would be as one-sided by chance, if both directions were as likely; of all
    /// of them, and of those that were none.
    #[must_use]
    pub fn by_chance(&self) -> (f64, f64) {
        (
            one_sided(self.rose, self.fell),
            one_sided(self.rose_in_vain, self.fell_in_vain),
        )
    }
}

/// The size of a normal variable's step from one value to the next is so many standard deviations
/// in the median: 0.6745 of a difference, which has √2 of them.
const MEDIAN_STEP: f64 = 0.953_873;

/// Half of a 95 % interval is so many standard errors at least: what is known of one block counts
/// as if many were there, so that the noise is not taken for smaller than it is.
const HALF: f64 = 1.96;

/// Fewer points than this say nothing of their own noise.
const FEWEST: usize = 8;

/// Of the margin: noise that is smaller counts as this, of programs that count what they do.
const LEAST: f64 = 0.05;

impl<'a> Line<'a> {
    /// The newest point against the level before it; `None` of a line without points.
    #[must_use]
    pub fn watched(&self, margin: Margin, better: Better) -> Option<Watched<'a>> {
        self.watched_at(self.points.last()?.place, margin, better)
    }

    /// The point at a place against the level before it, as if there were none behind it; `None`
    /// where there is no such point.
    ///
    /// The level begins behind the last change that a comparison confirmed. Where one said that an
    /// alarm was none, the watch goes on from there, with the level that it has. Where it did not
    /// decide, the change may still be there: the next point is held against the same level.
    #[must_use]
    pub fn watched_at(&self, place: u32, margin: Margin, better: Better) -> Option<Watched<'a>> {
        let newest = self.at(place)?;
        let way = [Way::Drawn, Way::Shipped]
            .into_iter()
            .find(|way| self.values(*way).is_some())?;
        let mut pairs = self.pairs(margin, better);
        pairs.retain(|pair| pair.to <= place);
        let changed = |pair: &&LevelChange<'_>| is_of_program(pair.found);
        // What lies between both has the one level or the other.
        let begins = pairs.iter().filter(changed).map(|pair| pair.to).max();
        let in_vain = |place: u32| {
            let alarm = |pair: &&LevelChange<'_>| {
                matches!(pair.why, PairReason::Alarm { .. }) && pair.to == place
            };
            let none = pairs
                .iter()
                .filter(|pair| !changed(pair) && pair.found.is_decided());
            none.into_iter().any(|pair| alarm(&pair))
        };
        let since = |point: &&LinePoint<'a>| (begins.unwrap_or(0)..=place).contains(&point.place);
        let level: Vec<&LinePoint<'a>> = self.points.iter().filter(since).collect();
        let values: Vec<f64> = level
            .iter()
            .filter_map(|point| self.value(point, way))
            .collect();
        let noise = self.noise(&level, &values, way).max(LEAST * margin.ln());
        let mut watch = Watch::new();
        for (point, value) in level.iter().zip(&values) {
            watch.push(value / noise);
            if in_vain(point.place) {
                watch.forgive();
            }
        }
        let seen = watch.clearest();
        let far = |size: f64| size.abs() * noise >= margin.ln();
        let alarm = seen.filter(|seen| seen.statistic > PENALTY && far(seen.size));
        let alarm = alarm.and_then(|seen| {
            let before = stands_for(values.get(..seen.at)?, margin)?;
            Some(AlarmSeen {
                older: level.get(before)?.place,
                newest: newest.place,
                rises: seen.size > 0.0,
            })
        });
        Some(Watched {
            newest: newest.commit,
            points: level.len(),
            statistic: seen.map_or(0.0, |seen| seen.statistic),
            penalty: PENALTY,
            noise,
            alarm,
        })
    }

    /// The noise of points about their level: what their blocks say, or what neighbours differ by
    /// where that is more.
    fn noise(&self, level: &[&LinePoint<'_>], values: &[f64], way: Way) -> f64 {
        let halves = level.iter().filter_map(|point| self.half_width(point, way));
        // The anchor has none of its own.
        let halves: Vec<f64> = halves.filter(|half| *half > 0.0).collect();
        let squares = halves.iter().map(|half| (half / HALF).powi(2));
        let of_blocks = (squares.sum::<f64>() / halves.len().max(1) as f64).sqrt();
        let steps = values.windows(2).map(|two| (two[1] - two[0]).abs());
        let steps: Vec<f64> = steps.collect();
        let of_steps = if values.len() < FEWEST {
            0.0
        } else {
            median(&steps).unwrap_or(0.0) / MEDIAN_STEP
        };
        of_blocks.max(of_steps)
    }

    /// The last alarm at a point, whatever came of it.
    #[must_use]
    pub fn alarm_at(&self, place: u32, margin: Margin, better: Better) -> Option<LevelChange<'a>> {
        let alarm = |pair: &LevelChange<'_>| {
            matches!(pair.why, PairReason::Alarm { .. }) && pair.to == place
        };
        let pairs = self.pairs(margin, better).into_iter();
        pairs.rev().find(alarm)
    }

    /// Alarms by their direction.
    #[must_use]
    pub fn alarms(&self, margin: Margin, better: Better) -> AlarmCount {
        let mut count = AlarmCount::default();
        for pair in self.pairs(margin, better) {
            let PairReason::Alarm { rises } = pair.why else {
                continue;
            };
            let vain = u32::from(pair.found == PairFound::NotConfirmed);
            let (all, none) = if rises {
                (&mut count.rose, &mut count.rose_in_vain)
            } else {
                (&mut count.fell, &mut count.fell_in_vain)
            };
            *all += 1;
            *none += vain;
        }
        count
    }
}

/// Which of these values stands for their level, by its place: the last one that lies within the
/// margin of their median, or else the nearest. Where a level drifts, the last value is no more on
/// it than the one behind it.
fn stands_for(values: &[f64], margin: Margin) -> Option<usize> {
    let middle = median(values)?;
    let off = |value: &f64| (value - middle).abs();
    let last = values.iter().rposition(|value| off(value) <= margin.ln());
    last.or_else(|| {
        let near = values.iter().enumerate();
        let nearest = near.min_by(|one, other| off(one.1).total_cmp(&off(other.1)));
        nearest.map(|(place, _)| place)
    })
}

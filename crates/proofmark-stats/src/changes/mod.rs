//! Where the level of a series changes: a history of one benchmark, one value for each commit.
//!
//! Levels are found exactly under a loss that forgives single outliers (`segment`). Whether there
//! is any change at all is a permutation test (`chance`). Where a change may lie as well is read
//! from the loss (`place`).

mod chance;
mod online;
mod place;
mod segment;

use std::ops::Range;

pub use online::{Clearest, PENALTY, RUN_LENGTH, Watch, one_sided};

use crate::quantile::t_two_sided;

/// The share of series without a change in which one is found at most, where noise is independent
/// and of one distribution, whatever that is.
pub const FALSE_SERIES: f64 = 0.05;

/// Fewer values than this have no change that chance could not have made.
pub const FEWEST: usize = 6;

/// The levels of a series, and where one ends and the next begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Levels {
    /// In the order of the series; always one at least.
    pub levels: Vec<Level>,
    /// Between each level and the next; one less than there are levels.
    pub changes: Vec<Change>,
    /// The standard deviation of the noise about the levels, in the series' unit.
    pub noise: f64,
    /// How often a series without any change would show one as clear as the clearest here; 0 to 1.
    /// None where no change was found.
    pub p_value: Option<f64>,
}

/// Values that are alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// Positions in the series.
    pub at: Range<usize>,
    /// The mean of its values but the outliers; in the series' unit.
    pub mean: f64,
    /// The mean's standard error; in the series' unit.
    pub error: f64,
    /// Values that lie three standard deviations of the noise or more from the mean.
    pub outliers: usize,
}

/// A change from one level to the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The position of the first value of the new level.
    pub at: usize,
    /// Positions at which the new level may begin as well (95 % for one change).
    pub within: Range<usize>,
    /// The new level less the old one; in the series' unit.
    pub size: f64,
    /// Half the width of the size's 95 % interval, as if its place had been known beforehand.
    pub half_width: f64,
}

/// The levels of a series of finite values and where they change; `None` where a value is not
/// finite or there is none. Give logarithms where what counts is a ratio.
///
/// At most `FALSE_SERIES` of series without a change get one, where noise is independent and of one
/// distribution, whatever that is: a permutation test of the whole series comes first. It is exact
/// up to 200 values; of longer series parts are permuted, and the rest is extrapolated. Trends
/// are found as changes, and so is noise that depends on the noise before it.
///
/// The noise is what neighbours differ by, and more where a trend is steeper than that: no level
/// would hold most of its values.
#[must_use]
pub fn levels(series: &[f64], seed: u64) -> Option<Levels> {
    if series.is_empty() || !series.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut scaled = Scaled::of(series);
    let (levels, p_value) = loop {
        let (levels, p_value) = found(&scaled, seed);
        if scaled.unit == 0.0 || are_levels(&levels) {
            break (levels, p_value);
        }
        scaled = scaled.wider();
    };
    let changes = levels.windows(2).map(|two| {
        let (old, new) = (&two[0], &two[1]);
        Change {
            at: new.at.start,
            within: place::within(&scaled.values, &old.at, &new.at),
            size: new.mean - old.mean,
            half_width: half_width(old, new),
        }
    });
    Some(Levels {
        changes: changes.collect(),
        noise: scaled.unit,
        p_value,
        levels,
    })
}

/// The levels on one scale, and how often chance shows one as clear.
fn found(scaled: &Scaled, seed: u64) -> (Vec<Level>, Option<f64>) {
    let (changes, p_value) = chance::beyond_chance(&scaled.values, seed);
    let mut bounds = vec![0];
    bounds.extend(&changes);
    bounds.push(scaled.values.len());
    let parts = bounds.windows(2).map(|ends| ends[0]..ends[1]);
    (parts.map(|at| Level::of(scaled, at)).collect(), p_value)
}

/// Whether most values lie near the level that they are counted to. Of a series that drifts by
/// more than its neighbours differ they do not: the steps say too little of its noise.
fn are_levels(levels: &[Level]) -> bool {
    let outliers: usize = levels.iter().map(|level| level.outliers).sum();
    let values: usize = levels.iter().map(|level| level.at.len()).sum();
    2 * outliers <= values
}

fn half_width(old: &Level, new: &Level) -> f64 {
    let freedom = (old.at.len() + new.at.len()).saturating_sub(2).max(1);
    t_two_sided(0.05, freedom as f64) * old.error.hypot(new.error)
}

/// A series on the scale on which its noise has a standard deviation of 1.
struct Scaled {
    values: Vec<f64>,
    /// What is 0 on this scale.
    centre: f64,
    /// What is 1 on this scale; 0 where all values are the same.
    unit: f64,
}

/// The median of |x| is so many standard deviations where x is normal.
const MEDIAN_OF_NORMAL: f64 = 0.674_489_750_196_081_7;

impl Scaled {
    /// The noise is read from the steps between neighbours, of which few are changes: their median
    /// size (Hampel 1974, *The influence curve and its role in robust estimation*), ÷ √2. Where
    /// most neighbours are equal, a clock ticks coarsely or nothing varies: it is the root of the
    /// mean square of the steps, each of those that are not 0 counted as the median one of them.
    fn of(series: &[f64]) -> Scaled {
        let centre = crate::median(series).unwrap_or(0.0);
        let steps = series.windows(2).map(|two| (two[1] - two[0]).abs());
        let mut steps: Vec<f64> = steps.collect();
        steps.sort_by(f64::total_cmp);
        let middle = steps.get(steps.len() / 2).copied().unwrap_or(0.0);
        let step = if middle > 0.0 {
            middle / MEDIAN_OF_NORMAL
        } else {
            let some = &steps[steps.partition_point(|step| *step == 0.0)..];
            let share = some.len() as f64 / steps.len().max(1) as f64;
            some.get(some.len() / 2).copied().unwrap_or(0.0) * share.sqrt()
        };
        let unit = step / 2.0_f64.sqrt();
        let scale = |value: &f64| {
            if unit > 0.0 {
                (value - centre) / unit
            } else {
                0.0
            }
        };
        Scaled {
            values: series.iter().map(scale).collect(),
            centre,
            unit,
        }
    }

    /// The same with twice the noise.
    fn wider(self) -> Scaled {
        Scaled {
            values: self.values.into_iter().map(|value| value / 2.0).collect(),
            unit: self.unit * 2.0,
            ..self
        }
    }
}

impl Level {
    fn of(scaled: &Scaled, at: Range<usize>) -> Level {
        let values = &scaled.values[at.clone()];
        let (level, near) = place::level(values);
        Level {
            mean: scaled.centre + level * scaled.unit,
            error: scaled.unit / (near.max(1) as f64).sqrt(),
            outliers: values.len() - near,
            at,
        }
    }
}

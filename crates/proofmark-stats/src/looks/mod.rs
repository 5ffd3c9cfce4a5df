//! Looking after every block, and an interval that may be believed at each.

mod chain;
mod gauss;
mod row;
mod shipped;
mod solve;
mod table;

use thiserror::Error;

pub use solve::solve_nominal_alpha;

use crate::moments::Moments;
use crate::quantile::t_two_sided;
use crate::{Effect, Interval};

/// The most blocks that a design may have.
pub const MOST_BLOCKS: u32 = 500;
/// Most comparisons that share a confidence.
const MOST_COMPARISONS: u32 = 100_000;

/// The highest confidence of a design.
const MOST_CONFIDENCE: f64 = 0.999_999;

/// Repeated looks at a growing number of blocks: after each block from the first look to the last
/// there is an interval, and all of them hold *together* with the stated confidence, so that
/// stopping at any of them is honest (repeated confidence intervals; Jennison and Turnbull, J. R.
/// Statist. Soc. B 51, 1989).
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    confidence: f64,
    min: u32,
    max: u32,
    comparisons: u32,
    nominal_alpha: f64,
    /// What |t| must not exceed at each look, from `min` on.
    critical: Vec<f64>,
}

/// Why a design of looks is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum LooksError {
    /// The confidence is not one.
    #[error("a confidence of {0} is impossible; give one from 0.5 to 0.999999, for instance 0.95")]
    Confidence(f64),
    /// The blocks are not a range.
    #[error(
        "{min}..{max} blocks are impossible; the first look needs at least 2 blocks, the last at least as many, at most {MOST_BLOCKS}"
    )]
    Blocks {
        /// Blocks at the first look.
        min: u32,
        /// Blocks at the last look.
        max: u32,
    },
    /// The comparisons cannot be shared out.
    #[error("{0} comparisons are impossible; at least 1 and at most {MOST_COMPARISONS}")]
    Comparisons(u32),
}

impl Looks {
    /// Looks after each block from `min` (≥ 2) to `max` (≤ [`MOST_BLOCKS`]). `confidence` (0.5 to
    /// 0.999999) is that of all intervals of all `comparisons` (1 to 100,000) together; it is shared
    /// out evenly among them (Bonferroni).
    ///
    /// # Errors
    /// When an argument is outside its range.
    pub fn new(confidence: f64, min: u32, max: u32, comparisons: u32) -> Result<Self, LooksError> {
        if !(0.5..=MOST_CONFIDENCE).contains(&confidence) {
            return Err(LooksError::Confidence(confidence));
        }
        if min < 2 || max < min || max > MOST_BLOCKS {
            return Err(LooksError::Blocks { min, max });
        }
        if !(1..=MOST_COMPARISONS).contains(&comparisons) {
            return Err(LooksError::Comparisons(comparisons));
        }
        let nominal_alpha = shipped::nominal_alpha(confidence, comparisons, min, max)
            .unwrap_or_else(|| {
                solve_nominal_alpha((1.0 - confidence) / f64::from(comparisons), min, max)
            });
        let critical = (min..=max)
            .map(|blocks| t_two_sided(nominal_alpha, f64::from(blocks - 1)))
            .collect();
        Ok(Looks {
            confidence,
            min,
            max,
            comparisons,
            nominal_alpha,
            critical,
        })
    }

    /// α′: each look is a t interval of confidence 1 − α′.
    #[must_use]
    pub fn nominal_alpha(&self) -> f64 {
        self.nominal_alpha
    }

    /// The confidence of all intervals together, 0.5 to 0.999999.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        self.confidence
    }

    /// Blocks at the first look.
    #[must_use]
    pub fn min(&self) -> u32 {
        self.min
    }

    /// Blocks at the last look.
    #[must_use]
    pub fn max(&self) -> u32 {
        self.max
    }

    /// How many comparisons share the confidence.
    #[must_use]
    pub fn comparisons(&self) -> u32 {
        self.comparisons
    }

    /// How many standard errors the interval reaches to each side at `blocks`; `None` outside the
    /// looks.
    #[must_use]
    pub fn critical(&self, blocks: u32) -> Option<f64> {
        let look = usize::try_from(blocks.checked_sub(self.min)?).ok()?;
        self.critical.get(look).copied()
    }

    /// The interval of the mean effect: mean ± t(n−1, 1−α′/2)·s/√n. `None` when the number of
    /// effects is not a look (too few, or more than the design promised anything for), or an effect
    /// is not finite.
    ///
    /// Effects without any spread, as of an exact metric, give an interval without width.
    #[must_use]
    pub fn interval(&self, effects: &[f64]) -> Option<Interval> {
        u32::try_from(effects.len())
            .ok()
            .and_then(|blocks| self.critical(blocks))?;
        self.of_moments(&Moments::of(effects))
    }

    pub(crate) fn of_moments(&self, moments: &Moments) -> Option<Interval> {
        let half = self.critical(moments.count())? * moments.standard_error()?;
        let (low, high) = (moments.mean() - half, moments.mean() + half);
        (low.is_finite() && high.is_finite()).then(|| Interval {
            estimate: Effect::from_ln(moments.mean()),
            low: Effect::from_ln(low),
            high: Effect::from_ln(high),
        })
    }
}

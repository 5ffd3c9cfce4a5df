//! A race: who cannot be the best any more.

use crate::{Better, Effect, Looks, LooksError};

/// A race among several builds that are measured in the same blocks, with a look after each block.
/// A build leaves as soon as the interval of it against another one lies wholly on the worse side
/// (Maron and Moore, "Hoeffding races", NIPS 1993, with the intervals of [`Looks`] in place of
/// Hoeffding's). All intervals of all pairs over all looks hold together, so that the best one
/// leaves with a probability of at most 1 − confidence.
#[derive(Clone, Debug)]
pub struct Race {
    looks: Looks,
    better: Better,
}

impl Race {
    /// A race of so many builds, 2 or more.
    ///
    /// # Errors
    /// When the design of looks is impossible, or there are more than 1000 pairs.
    pub fn new(
        confidence: f64,
        (min, max): (u32, u32),
        builds: u32,
        better: Better,
    ) -> Result<Race, LooksError> {
        let pairs = u64::from(builds) * u64::from(builds.saturating_sub(1)) / 2;
        let pairs = u32::try_from(pairs).unwrap_or(u32::MAX);
        Ok(Race {
            looks: Looks::new(confidence, min, max, pairs.max(1))?,
            better,
        })
    }

    /// Whether one build cannot be the best: `values` are ln(one ÷ another) by block, and
    /// `widening` ≥ 0 what is known of a shift.
    #[must_use]
    pub fn is_behind(&self, values: &[f64], widening: f64) -> bool {
        let Some(interval) = self.looks.interval(values) else {
            return false;
        };
        let interval = interval.widened(widening.max(0.0));
        match self.better {
            Better::Lower => interval.low.ln() > Effect::ROUNDING,
            Better::Higher => interval.high.ln() < -Effect::ROUNDING,
        }
    }
}

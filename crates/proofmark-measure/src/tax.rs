//! More time for a run, by a known share: whether it is noticed shows what a schedule, a clock and
//! a machine can see.

/// Which of a run's times is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaxedClock {
    /// CPU time, as the run's [`crate::Outcome::cpu`] counts it.
    Cpu,
    /// Time from start to end.
    Wall,
}

/// A share of a run's own time that is added to it once the program has ended by itself: a process
/// in the same group, on the same core and under the same slices computes for that long.
///
/// It works in registers: it neither warms nor evicts caches, and so a schedule that distorts by
/// caches is not shown by it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tax {
    share: f64,
    clock: TaxedClock,
}

impl Tax {
    /// A tax of `share` (0.01 for 1 %) on one of the times; `None` unless the share is positive and
    /// finite.
    #[must_use]
    pub fn new(share: f64, clock: TaxedClock) -> Option<Tax> {
        (share > 0.0 && share.is_finite()).then_some(Tax { share, clock })
    }

    /// The share, above 0.
    #[must_use]
    pub fn share(self) -> f64 {
        self.share
    }

    /// What is added to.
    #[must_use]
    pub fn clock(self) -> TaxedClock {
        self.clock
    }

    /// The share of `spent` nanoseconds, in nanoseconds.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "the share is positive, and what a 64-bit number cannot hold becomes the largest one"
    )]
    pub(crate) fn of(self, spent: u64) -> u64 {
        (spent as f64 * self.share) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_positive_and_finite() {
        for wrong in [0.0, -0.01, f64::NAN, f64::INFINITY] {
            assert_eq!(Tax::new(wrong, TaxedClock::Cpu), None);
        }
        let tax = Tax::new(0.01, TaxedClock::Wall).unwrap();
        assert_eq!(tax.of(60_000_000), 600_000);
        assert_eq!(Tax::new(1e300, TaxedClock::Cpu).unwrap().of(1), u64::MAX);
    }
}

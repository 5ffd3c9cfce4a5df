//! What a change may cost at most.

use crate::{Better, Effect, Holds, Interval};

/// A quantity that may get worse by no more than so much.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtMost {
    /// The loss as a share of base, ≥ 0 and finite: 0.02 for 2 %. As in a gate of a comparison, 2 %
    /// more of a time is a ratio of 1.02, and 2 % less of a rate is one of 0.98.
    pub loss: f64,
    /// Which way of the metric is an improvement.
    pub better: Better,
}

impl AtMost {
    /// What an interval of new ÷ base says: `Yes` where the whole of it lies within, `No` where the
    /// whole of it lies beyond. What rounding adds to no change is no loss.
    #[must_use]
    pub fn judge(&self, interval: &Interval) -> Holds {
        let (low, high) = (interval.low.relative(), interval.high.relative());
        // The loss that the interval leaves possible: at least, and at most.
        let (least, most) = match self.better {
            Better::Lower => (low, high),
            Better::Higher => (-high, -low),
        };
        let loss = self.loss + Effect::ROUNDING;
        if most <= loss {
            Holds::Yes
        } else if least > loss {
            Holds::No
        } else {
            Holds::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(loss: f64, better: Better, low: f64, high: f64) -> Holds {
        let [low, high] = [low, high].map(Effect::from_ratio);
        let interval = Interval {
            estimate: low,
            low,
            high,
        };
        AtMost { loss, better }.judge(&interval)
    }

    #[test]
    fn a_loss_is_within_beyond_or_not_known_and_a_gain_is_none() {
        let memory = |low, high| judged(0.02, Better::Lower, low, high);
        assert_eq!(memory(1.005, 1.019), Holds::Yes);
        assert_eq!(memory(0.5, 0.6), Holds::Yes);
        assert_eq!(memory(1.02, 1.02), Holds::Yes);
        assert_eq!(memory(1.021, 1.05), Holds::No);
        assert_eq!(memory(1.01, 1.03), Holds::Open);
        assert_eq!(memory(0.9, f64::INFINITY), Holds::Open);
        let rate = |low, high| judged(0.02, Better::Higher, low, high);
        assert_eq!(rate(0.99, 1.3), Holds::Yes);
        assert_eq!(rate(0.98, 0.98), Holds::Yes);
        assert_eq!(rate(0.9, 0.97), Holds::No);
        assert_eq!(rate(0.97, 1.0), Holds::Open);
        // None at all.
        assert_eq!(judged(0.0, Better::Lower, 1.0, 1.0), Holds::Yes);
        assert_eq!(judged(0.0, Better::Lower, 1.001, 1.002), Holds::No);
    }
}

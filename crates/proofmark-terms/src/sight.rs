//! Whether a slowdown that was put in on purpose is seen.

use serde::{Deserialize, Serialize};

use crate::{Effect, Interval, Margin};

/// What the interval of a build that was slowed by exactly the margin says of that slowdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sight {
    /// The interval holds the margin and not 1.
    Seen,
    /// The interval holds the margin, and 1 as well.
    NotYet,
    /// The interval does not hold the margin.
    Misjudged,
}

impl Sight {
    /// Judges the interval of slowed ÷ base.
    #[must_use]
    pub fn of(interval: &Interval, margin: Margin) -> Self {
        match (
            interval.contains(Effect::from_ln(margin.ln())),
            interval.contains(Effect::NONE),
        ) {
            (false, _) => Sight::Misjudged,
            (true, true) => Sight::NotYet,
            (true, false) => Sight::Seen,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_seen_where_the_interval_holds_it_and_not_one() {
        let judged = |low: f64, high: f64| {
            let interval = Interval {
                estimate: Effect::from_ratio((low * high).sqrt()),
                low: Effect::from_ratio(low),
                high: Effect::from_ratio(high),
            };
            Sight::of(&interval, Margin::default())
        };
        assert_eq!(judged(1.004, 1.012), Sight::Seen);
        assert_eq!(judged(0.998, 1.012), Sight::NotYet);
        assert_eq!(judged(0.998, 1.008), Sight::Misjudged);
        assert_eq!(judged(1.012, 1.020), Sight::Misjudged);
    }
}

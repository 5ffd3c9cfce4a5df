//! Gates for CI: a condition on an interval that fails the command.
//!
//! `--fail-if slower:1%` fails when the whole interval lies beyond 1 %: a slowdown that is proved.
//! `--require no-slower:1%` fails unless the whole interval stays inside 1 %: the absence of a
//! slowdown is proved, and what is undecided fails.

use std::fmt;

use proofmark_terms::Share;
use thiserror::Error;

use crate::{Better, Effect, Interval};

/// Which of the two options a gate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateKind {
    /// `--fail-if`: the condition fails the command.
    FailIf,
    /// `--require`: the absence of the condition fails the command.
    Require,
}

/// What a gate asks of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// All of the interval is worse than the threshold.
    Slower,
    /// All of the interval is better than the threshold.
    Faster,
    /// None of the interval is worse than the threshold.
    NoSlower,
    /// None of the interval is better than the threshold.
    NoFaster,
    /// None of the interval lies outside the threshold, on either side.
    Equivalent,
}

/// A condition that a comparison must meet or must not meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    kind: GateKind,
    condition: Condition,
    threshold: f64,
}

/// A gate that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GateError {
    /// Not a condition and a threshold.
    #[error(
        "`{0}` is not a gate; write a condition and a threshold in percent, such as `slower:1%`"
    )]
    Shape(String),
    /// Not a condition of this option.
    #[error("`{word}` is not a condition here; known: {known}")]
    Condition {
        /// As given.
        word: String,
        /// Those that there are.
        known: &'static str,
    },
    /// Not a threshold.
    #[error("`{0}` is not a threshold; write a percentage from 0% to below 100%, such as `0.5%`")]
    Threshold(String),
}

impl Gate {
    /// Reads `CONDITION:THRESHOLD%`. Conditions of `--fail-if`: `slower`, `faster`; of `--require`:
    /// `no-slower`, `no-faster`, `slower`, `faster`, `equivalent`. They mean worse and better for
    /// every metric: more memory is `slower`.
    ///
    /// # Errors
    ///
    /// The text is something else.
    pub fn parse(kind: GateKind, text: &str) -> Result<Gate, GateError> {
        let (word, threshold) = text
            .split_once(':')
            .ok_or_else(|| GateError::Shape(text.to_owned()))?;
        let condition = match (kind, word.trim()) {
            (_, "slower") => Condition::Slower,
            (_, "faster") => Condition::Faster,
            (GateKind::Require, "no-slower") => Condition::NoSlower,
            (GateKind::Require, "no-faster") => Condition::NoFaster,
            (GateKind::Require, "equivalent") => Condition::Equivalent,
            (kind, word) => {
                let known = match kind {
                    GateKind::FailIf => "slower, faster",
                    GateKind::Require => "no-slower, no-faster, slower, faster, equivalent",
                };
                return Err(GateError::Condition {
                    word: word.to_owned(),
                    known,
                });
            }
        };
        // Without its sign `slower:1` would be 100 %.
        let share = Some(threshold)
            .filter(|text| text.trim().ends_with('%'))
            .and_then(|text| text.parse::<Share>().ok());
        match share.map(Share::get) {
            Some(threshold) if threshold < 1.0 => Ok(Gate {
                kind,
                condition,
                threshold,
            }),
            _ => Err(GateError::Threshold(threshold.to_owned())),
        }
    }

    /// The ratios new ÷ base that it asks about: one, or two where it asks about both sides. While
    /// one lies within an interval, the gate is not decided.
    #[must_use]
    pub fn ratios(&self, better: Better) -> Vec<f64> {
        let (worse, improved) = match better {
            Better::Lower => (1.0 + self.threshold, 1.0 - self.threshold),
            Better::Higher => (1.0 - self.threshold, 1.0 + self.threshold),
        };
        match self.condition {
            Condition::Slower | Condition::NoSlower => vec![worse],
            Condition::Faster | Condition::NoFaster => vec![improved],
            Condition::Equivalent => vec![worse, improved],
        }
    }

    /// Whether more blocks could say otherwise: an interval that holds what it asks about says
    /// neither yes nor no.
    #[must_use]
    pub fn is_open(&self, interval: &Interval, better: Better) -> bool {
        self.ratios(better)
            .iter()
            .any(|ratio| interval.holds(*ratio))
    }

    /// Whether an interval of new ÷ base passes, of a metric that is better in the direction
    /// `better`. The threshold is a share of base, as the per cents of a verdict are: of a time,
    /// 10 % slower is a ratio of 1.1, and 10 % faster one of 0.9; of a rate it is the other way
    /// round. A bound that lies on the threshold is not beyond it, and what rounding adds to it is
    /// not either.
    #[must_use]
    pub fn passes(&self, interval: &Interval, better: Better) -> bool {
        let (low, high) = (interval.low.relative(), interval.high.relative());
        // How much worse the new build is: at least, and at most.
        let (least, most) = match better {
            Better::Lower => (low, high),
            Better::Higher => (-high, -low),
        };
        let threshold = self.threshold + Effect::ROUNDING;
        let holds = match self.condition {
            Condition::Slower => least > threshold,
            Condition::Faster => most < -threshold,
            Condition::NoSlower => most <= threshold,
            Condition::NoFaster => least >= -threshold,
            Condition::Equivalent => -threshold <= least && most <= threshold,
        };
        holds == (self.kind == GateKind::Require)
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let option = match self.kind {
            GateKind::FailIf => "--fail-if",
            GateKind::Require => "--require",
        };
        let condition = match self.condition {
            Condition::Slower => "slower",
            Condition::Faster => "faster",
            Condition::NoSlower => "no-slower",
            Condition::NoFaster => "no-faster",
            Condition::Equivalent => "equivalent",
        };
        let percent = format!("{:.4}", self.threshold * 100.0);
        let percent = percent.trim_end_matches('0').trim_end_matches('.');
        write!(formatter, "{option} {condition}:{percent}%")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Effect;

    fn interval(low: f64, high: f64) -> Interval {
        Interval {
            estimate: Effect::from_ratio((low * high).sqrt()),
            low: Effect::from_ratio(low),
            high: Effect::from_ratio(high),
        }
    }

    fn passes(kind: GateKind, text: &str, (low, high): (f64, f64), better: Better) -> bool {
        Gate::parse(kind, text)
            .unwrap()
            .passes(&interval(low, high), better)
    }

    #[test]
    fn fail_if_needs_proof_of_the_condition() {
        let slower = |interval| !passes(GateKind::FailIf, "slower:1%", interval, Better::Lower);
        assert!(slower((1.011, 1.02)));
        assert!(!slower((1.009, 1.02)));
        assert!(!slower((0.9, 0.95)));
        assert!(!slower((0.9, 1.2)), "undecided passes");
        assert!(!passes(
            GateKind::FailIf,
            "faster:1%",
            (0.95, 0.989),
            Better::Lower
        ));
    }

    #[test]
    fn require_needs_proof_of_the_condition_too() {
        let no_slower =
            |interval| passes(GateKind::Require, "no-slower:1%", interval, Better::Lower);
        assert!(no_slower((0.995, 1.009)));
        assert!(no_slower((0.8, 0.9)), "faster is no slower");
        assert!(!no_slower((0.995, 1.011)));
        assert!(!no_slower((0.9, 1.2)), "undecided fails");
        assert!(passes(
            GateKind::Require,
            "faster:2%",
            (0.95, 0.979),
            Better::Lower
        ));
        assert!(!passes(
            GateKind::Require,
            "faster:2%",
            (0.95, 0.985),
            Better::Lower
        ));
        assert!(passes(
            GateKind::Require,
            "no-faster:1%",
            (0.995, 1.2),
            Better::Lower
        ));
        assert!(passes(
            GateKind::Require,
            "equivalent:1%",
            (0.995, 1.005),
            Better::Lower
        ));
        assert!(!passes(
            GateKind::Require,
            "equivalent:1%",
            (0.985, 1.005),
            Better::Lower
        ));
    }

    #[test]
    fn a_gate_is_open_while_the_interval_holds_what_it_asks_about() {
        let open = |kind, text: &str, (low, high), better| {
            Gate::parse(kind, text)
                .unwrap()
                .is_open(&interval(low, high), better)
        };
        let (fail_if, lower) = (GateKind::FailIf, Better::Lower);
        assert!(open(fail_if, "slower:5%", (1.01, 1.14), lower));
        assert!(!open(fail_if, "slower:5%", (1.06, 1.14), lower));
        assert!(!open(fail_if, "slower:5%", (1.01, 1.04), lower));
        assert!(!open(fail_if, "slower:5%", (0.9, 0.96), lower));
        assert!(open(fail_if, "faster:5%", (0.9, 0.96), lower));
        assert!(open(fail_if, "slower:5%", (0.9, 0.96), Better::Higher));
        let both = |low, high| open(GateKind::Require, "equivalent:1%", (low, high), lower);
        assert!(both(0.98, 1.005) && both(0.995, 1.02) && !both(0.995, 1.005) && !both(1.02, 1.03));
    }

    #[test]
    fn where_more_is_better_slower_is_less() {
        assert!(!passes(
            GateKind::FailIf,
            "slower:1%",
            (0.95, 0.98),
            Better::Higher
        ));
        assert!(passes(
            GateKind::FailIf,
            "slower:1%",
            (1.02, 1.05),
            Better::Higher
        ));
        assert!(passes(
            GateKind::Require,
            "no-slower:1%",
            (0.995, 1.2),
            Better::Higher
        ));
        assert!(!passes(
            GateKind::Require,
            "no-slower:1%",
            (0.98, 1.2),
            Better::Higher
        ));
    }

    #[test]
    fn per_cents_are_those_of_the_verdict() {
        use Better::{Higher, Lower};
        use GateKind::{FailIf, Require};
        for (kind, text, ratio, better, passing) in [
            // "45.00 % faster", "30.00 % faster", "25.00 % faster" of a time.
            (Require, "faster:50%", 0.55, Lower, false),
            (Require, "faster:40%", 0.55, Lower, true),
            (Require, "faster:35%", 0.70, Lower, false),
            (FailIf, "faster:30%", 0.75, Lower, true),
            (Require, "no-faster:30%", 0.75, Lower, true),
            (Require, "no-slower:30%", 1.29, Lower, true),
            // "25.00 % slower", "9.50 % slower", "31 % faster" of a rate.
            (Require, "no-slower:30%", 0.75, Higher, true),
            (Require, "no-slower:20%", 0.75, Higher, false),
            (FailIf, "slower:10%", 0.905, Higher, true),
            (FailIf, "slower:9%", 0.905, Higher, false),
            (Require, "faster:30%", 1.31, Higher, true),
            (Require, "equivalent:10%", 0.905, Lower, true),
            // Bounds that lie on the threshold are not beyond it.
            (Require, "no-slower:1%", 1.01, Lower, true),
            (Require, "no-slower:1%", 0.99, Higher, true),
            (Require, "faster:30%", 1.30, Higher, false),
        ] {
            let passed = passes(kind, text, (ratio, ratio), better);
            assert_eq!(passed, passing, "{kind:?} {text} at {ratio}, {better:?}");
        }
    }

    #[test]
    fn thresholds_may_be_zero_and_have_decimals() {
        assert!(!passes(
            GateKind::FailIf,
            "slower:0%",
            (1.000_1, 1.1),
            Better::Lower
        ));
        assert_eq!(
            Gate::parse(GateKind::Require, " no-slower : 0.5 % ")
                .unwrap()
                .to_string(),
            "--require no-slower:0.5%"
        );
    }

    #[test]
    fn what_is_no_gate_says_what_is() {
        let error = |text: &str| Gate::parse(GateKind::FailIf, text).unwrap_err().to_string();
        assert!(error("slower").contains("such as `slower:1%`"));
        assert!(error("no-slower:1%").contains("known: slower, faster"));
        for threshold in ["1", "%", "-1%", "100%", "NaN%", "x%"] {
            assert!(
                error(&format!("slower:{threshold}")).contains("is not a threshold"),
                "{threshold}"
            );
        }
    }

    #[test]
    fn no_change_passes_where_nothing_is_allowed_and_rounding_is_no_change() {
        for rounding in [-2e-16_f64, 0.0, 2e-16] {
            let ratio = rounding.exp();
            let at = |kind, text| passes(kind, text, (ratio, ratio), Better::Lower);
            assert!(at(GateKind::FailIf, "slower:0%"), "{rounding}");
            assert!(at(GateKind::FailIf, "faster:0%"), "{rounding}");
            assert!(at(GateKind::Require, "no-slower:0%"), "{rounding}");
            assert!(at(GateKind::Require, "equivalent:0%"), "{rounding}");
            assert!(!at(GateKind::Require, "slower:0%"), "{rounding}");
        }
    }
}

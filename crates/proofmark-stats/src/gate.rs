//! Gates for CI: a condition on an interval that fails the command.
//!
//! `--fail-if slower:1%` fails when the whole interval lies beyond 1 %: a slowdown that is proved.
//! `--require no-slower:1%` fails unless the whole interval stays inside 1 %: the absence of a
//! slowdown is proved, and what is undecided fails.

use std::fmt;

use proofmark_evidence::record::Comparison;
use proofmark_stats::{Better, Effect, Interval};
use thiserror::Error;

use crate::number;
use crate::text::untied;

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

/// What a gate says of one comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GateOutcome {
    /// The command may succeed.
    Passed,
    /// The command must fail.
    Failed {
        /// Which gate, and the interval that failed it.
        why: String,
    },
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
        let percent = threshold
            .trim()
            .strip_suffix('%')
            .and_then(|number| number.trim().parse::<f64>().ok());
        match percent {
            Some(percent) if (0.0..100.0).contains(&percent) => Ok(Gate {
                kind,
                condition,
                threshold: percent / 100.0,
            }),
            _ => Err(GateError::Threshold(threshold.to_owned())),
        }
    }

    /// What this gate says of a comparison whose metric is better in the direction `better`. The
    /// threshold is symmetric on the scale of ln(new ÷ base): 1 % slower is a ratio of 1.01, and
    /// 1 % faster one of 1 ÷ 1.01.
    #[must_use]
    pub fn judge(&self, comparison: &Comparison, better: Better) -> GateOutcome {
        self.judge_interval(&comparison.interval, better)
    }

    /// What this gate says of builds that are one program: their ratio is 1, and needs no
    /// measuring.
    #[must_use]
    pub fn judge_equal(&self) -> GateOutcome {
        let one = Interval {
            estimate: Effect::NONE,
            low: Effect::NONE,
            high: Effect::NONE,
        };
        self.judge_interval(&one, Better::Lower)
    }

    fn judge_interval(&self, interval: &Interval, better: Better) -> GateOutcome {
        let (low, high) = (interval.low.ln(), interval.high.ln());
        // How much worse the new build is: at least, and at most.
        let (least, most) = match better {
            Better::Lower => (low, high),
            Better::Higher => (-high, -low),
        };
        let threshold = self.threshold.ln_1p();
        let holds = match self.condition {
            Condition::Slower => least > threshold,
            Condition::Faster => most < -threshold,
            Condition::NoSlower => most <= threshold,
            Condition::NoFaster => least >= -threshold,
            Condition::Equivalent => -threshold <= least && most <= threshold,
        };
        if holds == (self.kind == GateKind::Require) {
            return GateOutcome::Passed;
        }
        GateOutcome::Failed {
            why: format!(
                "{self} failed: new/base is {}",
                untied(&number::interval(interval))
            ),
        }
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
        let threshold = untied(&number::setting(self.threshold)).replace(' ', "");
        write!(formatter, "{option} {condition}:{threshold}")
    }
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::Instructions;
    use proofmark_stats::{Effect, Interval, Verdict};

    use super::*;

    fn comparison(low: f64, high: f64) -> Comparison {
        let interval = Interval {
            estimate: Effect::from_ratio((low * high).sqrt()),
            low: Effect::from_ratio(low),
            high: Effect::from_ratio(high),
        };
        Comparison {
            build: 1,
            interval,
            median: 0.0,
            spread: 0.01,
            verdict: Verdict::Undecided,
            decided_after: None,
            blocks_needed: None,
            widening: 0.0,
            a_run: None,
            slicing: None,
            as_shipped: None,
            layout_alone: None,
            instructions: Instructions::Unavailable {
                reason: String::new(),
            },
        }
    }

    fn passes(kind: GateKind, text: &str, (low, high): (f64, f64), better: Better) -> bool {
        Gate::parse(kind, text)
            .unwrap()
            .judge(&comparison(low, high), better)
            == GateOutcome::Passed
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
    fn a_failure_names_the_gate_and_the_interval() {
        let gate = Gate::parse(GateKind::FailIf, "slower:1%").unwrap();
        assert_eq!(
            gate.judge(&comparison(1.02, 1.04), Better::Lower),
            GateOutcome::Failed {
                why: "--fail-if slower:1% failed: new/base is 1.030 [1.020, 1.040]".to_owned()
            }
        );
    }
}

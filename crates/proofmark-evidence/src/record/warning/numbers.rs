//! Warnings about the numbers themselves.

use proofmark_terms::{Interval, Margin};
use serde::{Deserialize, Serialize};

use crate::private::parts;

/// A slowdown of exactly the margin, put into the base on purpose, was seen as another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MarginMisjudged {
    /// What was put in.
    pub margin: Margin,
    /// What was seen: taxed base ÷ base.
    pub interval: Interval,
    /// Runs took slices, which may be the cause.
    pub sliced: bool,
}

parts!(MarginMisjudged {
    margin: open,
    interval: open,
    sliced: open,
});

/// The program prints its number in steps that are larger than the margin, and all runs print
/// nearly the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FewDigits {
    /// The build.
    pub build: String,
    /// What it is held against.
    pub beside: String,
    /// The step between two numbers that the runs can tell apart, in the metric's unit.
    pub step: f64,
    /// How far ln(new ÷ base) may be from what the numbers say.
    pub unseen: f64,
}

/// Runs of a build take now one time and now another: the sum of its values says another thing than
/// the mean of ratios, which verdicts are of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SumsApart {
    /// The benchmark, in a matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// The build.
    pub build: String,
    /// What it is held against, in a matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
    /// Its values ÷ those of base: the geometric mean of ratios.
    pub in_the_middle: f64,
    /// The sum of its values ÷ the sum of those of base.
    pub in_sum: f64,
}

parts!(SumsApart {
    benchmark: mixed,
    build: mixed,
    beside: mixed,
    in_the_middle: open,
    in_sum: open,
});

parts!(FewDigits {
    build: mixed,
    beside: mixed,
    step: open,
    unseen: open,
});

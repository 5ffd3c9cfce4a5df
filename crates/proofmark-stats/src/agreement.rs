//! Whether two measurements of one comparison agree: those of two machines.

use crate::quantile::t_two_sided;
use crate::{Effect, Interval, Margin};

/// What one measurement came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The mean of the blocks' effects, on the scale of ln(new ÷ base).
    pub mean: f64,
    /// Their standard deviation.
    pub spread: f64,
    /// Blocks, 2 or more.
    pub blocks: u32,
    /// What was added to each side of its interval for a bias that is bounded and not known.
    pub widening: f64,
    /// α′: after each block its interval was a t interval of confidence 1 − α′.
    pub nominal_alpha: f64,
}

/// What the difference of two measurements says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agreement {
    /// The whole interval of the difference lies inside the margin.
    Agree,
    /// Neither can be said.
    Undecided,
    /// It excludes no difference, and is not inside the margin.
    Disagree,
}

/// The difference of two measurements, other less first on the scale of ln(new ÷ base), with an
/// interval: t with the degrees of freedom of Welch ("The generalization of Student's problem when
/// several different population variances are involved", Biometrika 34, 1947) and Satterthwaite
/// (Biometrics Bulletin 2, 1946), at the smaller of both α′. Each was stopped where its own
/// interval had decided, and α′ is what pays for that. Both widenings are added.
///
/// `None` for fewer than two blocks or a value that is not finite.
#[must_use]
pub fn difference(first: &Measured, other: &Measured) -> Option<Interval> {
    let squared = |one: &Measured| {
        let error = one.spread * one.spread / f64::from(one.blocks);
        (one.blocks >= 2 && error >= 0.0 && error.is_finite()).then_some(error)
    };
    let (a, b) = (squared(first)?, squared(other)?);
    let parts = a * a / f64::from(first.blocks - 1) + b * b / f64::from(other.blocks - 1);
    let alpha = first.nominal_alpha.min(other.nominal_alpha);
    // Without any spread the degrees of freedom are 0 ÷ 0, and nothing is uncertain.
    let half = if a + b > 0.0 && parts > 0.0 {
        t_two_sided(alpha, (a + b).powi(2) / parts) * (a + b).sqrt()
    } else {
        0.0
    };
    let half = half + first.widening + other.widening;
    let estimate = other.mean - first.mean;
    (estimate.is_finite() && half.is_finite()).then(|| Interval {
        estimate: Effect::from_ln(estimate),
        low: Effect::from_ln(estimate - half),
        high: Effect::from_ln(estimate + half),
    })
}

impl Agreement {
    /// Judges the interval of a difference. What rounding leaves of no difference is none.
    #[must_use]
    pub fn of(difference: &Interval, margin: Margin) -> Self {
        let (low, high) = (difference.low.ln(), difference.high.ln());
        let edge = margin.ln() + Effect::ROUNDING;
        if -edge <= low && high <= edge {
            return Agreement::Agree;
        }
        if high < -Effect::ROUNDING || low > Effect::ROUNDING {
            return Agreement::Disagree;
        }
        Agreement::Undecided
    }
}

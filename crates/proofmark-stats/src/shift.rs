//! Whether another way of measuring moves the effect, and what is then done about it.

use crate::Margin;
use crate::moments::Moments;
use crate::quantile::t_two_sided;

/// How far the effect moved from one way of measuring to another (two slice lengths; slices against
/// whole runs).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShiftEstimate {
    /// Effect measured the other way, less the effect measured the reference way, on the scale of
    /// ln(new ÷ base).
    pub estimate: f64,
    /// Its standard error.
    pub error: f64,
    /// Half the width of its 95 % interval, or of those of several that hold together.
    pub half_width: f64,
}

/// Compares the effects of pilot blocks measured two ways (Welch 1947: the spreads may differ).
/// `None` unless each way has at least two finite effects.
#[must_use]
pub fn shift(reference: &[f64], other: &[f64]) -> Option<ShiftEstimate> {
    shift_among(reference, other, 1)
}

/// The same of one of so many comparisons, whose intervals hold together at 95 % (Bonferroni; Dunn
/// 1961, as for [`mean_at`]).
#[must_use]
pub fn shift_among(reference: &[f64], other: &[f64], comparisons: u32) -> Option<ShiftEstimate> {
    let alpha = 0.05 / f64::from(comparisons.max(1));
    let (reference, other) = (Moments::of(reference), Moments::of(other));
    let (a, b) = (
        reference.standard_error()?.powi(2),
        other.standard_error()?.powi(2),
    );
    let error = (a + b).sqrt();
    let freedom = (a + b).powi(2)
        / (a * a / f64::from(reference.count() - 1) + b * b / f64::from(other.count() - 1));
    // Without any spread the degrees of freedom are 0 ÷ 0, and nothing is uncertain.
    let half_width = if error > 0.0 && freedom > 0.0 {
        t_two_sided(alpha, freedom) * error
    } else {
        0.0
    };
    let estimate = other.mean() - reference.mean();
    (estimate.is_finite() && half_width.is_finite()).then_some(ShiftEstimate {
        estimate,
        error,
        half_width,
    })
}

/// The mean of a shift that was measured once in each block: the effect one way less the effect the
/// other way. `None` for fewer than two blocks, or where a difference is not finite.
#[must_use]
pub fn mean_shift(differences: &[f64]) -> Option<ShiftEstimate> {
    of_moments(&Moments::of(differences))
}

/// The mean of what was measured once in each block and half the width of its interval, which
/// misses the truth with probability `alpha` (Student's t). With α ÷ k for each of k such means
/// their intervals hold together (Bonferroni; Dunn, "Multiple comparisons among means", Journal of
/// the American Statistical Association 56, 1961). `None` for fewer than two blocks, where a value
/// is not finite, and unless 0 < alpha < 1.
#[must_use]
pub fn mean_at(values: &[f64], alpha: f64) -> Option<(f64, f64)> {
    let moments = Moments::of(values);
    let error = moments.standard_error()?;
    let half_width = t_two_sided(alpha, f64::from(moments.count() - 1)) * error;
    let sound = alpha > 0.0 && alpha < 1.0 && moments.mean().is_finite() && half_width.is_finite();
    sound.then_some((moments.mean(), half_width))
}

fn of_moments(moments: &Moments) -> Option<ShiftEstimate> {
    let error = moments.standard_error()?;
    let half_width = t_two_sided(0.05, f64::from(moments.count() - 1)) * error;
    (moments.mean().is_finite() && half_width.is_finite()).then_some(ShiftEstimate {
        estimate: moments.mean(),
        error,
        half_width,
    })
}

impl ShiftEstimate {
    /// What an interval is widened by on each side while the shift is watched block by block, on
    /// the scale of ln(new ÷ base): the size of the estimate, and as much of its 95 % interval as
    /// goes beyond half the margin. A shift that is known to within half the margin widens by its
    /// estimate alone.
    #[must_use]
    pub fn watched(&self, margin: Margin) -> f64 {
        self.estimate.abs() + (self.half_width - margin.ln() / 2.0).max(0.0)
    }

    /// Whether the shift is more than its error explains: 0 lies outside its 95 % interval.
    #[must_use]
    pub fn stands_out(&self) -> bool {
        self.estimate.abs() > self.half_width
    }

    /// Whether the effect moved by more than a quarter of the margin beyond its error (the 95 %
    /// interval of the shift lies outside ± a quarter of the margin): this way of measuring
    /// distorts.
    #[must_use]
    pub fn exceeds(&self, margin: Margin) -> bool {
        self.estimate.abs() - self.half_width > margin.ln() / 4.0
    }
}

/// What an interval is widened by after each block, for [`crate::Rule::widened_by_block`], from
/// what other ways of measuring made of each block's effect, less what the verdict's own way made
/// of it.
///
/// Those in `watched` are as quiet as the verdict's own, so that their shift counts
/// [whatever it is](ShiftEstimate::watched); an empty one was not measured. `whole` are whole runs,
/// whose noise is what slices are there to avoid: their shift counts, up to the end of its 95 %
/// interval, where it [stands out](ShiftEstimate::stands_out) of it. The largest widens. One block
/// tells nothing.
#[must_use]
pub fn widening_by_block(watched: &[&[f64]], whole: &[f64], margin: Margin) -> Vec<f64> {
    let mut widening = after_each(whole, |shift| {
        if shift.stands_out() {
            shift.estimate.abs() + shift.half_width
        } else {
            0.0
        }
    });
    for way in watched {
        let of_way = after_each(way, |shift| shift.watched(margin));
        for (all, by) in widening.iter_mut().zip(of_way) {
            *all = all.max(by);
        }
    }
    widening
}

/// What is made of the shift after each block; 0 where it is not known.
fn after_each(differences: &[f64], made: impl Fn(ShiftEstimate) -> f64) -> Vec<f64> {
    let mut moments = Moments::default();
    differences
        .iter()
        .map(|&difference| {
            moments.add(difference);
            of_moments(&moments).map_or(0.0, &made)
        })
        .collect()
}

//! Fixed and proportional cost: T = a + b·N fitted block by block, and builds compared by each
//! part.

use thiserror::Error;

use crate::moments::Moments;
use crate::{Bounded, Effect, Interval, Looks, Part};

/// Why no line can be fitted.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum ScaleError {
    /// One size is no line.
    #[error("{0} sizes make no line; give at least 2 different ones")]
    Sizes(usize),
    /// A size or a value that is not a number, or a value that is not positive.
    #[error("a size or a value is not a positive, finite number")]
    NotPositive,
    /// Blocks with other numbers of values than there are sizes.
    #[error("a block has not one value for each size")]
    Unpaired,
}

/// The line of one build, a fit for each block.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    fixed: Vec<f64>,
    slope: Vec<f64>,
    misfit: f64,
    /// What rounding may make of a fixed part that is zero, in the unit of the values.
    rounding: f64,
    /// The largest size, beside zero.
    largest: f64,
}

/// What a chain of sums and products of double precision may be off by, relative to its largest
/// value, with room to spare: 2⁻⁵² is 2·10⁻¹⁶. What a metric prints has fewer digits.
const ROUNDING: f64 = 1e-9;

impl Lines {
    /// Fits T = a + b·N to each block: `sizes[v]` is N, `blocks[i][v]` is T of block i at that
    /// size, positive.
    ///
    /// Least squares on *relative* errors: noise is a share of the time, so that each size is
    /// weighted by 1 ÷ T̄², T̄ being its mean over all blocks. As the weights are the same in all
    /// blocks, a and b are linear in the values of a block, and their means over blocks are
    /// unbiased.
    ///
    /// # Errors
    /// When there are fewer than two different sizes, a value is not positive and finite, or a
    /// block lacks one.
    pub fn fit(sizes: &[f64], blocks: &[Vec<f64>]) -> Result<Self, ScaleError> {
        let mut distinct = sizes.to_vec();
        distinct.sort_by(f64::total_cmp);
        distinct.dedup();
        if distinct.len() < 2 {
            return Err(ScaleError::Sizes(distinct.len()));
        }
        if blocks.iter().any(|values| values.len() != sizes.len()) {
            return Err(ScaleError::Unpaired);
        }
        let positive = |value: &f64| *value > 0.0 && value.is_finite();
        if !sizes.iter().all(|size| size.is_finite()) || !blocks.iter().flatten().all(positive) {
            return Err(ScaleError::NotPositive);
        }
        let means: Vec<f64> = (0..sizes.len())
            .map(|size| {
                Moments::of(&blocks.iter().map(|block| block[size]).collect::<Vec<_>>()).mean()
            })
            .collect();
        let weights: Vec<f64> = means.iter().map(|mean| mean.powi(-2)).collect();
        let fits = blocks.iter().map(|values| line(sizes, values, &weights));
        let (fixed, slope): (Vec<f64>, Vec<f64>) = fits.unzip();
        let (a, b) = line(sizes, &means, &weights);
        let misfit = sizes
            .iter()
            .zip(&means)
            .map(|(size, mean)| ((a + b * size) / mean - 1.0).abs())
            .fold(0.0, f64::max);
        Ok(Lines {
            fixed,
            slope,
            misfit,
            rounding: means.iter().fold(0.0_f64, |most, mean| most.max(*mean)) * ROUNDING,
            largest: sizes
                .iter()
                .fold(1.0_f64, |most, size| most.max(size.abs())),
        })
    }

    /// The largest distance of a mean from the line, relative to the mean, ≥ 0; always 0 for two
    /// sizes.
    #[must_use]
    pub fn misfit(&self) -> f64 {
        self.misfit
    }

    /// a, in the unit of the values; `None` where the number of blocks is not a look.
    #[must_use]
    pub fn fixed(&self, looks: &Looks) -> Option<Bounded> {
        bounded(&self.fixed, looks)
    }

    /// b, in the unit of the values for each unit of N; `None` where the number of blocks is not a
    /// look.
    #[must_use]
    pub fn slope(&self, looks: &Looks) -> Option<Bounded> {
        bounded(&self.slope, looks)
    }

    /// The fixed part of this build ÷ that of `base`.
    #[must_use]
    pub fn fixed_against(&self, base: &Lines, looks: &Looks) -> Option<Part> {
        ratio(&self.fixed, &base.fixed, self.fixed_rounding(base), looks)
    }

    /// The proportional part of this build ÷ that of `base`.
    #[must_use]
    pub fn slope_against(&self, base: &Lines, looks: &Looks) -> Option<Part> {
        ratio(&self.slope, &base.slope, self.slope_rounding(base), looks)
    }

    /// The fixed part of this build − that of `base`, in the unit of the values.
    /// What rounding may have left is 0.
    #[must_use]
    pub fn fixed_beyond(&self, base: &Lines, looks: &Looks) -> Option<Bounded> {
        beyond(&self.fixed, &base.fixed, self.fixed_rounding(base), looks)
    }

    /// The proportional part of this build − that of `base`, in the unit of the values for each
    /// unit of N. What rounding may have left is 0.
    #[must_use]
    pub fn slope_beyond(&self, base: &Lines, looks: &Looks) -> Option<Bounded> {
        beyond(&self.slope, &base.slope, self.slope_rounding(base), looks)
    }

    fn fixed_rounding(&self, base: &Lines) -> f64 {
        self.rounding.max(base.rounding)
    }

    fn slope_rounding(&self, base: &Lines) -> f64 {
        self.fixed_rounding(base) / self.largest.max(base.largest)
    }
}

/// a and b of the weighted least-squares line.
fn line(sizes: &[f64], values: &[f64], weights: &[f64]) -> (f64, f64) {
    let sum = |of: &dyn Fn(usize) -> f64| (0..sizes.len()).map(|i| weights[i] * of(i)).sum::<f64>();
    let total = sum(&|_| 1.0);
    let (size, value) = (sum(&|i| sizes[i]) / total, sum(&|i| values[i]) / total);
    let slope =
        sum(&|i| (sizes[i] - size) * (values[i] - value)) / sum(&|i| (sizes[i] - size).powi(2));
    (value - slope * size, slope)
}

/// mean ± t·s ÷ √n at this look.
fn bounded(values: &[f64], looks: &Looks) -> Option<Bounded> {
    let moments = Moments::of(values);
    let half = looks.critical(moments.count())? * moments.standard_error()?;
    Some(Bounded {
        estimate: moments.mean(),
        low: moments.mean() - half,
        high: moments.mean() + half,
    })
}

/// The mean of the differences of paired values; as far as rounding may be all of it, 0.
fn beyond(new: &[f64], base: &[f64], rounding: f64, looks: &Looks) -> Option<Bounded> {
    let differences: Vec<f64> = new.iter().zip(base).map(|(new, base)| new - base).collect();
    let found = bounded(&differences, looks)?;
    let told = |value: f64| if value.abs() > rounding { value } else { 0.0 };
    Some(Bounded {
        estimate: told(found.estimate),
        low: told(found.low),
        high: told(found.high),
    })
}

/// The ratio of two means of paired values, by Fieller's theorem (J. R. Statist. Soc. B 16, 1954):
/// the ratios θ for which mean(new − θ·base) is within t standard errors of zero. They are an
/// interval of positive numbers only where both means are told from zero by the same t.
fn ratio(new: &[f64], base: &[f64], rounding: f64, looks: &Looks) -> Option<Part> {
    if new.len() != base.len() {
        return None;
    }
    let (u, v) = (Moments::of(new), Moments::of(base));
    let critical = looks.critical(u.count())?;
    let n = f64::from(u.count());
    let covariance = new
        .iter()
        .zip(base)
        .map(|(new, base)| (new - u.mean()) * (base - v.mean()))
        .sum::<f64>()
        / ((n - 1.0) * n);
    let (uu, vv) = (u.variance()? / n, v.variance()? / n);
    let squared = critical * critical;
    // The quadratic in θ: (v̄² − t²vv)·θ² − 2(ūv̄ − t²uv)·θ + (ū² − t²uu) ≤ 0.
    let (second, first, zeroth) = (
        v.mean().powi(2) - squared * vv,
        u.mean() * v.mean() - squared * covariance,
        u.mean().powi(2) - squared * uu,
    );
    // What rounding leaves of a part that is zero is no part: values without noise have no variance
    // to tell it by.
    let told = |mean: f64, variance: f64| mean > critical * variance.sqrt() && mean > rounding;
    if told(-u.mean(), uu) || told(-v.mean(), vv) {
        return Some(Part::BelowZero);
    }
    if !(told(u.mean(), uu) && told(v.mean(), vv)) {
        return Some(Part::NotFromZero);
    }
    let root = (first * first - second * zeroth).max(0.0).sqrt();
    let [low, high] = [(first - root) / second, (first + root) / second];
    let interval = Interval {
        estimate: Effect::from_ratio(u.mean() / v.mean()),
        low: Effect::from_ratio(low),
        high: Effect::from_ratio(high),
    };
    let whole = low > 0.0 && high.is_finite();
    Some(if whole {
        Part::Ratio { interval }
    } else {
        Part::NotFromZero
    })
}

//! Fixed and proportional cost: T = a + b·N fitted block by block, and builds compared by each
//! part.

use thiserror::Error;

use crate::moments::Moments;
use crate::quantile::t_quantile;
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
    fixed: Coefficient,
    slope: Coefficient,
    sizes: Vec<f64>,
    /// The mean over all blocks at each size, in the unit of the values.
    means: Vec<f64>,
    /// How far the mean at each size may be from the line by chance, in the unit of the values.
    chance: Vec<f64>,
    /// How far the value at each size may be off, in its unit, whatever the blocks say.
    hidden: Vec<f64>,
    /// How far the mean at each size is from the line, relative to it, beyond chance and what is
    /// hidden: above the line where it is positive.
    lack: Vec<f64>,
    /// How far the value at each size may be off as that of the build beside it is, relative.
    alike: Vec<f64>,
}

/// a or b of a line.
#[derive(Clone, Debug, PartialEq)]
struct Coefficient {
    by_block: Vec<f64>,
    /// What the value at each size counts in it: it is the sum of weight × value.
    weights: Vec<f64>,
}

/// What a chain of sums and products of double precision may be off by, relative to its values,
/// with room to spare: 2⁻⁵² is 2·10⁻¹⁶. What a metric prints has fewer digits.
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
        let chance = |place: usize| {
            let from_line = (blocks.iter().zip(fixed.iter().zip(&slope)))
                .map(|(values, (fixed, slope))| values[place] - fixed - slope * sizes[place]);
            let moments = Moments::of(&from_line.collect::<Vec<f64>>());
            let freedom = f64::from(moments.count()) - 1.0;
            let error = moments.standard_error();
            error.map_or(f64::INFINITY, |error| t_quantile(0.975, freedom) * error)
        };
        let chance = (0..sizes.len()).map(chance).collect();
        let [of_fixed, of_slope] = counted(sizes, &weights);
        let lines = Lines {
            fixed: Coefficient {
                by_block: fixed,
                weights: of_fixed,
            },
            slope: Coefficient {
                by_block: slope,
                weights: of_slope,
            },
            sizes: sizes.to_vec(),
            means,
            chance,
            hidden: Vec::new(),
            lack: Vec::new(),
            alike: Vec::new(),
        };
        Ok(lines.widened_by(&[]))
    }

    /// Says how far the value at each size may be off in all blocks alike, relative to it, 0 or
    /// more: by the digits that are printed, by a coarse clock, or by the way of measuring. Nothing
    /// for sizes that have no number here.
    ///
    /// a and b are sums of weight × value, Σ wᵥTᵥ. With each Tᵥ off by hᵥ·T̄ᵥ at most, to either
    /// side and whatever the others do, their means are off by Σ |wᵥ|·hᵥ·T̄ᵥ at most, and it can
    /// be as much. The intervals are that much wider on either side.
    ///
    /// Where a mean is further from the line than that and chance (t of its distances in the
    /// blocks, 95 %) explain, the times are on no line, and the rest is taken for one more thing
    /// that the value may be off by.
    #[must_use]
    pub fn widened_by(mut self, off_by: &[f64]) -> Self {
        let off_by = off_by.iter().copied().chain(std::iter::repeat(0.0));
        self.hidden = (self.means.iter().zip(off_by))
            .map(|(mean, off_by)| mean * (off_by + ROUNDING))
            .collect();
        self.lack = (0..self.sizes.len())
            .map(|place| self.lack_at(place))
            .collect();
        self
    }

    /// How far the mean at a size is from the line, relative to it, beyond what explains that. The
    /// distance is a weighted sum of the values as well.
    fn lack_at(&self, place: usize) -> f64 {
        let size = self.sizes[place];
        let on_line = self.fixed.weights.iter().zip(&self.slope.weights);
        let on_line = on_line.map(|(fixed, slope)| fixed + slope * size);
        let weights: Vec<f64> = (0..)
            .zip(on_line)
            .map(|(other, weight)| f64::from(u8::from(other == place)) - weight)
            .collect();
        let distance = weighted(&weights, &self.means);
        let explained = moved(&weights, &self.hidden) + self.chance[place];
        (distance.abs() - explained).max(0.0).copysign(distance) / self.means[place]
    }

    /// Says how far the values of a base at each size may be off by the same share as those of what
    /// is held against it, 0 or more; nothing for sizes that have no number here.
    ///
    /// A share cᵥ of both values at a size moves the difference of two sums, Σ wᵥTᵥ of the one and
    /// Σ w′ᵥT′ᵥ of the other, by Σ cᵥ(wᵥTᵥ − w′ᵥT′ᵥ). Intervals of differences are wider by the
    /// most that this can be. A ratio stays what it is where the share is one at all sizes.
    #[must_use]
    pub fn widened_alike_by(mut self, alike: &[f64]) -> Self {
        self.alike = alike.to_vec();
        self
    }

    /// The largest distance of a mean from the line, relative to the mean, beyond chance and what
    /// the values may be off by; ≥ 0, and always 0 for two sizes.
    #[must_use]
    pub fn misfit(&self) -> f64 {
        let each = self.lack.iter().map(|lack| lack.abs());
        each.fold(0.0, f64::max)
    }

    /// a, in the unit of the values; `None` where the number of blocks is not a look.
    #[must_use]
    pub fn fixed(&self, looks: &Looks) -> Option<Bounded> {
        bounded(&self.fixed.by_block, self.off_by(&self.fixed), looks)
    }

    /// b, in the unit of the values for each unit of N; `None` where the number of blocks is not a
    /// look.
    #[must_use]
    pub fn slope(&self, looks: &Looks) -> Option<Bounded> {
        bounded(&self.slope.by_block, self.off_by(&self.slope), looks)
    }

    /// The fixed part of this build ÷ that of `base`.
    #[must_use]
    pub fn fixed_against(&self, base: &Lines, looks: &Looks) -> Option<Part> {
        self.against(base, |lines| &lines.fixed, looks)
    }

    /// The proportional part of this build ÷ that of `base`.
    #[must_use]
    pub fn slope_against(&self, base: &Lines, looks: &Looks) -> Option<Part> {
        self.against(base, |lines| &lines.slope, looks)
    }

    /// The fixed part of this build − that of `base`, in the unit of the values.
    #[must_use]
    pub fn fixed_beyond(&self, base: &Lines, looks: &Looks) -> Option<Bounded> {
        self.beyond(base, |lines| &lines.fixed, looks)
    }

    /// The proportional part of this build − that of `base`, in the unit of the values for each
    /// unit of N.
    #[must_use]
    pub fn slope_beyond(&self, base: &Lines, looks: &Looks) -> Option<Bounded> {
        self.beyond(base, |lines| &lines.slope, looks)
    }

    /// The ratio of the means of paired values. What both lines lack alike moves it by the most
    /// that it moves new − θ·base at the θ that was found.
    fn against(&self, base: &Lines, of: fn(&Lines) -> &Coefficient, looks: &Looks) -> Option<Part> {
        let mean = |lines: &Lines| Moments::of(&of(lines).by_block).mean();
        let found = mean(self) / mean(base);
        let lack = self.lack_alike(base);
        let [new, old] = self.off_beside(base, of);
        let alike = self.moved_alike(base, of, if found.is_finite() { found } else { 1.0 }, &lack);
        ratio([of(self), of(base)], [new + alike, old], looks)
    }

    /// The mean of the differences of paired values.
    fn beyond(
        &self,
        base: &Lines,
        of: fn(&Lines) -> &Coefficient,
        looks: &Looks,
    ) -> Option<Bounded> {
        let pairs = of(self).by_block.iter().zip(&of(base).by_block);
        let differences: Vec<f64> = pairs.map(|(new, base)| new - base).collect();
        let [new, old] = self.off_beside(base, of);
        let stretch = base.alike.iter().copied().chain(std::iter::repeat(0.0));
        let shares: Vec<f64> = (self.lack_alike(base).into_iter().zip(stretch))
            .map(|(lack, stretch)| lack.abs() + stretch)
            .collect();
        let alike = self.moved_alike(base, of, 1.0, &shares);
        bounded(&differences, new + old + alike, looks)
    }

    /// How far the mean of a coefficient of this line may be off by itself.
    fn off_by(&self, of: &Coefficient) -> f64 {
        let lack = self.lack.iter().zip(&self.means);
        let of_sizes = self.hidden.iter().zip(lack);
        let of_sizes: Vec<f64> = of_sizes
            .map(|(hidden, (lack, mean))| hidden + lack.abs() * mean)
            .collect();
        moved(&of.weights, &of_sizes)
    }

    /// The same of this line and of a base, but for the shares that both lack alike.
    fn off_beside(&self, base: &Lines, of: fn(&Lines) -> &Coefficient) -> [f64; 2] {
        let shared = self.lack_alike(base);
        [self, base].map(|lines| {
            let of_sizes = (0..lines.sizes.len()).map(|place| {
                let own = lines.lack[place] - shared[place];
                lines.hidden[place] + own.abs() * lines.means[place]
            });
            moved(&of(lines).weights, &of_sizes.collect::<Vec<f64>>())
        })
    }

    /// What both lines lack at each size, to the same side.
    fn lack_alike(&self, base: &Lines) -> Vec<f64> {
        let both = self.lack.iter().zip(&base.lack);
        both.map(|(new, base)| match new * base > 0.0 {
            true => new.abs().min(base.abs()).copysign(*new),
            false => 0.0,
        })
        .collect()
    }

    /// How far new − `times`·base may be off, where both are off by the same shares of their values
    /// at each size.
    fn moved_alike(
        &self,
        base: &Lines,
        of: fn(&Lines) -> &Coefficient,
        times: f64,
        shares: &[f64],
    ) -> f64 {
        let counted = |lines: &Lines| -> Vec<f64> {
            let weights = of(lines).weights.iter().zip(&lines.means);
            weights.map(|(weight, mean)| weight * mean).collect()
        };
        let both = counted(self).into_iter().zip(counted(base));
        let apart: Vec<f64> = both.map(|(new, base)| new - times * base).collect();
        let shares: Vec<f64> = shares.iter().map(|share| share.abs()).collect();
        moved(&apart, &shares)
    }
}

/// Σ weight × value.
fn weighted(weights: &[f64], values: &[f64]) -> f64 {
    let each = weights.iter().zip(values);
    each.map(|(weight, value)| weight * value).sum()
}

/// How far such a sum may be off, where each value may be off by so much to either side.
fn moved(weights: &[f64], off_by: &[f64]) -> f64 {
    let each = weights.iter().zip(off_by);
    each.map(|(weight, off_by)| weight.abs() * off_by).sum()
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

/// What the value at each size counts in a and in b of that line.
fn counted(sizes: &[f64], weights: &[f64]) -> [Vec<f64>; 2] {
    let total: f64 = weights.iter().sum();
    let each = || sizes.iter().zip(weights);
    let mean = each().map(|(size, weight)| weight * size).sum::<f64>() / total;
    let squares: f64 = each()
        .map(|(size, weight)| weight * (size - mean).powi(2))
        .sum();
    let slope: Vec<f64> = each()
        .map(|(size, weight)| weight * (size - mean) / squares)
        .collect();
    let fixed = weights.iter().zip(&slope);
    let fixed = fixed.map(|(weight, slope)| weight / total - mean * slope);
    [fixed.collect(), slope]
}

/// mean ± (t·s ÷ √n + what it may be off by) at this look.
fn bounded(values: &[f64], off_by: f64, looks: &Looks) -> Option<Bounded> {
    let moments = Moments::of(values);
    let half = looks.critical(moments.count())? * moments.standard_error()? + off_by;
    Some(Bounded {
        estimate: moments.mean(),
        low: moments.mean() - half,
        high: moments.mean() + half,
    })
}

/// The ratio of two means of paired values, by Fieller's theorem (J. R. Statist. Soc. B 16, 1954):
/// the ratios θ for which mean(new − θ·base) is within t standard errors of zero. They are an
/// interval of positive numbers only where both means are told from zero by the same t.
///
/// Where the means ū and v̄ may be off by A and B, mean(new − θ·base) may be off by A + θB: θ is
/// in the interval where |ū − θv̄| ≤ t·s(θ) + A + θB. Its lower end is the lower one of Fieller's
/// interval for ū − A and v̄ + B, and its upper end the upper one for ū + A and v̄ − B.
fn ratio([new, base]: [&Coefficient; 2], off_by: [f64; 2], looks: &Looks) -> Option<Part> {
    if new.by_block.len() != base.by_block.len() {
        return None;
    }
    let (u, v) = (Moments::of(&new.by_block), Moments::of(&base.by_block));
    let critical = looks.critical(u.count())?;
    let n = f64::from(u.count());
    let pairs = new.by_block.iter().zip(&base.by_block);
    let covariance = pairs
        .map(|(new, base)| (new - u.mean()) * (base - v.mean()))
        .sum::<f64>()
        / ((n - 1.0) * n);
    let variances = [u.variance()? / n, v.variance()? / n];
    let spreads = Spreads {
        squared: critical * critical,
        variances,
        covariance,
    };
    // What is hidden in a part that is zero is no part: values without noise have no variance to
    // tell it by.
    let [least_new, least_base] =
        [0, 1].map(|which| critical * variances[which].sqrt() + off_by[which]);
    if -u.mean() > least_new || -v.mean() > least_base {
        return Some(Part::BelowZero);
    }
    if u.mean() <= least_new || v.mean() <= least_base {
        return Some(Part::NotFromZero);
    }
    let [low, _] = spreads.ends(u.mean() - off_by[0], v.mean() + off_by[1]);
    let [_, high] = spreads.ends(u.mean() + off_by[0], v.mean() - off_by[1]);
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

/// How far two means may be from what they are means of.
struct Spreads {
    /// t².
    squared: f64,
    /// Of the mean of the new build, and of the base.
    variances: [f64; 2],
    covariance: f64,
}

impl Spreads {
    /// The ends of Fieller's interval for u ÷ v, both of them told from zero: the roots of
    /// (v² − t²·vv)·θ² − 2(uv − t²·cov)·θ + (u² − t²·uu).
    fn ends(&self, u: f64, v: f64) -> [f64; 2] {
        let second = v * v - self.squared * self.variances[1];
        let first = u * v - self.squared * self.covariance;
        let zeroth = u * u - self.squared * self.variances[0];
        let root = (first * first - second * zeroth).max(0.0).sqrt();
        [(first - root) / second, (first + root) / second]
    }
}

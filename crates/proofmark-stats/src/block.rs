//! One number a block, and what describes several of them.

use thiserror::Error;

use crate::moments::Moments;

/// Why the runs of a block make no effect.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum BlockError {
    /// There is no round.
    #[error("the block has no round; measure at least one")]
    Empty,
    /// A round without its partner.
    #[error(
        "the block has {new} runs of the new build and {base} of the base; every round needs one of each"
    )]
    Unpaired {
        /// Runs of the new build.
        new: usize,
        /// Runs of the base.
        base: usize,
    },
    /// A logarithm that does not exist.
    #[error(
        "round {round} reads {value}; an effect is a ratio, so every value must be positive and finite"
    )]
    NotPositive {
        /// The round, from 0.
        round: usize,
        /// What it read.
        value: f64,
    },
}

/// The effect of a block: the mean over its rounds of ln(newᵢ ÷ baseᵢ). The pairing inside a round
/// cancels the noise that both share.
///
/// # Errors
/// When there is no round, a run has no partner, or a value is not positive and finite.
pub fn block_effect(new: &[f64], base: &[f64]) -> Result<f64, BlockError> {
    if new.len() != base.len() {
        return Err(BlockError::Unpaired {
            new: new.len(),
            base: base.len(),
        });
    }
    let mut rounds = Moments::default();
    for (round, (&new, &base)) in new.iter().zip(base).enumerate() {
        for value in [new, base] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(BlockError::NotPositive { round, value });
            }
        }
        // Two logarithms, because the quotient of two finite numbers may not be finite.
        rounds.add(new.ln() - base.ln());
    }
    if rounds.count() == 0 {
        Err(BlockError::Empty)
    } else {
        Ok(rounds.mean())
    }
}

/// The mean of the logarithms, which is the logarithm of the geometric mean; `None` of nothing, or
/// where a value is not positive and finite.
#[must_use]
pub fn ln_mean(values: &[f64]) -> Option<f64> {
    let mut logs = Moments::default();
    for &value in values {
        if !(value > 0.0 && value.is_finite()) {
            return None;
        }
        logs.add(value.ln());
    }
    (logs.count() > 0).then(|| logs.mean())
}

/// The middle value, or the mean of the two middle ones; `None` of nothing, or where a value is not
/// a number.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|value| value.is_nan()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        Some(sorted[middle])
    } else {
        Some(f64::midpoint(sorted[middle - 1], sorted[middle]))
    }
}

/// Sample standard deviation (n − 1); `None` for fewer than two values or where it is not finite.
#[must_use]
pub fn spread(values: &[f64]) -> Option<f64> {
    Moments::of(values).variance().map(f64::sqrt)
}

/// The effect on a suite, block by block: the mean of its benchmarks' effects, which is the
/// logarithm of the geometric mean of their ratios. `benchmarks[i][n]` is the effect of block n on
/// benchmark i. `None` unless there is a benchmark and all have the same number of blocks.
#[must_use]
pub fn geometric_mean(benchmarks: &[Vec<f64>]) -> Option<Vec<f64>> {
    let blocks = benchmarks.first()?.len();
    if benchmarks.iter().any(|effects| effects.len() != blocks) {
        return None;
    }
    Some(
        (0..blocks)
            .map(|block| {
                Moments::of(
                    &benchmarks
                        .iter()
                        .map(|effects| effects[block])
                        .collect::<Vec<_>>(),
                )
                .mean()
            })
            .collect(),
    )
}

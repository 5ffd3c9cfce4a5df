//! Whether it matters in which order the images of a round started.

use thiserror::Error;

use crate::moments::Moments;
use crate::quantile::f_above;

/// The effect of the place in the round on the metric.
#[derive(Clone, Debug, PartialEq)]
pub struct PositionBias {
    /// For each place in the round, the mean of ln(value) less its round's mean; 0.001 means 0.1 %
    /// more than the round.
    pub by_position: Vec<f64>,
    /// How often places that do not matter would differ as much; 0 to 1.
    pub p_value: f64,
}

/// Why nothing is said about places.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum PositionError {
    /// Too little was measured.
    #[error("{rounds} rounds of {positions} places are too few; it takes 2 rounds of 2 places")]
    TooFew {
        /// Rounds.
        rounds: usize,
        /// Places in a round.
        positions: usize,
    },
    /// A round of another length, or a value that is not a number.
    #[error(
        "round {round} has another number of places than the first, or a value that is not finite"
    )]
    Unusable {
        /// The round, from 0.
        round: usize,
    },
}

impl PositionBias {
    /// The largest difference between two places, on the scale of ln.
    #[must_use]
    pub fn range(&self) -> f64 {
        let high = self
            .by_position
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        high - self
            .by_position
            .iter()
            .copied()
            .fold(f64::INFINITY, f64::min)
    }
}

/// Tests whether the start position matters. `rounds[i][p]` is ln(value) in round i of the image
/// that started at place p, for images that are equally fast (or with each image's mean taken off).
/// Rounds are blocks of a randomised block design with one value a cell, so what a round's images
/// share cancels: F = mean square of places ÷ mean square of what neither place nor round explains
/// (Fisher 1935). Where the rounds of one block are alike for other reasons, give the means over
/// the block instead of its rounds.
///
/// # Errors
/// When there are fewer than 2 rounds of 2 places, rounds differ in length, or a value is not
/// finite.
pub fn position_bias(rounds: &[Vec<f64>]) -> Result<PositionBias, PositionError> {
    let positions = rounds.first().map_or(0, Vec::len);
    if rounds.len() < 2 || positions < 2 {
        return Err(PositionError::TooFew {
            rounds: rounds.len(),
            positions,
        });
    }
    let mut places = vec![Moments::default(); positions];
    for (round, values) in rounds.iter().enumerate() {
        let mean = Moments::of(values).mean();
        if values.len() != positions || !mean.is_finite() {
            return Err(PositionError::Unusable { round });
        }
        for (place, value) in places.iter_mut().zip(values) {
            place.add(value - mean);
        }
    }
    let (rows, columns) = (rounds.len() as f64, positions as f64);
    let explained = places
        .iter()
        .map(|place| rows * place.mean().powi(2))
        .sum::<f64>()
        / (columns - 1.0);
    let residual =
        places.iter().map(Moments::squares).sum::<f64>() / ((rows - 1.0) * (columns - 1.0));
    // Places that explain nothing, and nothing left to explain, are 0 ÷ 0: no sign of bias.
    let p_value = f_above(
        explained / residual,
        columns - 1.0,
        (rows - 1.0) * (columns - 1.0),
    );
    Ok(PositionBias {
        by_position: places.iter().map(Moments::mean).collect(),
        p_value,
    })
}

//! Two that hold at any number of blocks whatever, without a last look.

use super::{Design, MIN};

const ALPHA: f64 = 0.05;

/// The t confidence sequence: the mixture of t statistics over normal effect sizes (Lai 1976; Wang
/// and Ramdas 2024, Gaussian mixture with the right Haar prior on the scale). E = √(c ÷ (n+c)) ·
/// (Q ÷ (Q − S²/(n+c)))^(n/2) with S and Q the sum and the sum of squares of what the blocks exceed
/// a candidate by; the interval is where E < 1 ÷ α.
pub(crate) struct TSequence;

/// The effect size that the mixture is about: 1 ÷ √c spreads. Small looks best at 8 to 60 blocks
/// among 0.5, 1, 2, 4, 8.
const ABOUT: f64 = 4.0;

impl Design for TSequence {
    fn name(&self) -> &'static str {
        "t confidence sequence"
    }

    fn interval(&self, blocks: &[f64], _sorted: &[f64]) -> Option<(f64, f64)> {
        let n = blocks.len() as f64;
        let mean = blocks.iter().sum::<f64>() / n;
        let squares: f64 = blocks.iter().map(|block| (block - mean).powi(2)).sum();
        // E < 1 ÷ α is S² ÷ ((n+c)·Q) < k, with S = n·d and Q = squares + n·d² at a distance d from
        // the mean.
        let k = 1.0 - (ABOUT / (n + ABOUT)).powf(1.0 / n) * ALPHA.powf(2.0 / n);
        let slope = n * n / (n + ABOUT) - k * n;
        (slope > 0.0).then(|| {
            let half = (k * squares / slope).sqrt();
            (mean - half, mean + half)
        })
    }
}

/// An e-process that asks for symmetry alone (de la Peña 1999): Π exp(λD − λ²D²/2), mixed over
/// normal λ whose scale is set by the first eight blocks, which then do not count as evidence.
pub(crate) struct SymmetricProcess;

impl Design for SymmetricProcess {
    fn name(&self) -> &'static str {
        "e-process for symmetric blocks"
    }

    fn interval(&self, blocks: &[f64], _sorted: &[f64]) -> Option<(f64, f64)> {
        let (pilot, blocks) = blocks.split_at(MIN);
        let n = blocks.len() as f64;
        let middle = pilot.iter().sum::<f64>() / MIN as f64;
        let scale = pilot
            .iter()
            .map(|block| (block - middle).powi(2))
            .sum::<f64>()
            / (MIN as f64 - 1.0);
        let precision = 1.0 / (8.0 * scale);
        let mean = blocks.iter().sum::<f64>() / n;
        let squares: f64 = blocks.iter().map(|block| (block - mean).powi(2)).sum();
        let inside = |distance: f64| {
            let (sum, squares) = (n * distance, squares + n * distance * distance);
            let evidence = precision * sum * sum / (2.0 * (1.0 + precision * squares))
                - 0.5 * (precision * squares).ln_1p();
            evidence < -ALPHA.ln()
        };
        // The evidence at a distance d tends to n ÷ 2 − ln d: it ends by falling, and the interval
        // is what lies between.
        let mut high = scale.sqrt() * 1e-3;
        while inside(high) {
            high *= 1.02;
            if high > scale.sqrt() * 30.0 {
                return None;
            }
        }
        (n > 0.0).then_some((mean - high, mean + high))
    }
}

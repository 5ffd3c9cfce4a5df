//! How often repeated t intervals miss, by numerical integration.
//!
//! Let Xᵢ be the blocks' effects less the true one, normal and independent, Rₙ = ΣXᵢ ÷ √ΣXᵢ². Then
//! * t after n blocks is Rₙ√(n−1) ÷ √(n−Rₙ²): the interval misses when |Rₙ| exceeds a bound Bₙ;
//! * Rₙ₊₁ = (Rₙ + U) ÷ √(1 + U²) with U = Xₙ₊₁ ÷ √ΣXᵢ², and U√n has Student's distribution with n
//!   degrees of freedom whatever R₁ … Rₙ were, because the length of a normal vector is independent
//!   of its direction. So R is a Markov chain on a line.
//!
//! In angles everything is bounded and smooth. With U = tan ψ the density of ψ is proportional to
//! cosⁿ⁻¹ψ, and Rₙ₊₁ = √(1 + Rₙ²)·sin(ψ + arctan Rₙ). Hence Wₙ(r), the probability of a miss after
//! block n given Rₙ = r, follows backwards from W = 0 at the last look; the part that misses at the
//! very next look is exact, and the rest is integrated over the angles that stay. The method is the
//! recursion of Armitage, McPherson and Rowe (J. R. Statist. Soc. A 132, 1969), here for an unknown
//! variance.

use std::f64::consts::{FRAC_PI_2, PI};

use statrs::function::gamma::ln_gamma;

use super::gauss::{NODES, WEIGHTS};
use crate::quantile::{t_above, t_two_sided};

/// Points at which Wₙ is kept between 0 and Bₙ. Twice as many, and twice the nodes, change α′ by
/// less than 4·10⁻⁴ of itself.
const POINTS: usize = 80;

/// Beyond this many standard deviations the density of an angle is nothing.
const REACH: f64 = 7.0;

/// The probability that at least one t interval of confidence 1 − `alpha`, after each block from
/// `min` to `max`, misses the truth.
pub(crate) fn miss(alpha: f64, min: u32, max: u32) -> f64 {
    let mut after = Curve::zero(bound(alpha, max));
    for blocks in (min..max).rev() {
        after = step(blocks, bound(alpha, blocks), &after);
    }
    alpha + first_look(f64::from(min), &after)
}

/// Bₙ: |Rₙ| beyond it means that |t| exceeds its quantile.
fn bound(alpha: f64, blocks: u32) -> f64 {
    let (n, t) = (f64::from(blocks), t_two_sided(alpha, f64::from(blocks - 1)));
    n.sqrt() * (t / (n - 1.0).sqrt()).atan().sin()
}

/// ∫ Wₙ over the density of Rₙ = √n·sin φ, which is proportional to cosⁿ⁻²φ, inside the bound.
fn first_look(n: f64, after: &Curve) -> f64 {
    let angle = |r: f64| (r / n.sqrt()).min(1.0).asin();
    let density = |phi: f64| after.at(n.sqrt() * phi.sin()) * phi.cos().powf(n - 2.0);
    let half = integrate(0.0, angle(after.knee), density)
        + integrate(angle(after.knee), angle(after.end), density);
    2.0 * angle_scale(n - 2.0) * half
}

/// Wₙ from Wₙ₊₁.
fn step(blocks: u32, end: f64, next: &Curve) -> Curve {
    let n = f64::from(blocks);
    let (scale, power) = (angle_scale(n - 1.0), blocks.cast_signed() - 1);
    let reach = (REACH / n.sqrt()).min(FRAC_PI_2);
    // From below this no single block can reach the bound; from above it W rises like a square
    // root.
    let knee = (next.end * next.end - 1.0).max(0.0).sqrt();
    Curve::tabulate(knee.min(end), end, |r| {
        let (length, turn) = (r.hypot(1.0), r.atan());
        // Rₙ₊₁ = length·sin(ψ + turn) = sin ψ + r·cos ψ.
        let stay = |from: f64, to: f64| {
            integrate((from - turn).max(-reach), (to - turn).min(reach), |psi| {
                let (sine, cosine) = psi.sin_cos();
                cosine.powi(power) * next.at((sine + r * cosine).abs())
            })
        };
        // Where Rₙ₊₁ crosses the next bound and the next knee; a right angle where it cannot.
        let bound = (next.end / length).min(1.0).asin();
        let knee = (next.knee / length).min(1.0).asin();
        let pieces = [-bound, -knee, knee, bound, PI - bound, PI - knee, PI + knee];
        let stayed: f64 = [0, 1, 2, 4, 5]
            .map(|piece| stay(pieces[piece], pieces[piece + 1]))
            .iter()
            .sum();
        if next.end >= length {
            return scale * stayed;
        }
        let missed = above(bound - turn, n) - above(PI - bound - turn, n) + above(bound + turn, n);
        missed + scale * stayed
    })
}

/// The probability that ψ exceeds an angle.
fn above(angle: f64, n: f64) -> f64 {
    if angle >= FRAC_PI_2 {
        0.0
    } else {
        t_above(n.sqrt() * angle.tan(), n)
    }
}

/// The factor that makes cosᵏ a density on (−π/2, π/2).
fn angle_scale(k: f64) -> f64 {
    (ln_gamma(k / 2.0 + 1.0) - ln_gamma(k.midpoint(1.0))).exp() / PI.sqrt()
}

/// ∫ f between the limits; nothing where they are the wrong way round.
fn integrate(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    if from >= to {
        return 0.0;
    }
    let (middle, half) = (from.midpoint(to), (to - from) / 2.0);
    half * NODES
        .iter()
        .zip(WEIGHTS)
        .map(|(node, weight)| weight * (f(middle - half * node) + f(middle + half * node)))
        .sum::<f64>()
}

/// An even function on [−end, end], kept as one table up to its knee and one beyond, there in the
/// square root of the distance from it.
struct Curve {
    knee: f64,
    end: f64,
    below: Vec<f64>,
    beyond: Vec<f64>,
}

impl Curve {
    fn zero(end: f64) -> Self {
        Curve {
            knee: end,
            end,
            below: Vec::new(),
            beyond: Vec::new(),
        }
    }

    fn tabulate(knee: f64, end: f64, f: impl Fn(f64) -> f64) -> Self {
        let place = |point: usize| point as f64 / (POINTS - 1) as f64;
        let below = (0..POINTS).map(|point| f(knee * place(point))).collect();
        let beyond = (0..POINTS)
            .map(|point| f(knee + (end - knee) * place(point).powi(2)))
            .collect();
        Curve {
            knee,
            end,
            below,
            beyond,
        }
    }

    /// The value at 0 ≤ r ≤ end.
    fn at(&self, r: f64) -> f64 {
        if r <= self.knee {
            interpolate(&self.below, r / self.knee)
        } else {
            interpolate(
                &self.beyond,
                ((r - self.knee) / (self.end - self.knee)).sqrt(),
            )
        }
    }
}

/// The value at `place`, 0 to 1, of a table in equal steps: the cubic through the four points
/// around it.
fn interpolate(table: &[f64], place: f64) -> f64 {
    let Some(last) = table.len().checked_sub(4) else {
        return 0.0;
    };
    let x = place.clamp(0.0, 1.0) * (table.len() - 1) as f64;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to the table just above"
    )]
    let first = (x as usize).saturating_sub(1).min(last);
    let x = x - first as f64 - 1.0;
    let [a, b, c, d] = [
        table[first],
        table[first + 1],
        table[first + 2],
        table[first + 3],
    ];
    b + x
        * ((c - a) / 2.0 - (d - 3.0 * c + 3.0 * b - a) / 6.0
            + x * ((a + c) / 2.0 - b + x * (d - 3.0 * c + 3.0 * b - a) / 6.0))
}

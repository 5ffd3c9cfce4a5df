//! How often repeated t intervals miss, by numerical integration.
//!
//! Let Xᵢ be the blocks' effects less the true one, normal and independent, Rₙ = ΣXᵢ ÷ √ΣXᵢ². Then
//! * t after n blocks is Rₙ√(n−1) ÷ √(n−Rₙ²): the interval misses when |Rₙ| exceeds a bound Bₙ;
//! * Rₙ₊₁ = (Rₙ + U) ÷ √(1 + U²) with U = Xₙ₊₁ ÷ √ΣXᵢ², and U√n has Student's distribution with n degrees of freedom whatever
//!   R₁ … Rₙ were, because the length of a normal vector is independent of its direction. So R is a Markov chain on a line.
//!
//! In angles everything is bounded and smooth. With U = tan ψ the density of ψ is proportional to cosⁿ⁻¹ψ, and
//! Rₙ₊₁ = √(1 + Rₙ²)·sin(ψ + arctan Rₙ). Hence Wₙ(r), the probability of a miss after block n given Rₙ = r, follows backwards from
//! W = 0 at the last look; the part that misses at the very next look is exact, and the rest is integrated over the angles that stay.
//! The method is the recursion of Armitage, McPherson and Rowe (J. R. Statist. Soc. A 132, 1969), here for an unknown variance.

use std::f64::consts::{FRAC_PI_2, PI};

use statrs::function::gamma::ln_gamma;

use super::gauss::{NODES, WEIGHTS};
use crate::quantile::{t_above, t_two_sided};

/// Points at which Wₙ is kept between 0 and Bₙ. Twice as many change α′ by less than 10⁻⁴ of itself.
const POINTS: usize = 160;

/// Beyond this many standard deviations the density of an angle is nothing.
const REACH: f64 = 7.0;

/// The probability that at least one t interval of confidence 1 − `alpha`, after each block from `min` to `max`, misses the truth.
pub(crate) fn miss(alpha: f64, min: u32, max: u32) -> f64 {
    let mut after = Curve::zero(bound(alpha, max));
    for blocks in (min..max).rev() {
        after = step(f64::from(blocks), bound(alpha, blocks), &after);
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
    let end = (after.end / n.sqrt()).min(1.0).asin();
    let scale = angle_scale(n - 2.0);
    2.0 * integrate(0.0, end, |phi| {
        after.at(n.sqrt() * phi.sin()) * scale * phi.cos().powf(n - 2.0)
    })
}

/// Wₙ from Wₙ₊₁.
fn step(n: f64, end: f64, next: &Curve) -> Curve {
    let scale = angle_scale(n - 1.0);
    let reach = (REACH / n.sqrt()).min(FRAC_PI_2);
    let density = |psi: f64| scale * psi.cos().max(0.0).powf(n - 1.0);
    Curve::tabulate(end, |r| {
        let (length, turn) = (r.hypot(1.0), r.atan());
        let stay = |from: f64, to: f64| {
            let (from, to) = (from.max(-reach), to.min(reach));
            if from < to {
                integrate(from, to, |psi| {
                    density(psi) * next.at((length * (psi + turn).sin()).abs())
                })
            } else {
                0.0
            }
        };
        if next.end >= length {
            return stay(-FRAC_PI_2, FRAC_PI_2);
        }
        let out = (next.end / length).asin();
        let missed = above(out - turn, n) - above(PI - out - turn, n) + above(out + turn, n);
        missed + stay(-out - turn, out - turn) + stay(PI - out - turn, FRAC_PI_2)
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

fn integrate(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (middle, half) = (from.midpoint(to), (to - from) / 2.0);
    half * NODES
        .iter()
        .zip(WEIGHTS)
        .map(|(node, weight)| weight * (f(middle - half * node) + f(middle + half * node)))
        .sum::<f64>()
}

/// An even function on [−end, end], kept at equal steps and read by cubic interpolation.
struct Curve {
    end: f64,
    per_step: f64,
    values: Vec<f64>,
}

impl Curve {
    fn zero(end: f64) -> Self {
        Curve {
            end,
            per_step: 0.0,
            values: Vec::new(),
        }
    }

    fn tabulate(end: f64, f: impl Fn(f64) -> f64) -> Self {
        let step = end / (POINTS - 1) as f64;
        Curve {
            end,
            per_step: 1.0 / step,
            values: (0..POINTS).map(|point| f(step * point as f64)).collect(),
        }
    }

    /// The value at 0 ≤ r ≤ end.
    fn at(&self, r: f64) -> f64 {
        if self.values.is_empty() {
            return 0.0;
        }
        let place = (r * self.per_step).clamp(0.0, (POINTS - 1) as f64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to the table just above"
        )]
        let left = (place as usize).min(POINTS - 2);
        let x = place - left as f64;
        let (b, c) = (self.values[left], self.values[left + 1]);
        // Even at 0; at the far end the parabola through the last three points goes on.
        let a = self.values[if left == 0 { 1 } else { left - 1 }];
        let d = if left + 2 < POINTS {
            self.values[left + 2]
        } else {
            3.0 * c - 3.0 * b + a
        };
        b + 0.5 * x * (c - a + x * (2.0 * a - 5.0 * b + 4.0 * c - d + x * (3.0 * (b - c) + d - a)))
    }
}

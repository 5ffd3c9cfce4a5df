//! How the chance of a wrong answer is shared out among steps whose number nobody knows before.

use std::f64::consts::PI;

/// No step gets a smaller level: below it the intervals were never checked.
const LEAST: f64 = 1e-6;

/// The level of step `k`, counted from 1: 6α ÷ (π²k²). All levels together are α however many steps
/// there come to be, for Σ 1 ÷ k² = π² ÷ 6 (Euler 1735); so a range that is made longer goes on
/// with what is left. `alpha` lies between 0 and 1. `None` for a step so late that nothing is left
/// for it: at α = 5 % the 175th.
#[must_use]
pub fn level(alpha: f64, step: u32) -> Option<f64> {
    let level = 6.0 * alpha / (PI * f64::from(step.max(1))).powi(2);
    (level >= LEAST).then_some(level)
}

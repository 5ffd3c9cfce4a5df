//! The nominal α′ of a design.

use super::chain::miss;

/// α′ for which t intervals of confidence 1 − α′ after each block from `min` to `max` hold together
/// with probability 1 − `alpha`; exact for normal blocks to better than 10⁻³ of itself. `alpha`
/// lies between 0 and 1, 2 ≤ `min` ≤ `max`.
///
/// By secants on logarithms, on which the miss rate is nearly a straight line of slope 1.
#[must_use]
pub fn solve_nominal_alpha(alpha: f64, min: u32, max: u32) -> f64 {
    let excess = |ln_nominal: f64| (miss(ln_nominal.exp(), min, max) / alpha).ln();
    // Between Bonferroni over all looks and no correction at all.
    let (lowest, highest) = ((alpha / f64::from(max - min + 1)).ln(), alpha.ln());
    // The looks are worth about as many independent ones as the logarithm of max ÷ min.
    let mut last = highest - (1.0 + 3.0 * (f64::from(max) / f64::from(min)).ln()).ln();
    last = last.clamp(lowest, highest);
    let mut at_last = excess(last);
    let mut next = (last - at_last).clamp(lowest, highest);
    for _ in 0..20 {
        if (next - last).abs() < 1e-5 {
            break;
        }
        let at_next = excess(next);
        let slope = ((at_next - at_last) / (next - last)).clamp(0.2, 5.0);
        (last, at_last) = (next, at_next);
        next = (next - at_next / slope).clamp(lowest, highest);
    }
    next.exp()
}

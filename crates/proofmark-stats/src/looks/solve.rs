//! The nominal α′ of a design.

use super::chain::miss;

/// α′ for which t intervals of confidence 1 − α′ after each block from `min` to `max` hold together with probability 1 − `alpha`; exact
/// for normal blocks to about 10⁻⁴ of itself. `alpha` lies between 0 and 1, 2 ≤ `min` ≤ `max`.
#[must_use]
pub fn solve_nominal_alpha(alpha: f64, min: u32, max: u32) -> f64 {
    if max <= min {
        return alpha;
    }
    // Between Bonferroni over all looks and no correction at all; the miss rate grows with α′, nearly as a power of it.
    let excess = |ln_nominal: f64| miss(ln_nominal.exp(), min, max).ln() - alpha.ln();
    let (mut low, mut high) = ((alpha / f64::from(max - min + 1)).ln(), alpha.ln());
    let (mut at_low, mut at_high) = (excess(low), excess(high));
    let mut middle = low;
    // False position, the stale end's weight halved (Illinois).
    for _ in 0..60 {
        middle = (low * at_high - high * at_low) / (at_high - at_low);
        let at_middle = excess(middle);
        if at_middle.abs() < 1e-7 || high - low < 1e-9 {
            break;
        }
        if at_middle > 0.0 {
            (high, at_high, at_low) = (middle, at_middle, at_low / 2.0);
        } else {
            (low, at_low, at_high) = (middle, at_middle, at_high / 2.0);
        }
    }
    middle.exp()
}

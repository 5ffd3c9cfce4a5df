//! How many layouts it takes for a function to stand out by its place.

use crate::quantile::{f_above, f_quantile};

/// Classes that a start is put into: steps of 16 bytes modulo a line.
const CLASSES: u32 = 4;
/// Moduli that are tried for each function.
const TRIED: f64 = 3.0;
/// More layouts than this are not counted.
const MOST: u32 = 10_000;
/// Terms of the mixture that are too rare to count.
const RARE: f64 = 1e-12;

/// How many layouts it takes until a function whose place explains `share` (0 to 1) of what differs
/// between measured layouts, noise included, stands out among `functions` with probability `power`
/// at a rate `level` of false names. None where 10,000 are too few.
///
/// The F test between four classes of starts has the noncentrality n·share ÷ (1 − share) (Cohen
/// 1988, chapter 8), and the level is divided among functions and moduli, which is a little more
/// than exchanging values asks for.
#[must_use]
pub fn layouts_needed(share: f64, functions: usize, level: f64, power: f64) -> Option<u32> {
    let usable = share > 0.0 && share < 1.0 && level > 0.0 && functions > 0;
    let each = level / (functions as f64 * TRIED);
    let enough = |layouts: u32| seen(share, layouts, CLASSES, each) >= power;
    if !usable || !enough(MOST) {
        return None;
    }
    let (mut low, mut high) = (CLASSES + 1, MOST);
    while low < high {
        let middle = low.midpoint(high);
        if enough(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    Some(high)
}

/// The probability that the F test between so many classes of equal size calls what explains
/// `share` of the variance, at `level`.
fn seen(share: f64, layouts: u32, classes: u32, level: f64) -> f64 {
    let (above, below) = (f64::from(classes - 1), f64::from(layouts - classes));
    let least = f_quantile(1.0 - level, above, below);
    let half = f64::from(layouts) * share / (1.0 - share) / 2.0;
    // Noncentral F as a mixture of F by a Poisson distribution, from its middle outwards.
    let weight = |term: f64| (term * half.ln() - half - ln_factorial(term)).exp();
    let tail = |term: f64| {
        let freedom = above + 2.0 * term;
        weight(term) * f_above(least * above / freedom, freedom, below)
    };
    let middle = half.floor();
    let rising = (0..).map(|step| middle + f64::from(step));
    let falling = (1..).map(|step| middle - f64::from(step));
    let up: f64 = rising
        .take_while(|term| weight(*term) > RARE)
        .map(tail)
        .sum();
    let down: f64 = falling
        .take_while(|term| *term >= 0.0 && weight(*term) > RARE)
        .map(tail)
        .sum();
    up + down
}

/// ln n!
fn ln_factorial(number: f64) -> f64 {
    statrs::function::gamma::ln_gamma(number + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// G*Power 3.1's manual and Cohen 1988, table 8.4: analysis of variance, f = √(share ÷ (1 −
    /// share)), equal groups.
    #[test]
    fn the_power_of_published_designs_comes_out_as_published() {
        let share = |f: f64| f * f / (1.0 + f * f);
        // f = 0.25, ten groups, 390 in all, level 0.05: power 0.95 (G*Power, chapter 10).
        let power = seen(share(0.25), 390, 10, 0.05);
        assert!((power - 0.9524).abs() < 0.0005, "{power}");
        // f = 0.4, four groups of 18, level 0.05: 0.80 and a little more (Cohen).
        let power = seen(share(0.4), 72, 4, 0.05);
        assert!((0.79..0.83).contains(&power), "{power}");
        // Nothing to be seen is seen at the level.
        let power = seen(1e-12, 60, 4, 0.05);
        assert!((power - 0.05).abs() < 1e-6, "{power}");
    }

    #[test]
    fn fewer_layouts_do_for_larger_shares_and_more_are_needed_among_more_functions() {
        let half = layouts_needed(0.5, 1, 0.05, 0.9).unwrap_or(0);
        assert!((20..40).contains(&half), "{half}");
        assert!(layouts_needed(0.8, 1, 0.05, 0.9) < Some(half));
        assert!(layouts_needed(0.5, 32, 0.05, 0.9) > Some(half));
        assert_eq!(layouts_needed(0.0, 1, 0.05, 0.9), None);
        assert_eq!(layouts_needed(1e-6, 1, 0.05, 0.9), None);
    }
}

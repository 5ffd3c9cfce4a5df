//! Which changes chance would not have made: the penalty for a change, from permutations.

use std::ops::Range;

use rand::SeedableRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::place::level;
use super::segment::{CAP, segment};
use super::{FALSE_SERIES, FEWEST, Scaled};

/// Permutations drawn.
const DRAWS: usize = 99;

/// Of longer series as many values as this are drawn and permuted.
const LONGEST: usize = 2_000;

/// The least penalty: one outlier at the end, which costs the square of the cap, is no new level.
const LEAST: f64 = CAP * CAP + 1.0;

/// From a penalty to the next one that is tried.
const RUNG: f64 = 1.15;

/// How fast a false change gets rarer with the penalty: by e for each so much. It is 2 for normal
/// noise; 2.8 where every fifth value is from a second, higher level.
const TAIL: f64 = 3.0;

/// Rounds of fitting and permuting what the fit leaves.
const FITS: usize = 3;

/// The changes of a series, and how often a series without any would have one as clear.
///
/// First all values are exchanged at random: where none of them belongs to another level, every
/// order is as likely as the one that is there, so that a penalty under which at most 5 % of the
/// orders have a change gives a test that is exact whatever the noise. Then the same with what the
/// levels leave, which is what chance can do about them.
pub(super) fn beyond_chance(values: &[f64], seed: u64) -> (Vec<usize>, Option<f64>) {
    let none = (Vec::new(), None);
    let least = LEAST.max(2.0 * (values.len() as f64).ln());
    if values.len() < FEWEST || segment(values, least).is_empty() {
        return none;
    }
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    let mut orders = Orders::of(values, least, &mut draw);
    let mut found = segment(values, orders.penalty());
    if found.is_empty() {
        return none;
    }
    let p_value = orders.p_value(values);
    for _ in 0..FITS {
        let left = Orders::of(&residuals(values, &found), least, &mut draw);
        let again = segment(values, left.penalty());
        if again.is_empty() || again == found {
            break;
        }
        found = again;
    }
    (found, Some(p_value))
}

/// Orders of the same values, and a penalty.
struct Orders {
    /// Those that have a change under the penalty.
    changing: Vec<Vec<f64>>,
    penalty: f64,
    /// What a longer series has to add to it.
    longer: f64,
}

impl Orders {
    /// With the least penalty under which few orders have a change.
    fn of(values: &[f64], least: f64, draw: &mut ChaCha8Rng) -> Orders {
        // A series that is k times as long has k times as many places for a false change.
        let parts = values.len() as f64 / values.len().min(LONGEST) as f64;
        let mut orders = Orders {
            changing: (0..DRAWS).map(|_| order(values, draw)).collect(),
            penalty: least,
            longer: parts.ln() * TAIL,
        };
        orders.drop_still();
        while orders.share() > FALSE_SERIES {
            orders.raise();
        }
        orders
    }

    /// The penalty for the series itself.
    fn penalty(&self) -> f64 {
        self.penalty + self.longer
    }

    /// The share of orders that have a change, counting the one that is there.
    fn share(&self) -> f64 {
        (self.changing.len() + 1) as f64 / (DRAWS + 1) as f64
    }

    fn raise(&mut self) {
        self.penalty *= RUNG;
        self.drop_still();
    }

    fn drop_still(&mut self) {
        let penalty = self.penalty;
        self.changing
            .retain(|order| !segment(order, penalty).is_empty());
    }

    /// The share at the highest penalty under which the series itself has a change still.
    fn p_value(&mut self, values: &[f64]) -> f64 {
        let mut share = self.share();
        while !self.changing.is_empty() {
            self.raise();
            if segment(values, self.penalty()).is_empty() {
                break;
            }
            share = self.share();
        }
        share
    }
}

/// The values in another order, on the scale of the noise that they have in it.
fn order(values: &[f64], draw: &mut ChaCha8Rng) -> Vec<f64> {
    let mut order: Vec<f64> = if values.len() > LONGEST {
        values.sample(draw, LONGEST).copied().collect()
    } else {
        values.to_vec()
    };
    order.shuffle(draw);
    Scaled::of(&order).values
}

fn residuals(values: &[f64], changes: &[usize]) -> Vec<f64> {
    let ends = changes.iter().copied().chain([values.len()]);
    let starts = [0].into_iter().chain(changes.iter().copied());
    let segments: Vec<Range<usize>> = starts.zip(ends).map(|(from, to)| from..to).collect();
    let of = |at: Range<usize>| {
        let (level, _) = level(&values[at.clone()]);
        values[at].iter().map(move |value| value - level)
    };
    segments.into_iter().flat_map(of).collect()
}

//! Which changes chance would not have made: the penalty for a change, from permutations.

use std::ops::Range;

use rand::SeedableRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::place::{level, loss};
use super::segment::{CAP, segment};
use super::{FEWEST, Scaled};

/// Permutations drawn.
const DRAWS: usize = 99;

/// So many of them may have a change: with the series itself that is the share `FALSE_SERIES`.
const FEW: usize = 4;

/// Of longer series as many values as this are drawn and permuted.
const LONGEST: usize = 200;

/// The least penalty: one outlier at the end, which costs the square of the cap, is no new level.
const LEAST: f64 = CAP * CAP + 1.0;

/// From a penalty to the next one that is tried.
const RUNG: f64 = 1.15;

/// How fast a false change gets rarer with the penalty: by e for each so much, in units of the
/// noise's variance. It is 2 for normal noise.
const TAIL: f64 = 2.2;

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
    if values.len() < FEWEST || nothing_to_ask(values, least) {
        return none;
    }
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    let orders = Orders::of(values, least, &mut draw);
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

/// Whether chance need not be asked, where that is told sooner than what chance does.
fn nothing_to_ask(values: &[f64], least: f64) -> bool {
    values.len() < DRAWS * LONGEST && segment(values, least).is_empty()
}

/// What chance does in orders of the same values.
struct Orders {
    /// For each order the highest penalty that was tried under which it has a change, and 0 where
    /// there is none; the highest first.
    clearest: Vec<f64>,
    least: f64,
    /// What a series that is longer than the orders has to add to a penalty.
    longer: f64,
}

impl Orders {
    fn of(values: &[f64], least: f64, draw: &mut ChaCha8Rng) -> Orders {
        let clearest = (0..DRAWS).map(|_| clearest(&order(values, draw), least));
        let mut clearest: Vec<f64> = clearest.collect();
        clearest.sort_by(|a, b| b.total_cmp(a));
        // A series that is k times as long has k times as many places for a false change.
        let parts = values.len() as f64 / values.len().min(LONGEST) as f64;
        let tail = tail(&clearest).max(TAIL * variance(values).max(1.0));
        Orders {
            clearest,
            least,
            longer: parts.ln() * tail,
        }
    }

    /// The least penalty that was tried under which few orders have a change.
    fn penalty(&self) -> f64 {
        let last = self.clearest.get(FEW).copied().unwrap_or(0.0);
        let penalty = if last > 0.0 { last * RUNG } else { self.least };
        penalty + self.longer
    }

    /// The share of orders that have a change as clear as the series', counting the one that is
    /// there. The series has one under `penalty()`, so that only the few above it are looked at.
    fn p_value(&self, values: &[f64]) -> f64 {
        let above = self.clearest.iter().take(FEW);
        let above: Vec<f64> = above.copied().filter(|penalty| *penalty > 0.0).collect();
        // What has a change under one penalty has one under each lower one.
        let clearer = above
            .partition_point(|penalty| segment(values, penalty * RUNG + self.longer).is_empty());
        (clearer + 1) as f64 / (DRAWS + 1) as f64
    }
}

/// The highest penalty on the ladder under which a series has a change; 0 where there is none.
fn clearest(values: &[f64], least: f64) -> f64 {
    let ladder = std::iter::successors(Some(least), |penalty| Some(penalty * RUNG));
    let with_changes = ladder.take_while(|penalty| !segment(values, *penalty).is_empty());
    with_changes.last().unwrap_or(0.0)
}

/// By how much the clearest quarter goes beyond the rest in the mean: false changes get rarer by e
/// for each so much where their tail is exponential. 0 where there are too few to tell.
fn tail(clearest: &[f64]) -> f64 {
    let (above, rest) = clearest.split_at(clearest.len() / 4);
    let from = rest.first().copied().unwrap_or(0.0);
    if from <= 0.0 {
        return 0.0;
    }
    above.iter().map(|one| one - from).sum::<f64>() / above.len().max(1) as f64
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

/// The mean loss about one level: more than 1 where a coarse clock or a second level hides from the
/// median step how much values vary.
fn variance(values: &[f64]) -> f64 {
    let (level, _) = level(values);
    values.iter().map(|value| loss(*value, level)).sum::<f64>() / values.len().max(1) as f64
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

//! How much of what addresses do the low bits of the address explain.

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Shifts drawn: the least p value is one in so many and one more.
const DRAWS: u32 = 999;

/// Fewest addresses in each class.
const FEWEST: usize = 4;

/// Below this p value a share counts as seen.
const SEEN: f64 = 0.05;

/// A share of what the finest classes explain that coarser ones may lack and still stand for them.
const LACKING: f64 = 0.05;

/// What the address modulo one number explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BitShare {
    /// The modulus: a power of two, in bytes.
    pub modulus: u64,
    /// Classes that it has here.
    pub classes: u32,
    /// Share of the variance between addresses that lies between its classes, noise removed; 0 to
    /// 1.
    pub share: f64,
    /// How often it would be as large if the classes meant nothing, for all moduli together; 0 to
    /// 1.
    pub p_value: f64,
}

/// What the low bits of the address explain.
#[derive(Clone, Debug, PartialEq)]
pub struct LowBits {
    /// By modulus, the smallest first.
    pub moduli: Vec<BitShare>,
    /// The bits that matter, the lowest first: those without which the largest share would not be
    /// reached. Bit 4 is the one of 16. Empty where no share is told from chance.
    pub bits: Vec<u32>,
    /// The share that these bits explain together, 0 to 1.
    pub share: f64,
}

/// One address with its effect.
#[derive(Clone, Copy, Debug)]
struct Point {
    address: u64,
    value: f64,
    variance: f64,
}

/// How much of the variance between addresses classes of equal low bits explain. `effects` holds
/// the address, its effect on the scale of ln, and the variance of that estimate.
///
/// With N addresses in C classes, SST and SSB the sums of squares in all and between classes, MSW
/// the mean square within classes and v the mean variance of the estimates: share = (SSB − (C −
/// 1)·MSW) ÷ (SST − (N − 1)·v), kept within 0 and 1. The numerator is that of ω² (Hays 1963): what
/// C classes explain by their number alone is taken away; the denominator is the variance without
/// the noise.
///
/// A modulus takes part where it has two classes, each with at least four addresses. Its p value is
/// by turning each row of addresses, one modulus long, by a random step of its own: that keeps runs
/// of neighbours that are alike, and destroys only that they lie alike in all rows. Each p value is
/// multiplied by the number of moduli (Bonferroni), so that one of them is called by chance at the
/// stated rate at most.
#[must_use]
pub fn explained_by_low_bits(effects: &[(u64, f64, f64)], seed: u64) -> LowBits {
    let mut points: Vec<Point> = effects
        .iter()
        .filter(|(_, value, variance)| value.is_finite() && variance.is_finite())
        .map(|(address, value, variance)| Point {
            address: *address,
            value: *value,
            variance: *variance,
        })
        .collect();
    points.sort_by_key(|point| point.address);
    let signal = signal(&points);
    let moduli: Vec<Modulus> = (1..u64::BITS - 1)
        .filter_map(|bit| Modulus::of(&points, 1 << bit))
        .collect();
    if signal <= 0.0 || moduli.is_empty() {
        return LowBits {
            moduli: moduli
                .iter()
                .map(|modulus| modulus.told(0.0, 1.0))
                .collect(),
            bits: Vec::new(),
            share: 0.0,
        };
    }
    let values: Vec<f64> = points.iter().map(|point| point.value).collect();
    let shares: Vec<f64> = moduli
        .iter()
        .map(|modulus| modulus.share(&values, signal))
        .collect();
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    let several = moduli.len() as f64;
    let told: Vec<BitShare> = moduli
        .iter()
        .zip(&shares)
        .map(|(modulus, share)| {
            let as_large = (0..DRAWS)
                .map(|_| modulus.share(&modulus.turned(&values, &mut draw), signal))
                .filter(|drawn| *drawn >= share * (1.0 - 1e-12))
                .count();
            let p_value = (as_large + 1) as f64 / f64::from(DRAWS + 1);
            modulus.told(*share, (several * p_value).min(1.0))
        })
        .collect();
    let (bits, share) = bits(&points, &values, signal, &told);
    LowBits {
        moduli: told,
        bits,
        share,
    }
}

/// The variance between addresses times their number less one, noise removed.
fn signal(points: &[Point]) -> f64 {
    let values: Vec<f64> = points.iter().map(|point| point.value).collect();
    let noise: f64 = points.iter().map(|point| point.variance).sum();
    let count = points.len() as f64;
    squares(&values) - noise * (count - 1.0) / count
}

/// Sum of squared deviations from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

/// A modulus with the class of each point.
struct Modulus {
    modulus: u64,
    classes: usize,
    class: Vec<usize>,
    /// The first point of each row of addresses one modulus long, and the end of the last.
    rows: Vec<usize>,
}

impl Modulus {
    fn of(points: &[Point], modulus: u64) -> Option<Modulus> {
        let (class, classes) = classes(points, modulus - 1)?;
        let mut rows: Vec<usize> = (0..points.len())
            .filter(|&at| {
                at == 0 || points[at].address / modulus != points[at - 1].address / modulus
            })
            .collect();
        rows.push(points.len());
        Some(Modulus {
            modulus,
            classes,
            class,
            rows,
        })
    }

    fn told(&self, share: f64, p_value: f64) -> BitShare {
        BitShare {
            modulus: self.modulus,
            classes: u32::try_from(self.classes).unwrap_or(u32::MAX),
            share,
            p_value,
        }
    }

    fn share(&self, values: &[f64], signal: f64) -> f64 {
        share(values, &self.class, self.classes, signal)
    }

    /// The values with each row turned by a step of its own.
    fn turned(&self, values: &[f64], draw: &mut ChaCha8Rng) -> Vec<f64> {
        let mut turned = values.to_vec();
        for row in self.rows.windows(2) {
            let row = &mut turned[row[0]..row[1]];
            row.rotate_left(draw.random_range(0..row.len()));
        }
        turned
    }
}

/// The class of each point by the bits of a mask; none where there are fewer than two classes or
/// one has too few points.
fn classes(points: &[Point], mask: u64) -> Option<(Vec<usize>, usize)> {
    let mut kinds: Vec<u64> = points.iter().map(|point| point.address & mask).collect();
    let each = kinds.clone();
    kinds.sort_unstable();
    let fewest = kinds.chunk_by(|a, b| a == b).map(<[u64]>::len).min()?;
    kinds.dedup();
    if kinds.len() < 2 || fewest < FEWEST {
        return None;
    }
    let class = each
        .iter()
        .map(|kind| kinds.binary_search(kind).unwrap_or_default())
        .collect();
    Some((class, kinds.len()))
}

/// The share of the signal between classes.
fn share(values: &[f64], class: &[usize], classes: usize, signal: f64) -> f64 {
    let mut sums = vec![(0.0, 0.0); classes];
    for (value, class) in values.iter().zip(class) {
        sums[*class].0 += value;
        sums[*class].1 += 1.0;
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let between: f64 = sums
        .iter()
        .map(|(sum, count)| count * (sum / count - mean).powi(2))
        .sum();
    let within = (squares(values) - between).max(0.0);
    let freedom = (values.len() - classes) as f64;
    let by_number = (classes - 1) as f64 * within / freedom;
    ((between - by_number) / signal).clamp(0.0, 1.0)
}

/// The bits that matter, and what they explain together: of all the bits of the modulus that
/// explains most, one after the other is left out as long as hardly anything is lost.
fn bits(points: &[Point], values: &[f64], signal: f64, told: &[BitShare]) -> (Vec<u32>, f64) {
    let seen = told.iter().filter(|one| one.p_value <= SEEN);
    let Some(best) = seen.max_by(|a, b| a.share.total_cmp(&b.share)) else {
        return (Vec::new(), 0.0);
    };
    let by = |mask: u64| {
        classes(points, mask).map_or(0.0, |(class, count)| share(values, &class, count, signal))
    };
    let least = best.share - LACKING;
    let mut mask = best.modulus - 1;
    // What no address has says nothing.
    let differing = points.iter().fold(0, |found, point| {
        found | (point.address ^ points[0].address)
    });
    mask &= differing;
    loop {
        let without = (0..u64::BITS)
            .filter(|bit| mask >> bit & 1 == 1)
            .map(|bit| (bit, by(mask & !(1 << bit))))
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        match without {
            Some((bit, share)) if share >= least && mask.count_ones() > 1 => mask &= !(1 << bit),
            _ => break,
        }
    }
    let bits = (0..u64::BITS).filter(|bit| mask >> bit & 1 == 1).collect();
    (bits, by(mask))
}

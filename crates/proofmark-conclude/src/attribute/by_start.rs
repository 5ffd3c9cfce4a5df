//! What of a function's start goes with the metric.

use proofmark_evidence::record::{ByStart, StartClass};
use proofmark_stats::attribute::{Places, explained_by_places};

/// Bytes of a class of starts.
const GRAIN: u64 = 16;
/// Below this p value starts are said to go with the metric.
const SEEN: f64 = 0.05;

/// Two layouts that differ in the place of one function alone.
pub(super) struct Moved {
    /// Where it starts in the one, and in the other.
    pub(super) starts: [u64; 2],
    /// ln(the one ÷ the other).
    pub(super) apart: f64,
}

/// Which low bits of the start go with the metric, if any do beyond chance. Of two layouts that
/// differ in one place, half of what they differ by is given to each.
pub(super) fn by_start(moved: &[Moved], seed: u64) -> Option<ByStart> {
    let each = |moved: &Moved| {
        let [one, other] = moved.starts;
        [(one, moved.apart / 2.0), (other, -moved.apart / 2.0)]
    };
    let points: Vec<(u64, f64)> = moved.iter().flat_map(each).collect();
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let starts = points.iter().map(|(start, _)| *start).collect();
    let told = explained_by_places(&values, 0.0, &[Places { starts }], 0.95, seed);
    let best = told.first().filter(|best| best.p_value <= SEEN)?;
    let mut classes: Vec<(u64, u32, f64)> = Vec::new();
    for (start, value) in &points {
        let class = start % best.modulus / GRAIN * GRAIN;
        match classes.iter_mut().find(|known| known.0 == class) {
            Some(known) => {
                known.1 += 1;
                known.2 += value;
            }
            None => classes.push((class, 1, *value)),
        }
    }
    classes.sort_unstable_by_key(|class| class.0);
    let mean = |(_, count, sum): &(u64, u32, f64)| sum / f64::from(*count);
    let all = classes.iter().map(mean).sum::<f64>() / classes.len() as f64;
    // Half of a difference is given to a place whatever the other one is: on the mean, it differs
    // from all others by twice as much.
    let ratio = |class: &(u64, u32, f64)| (2.0 * (mean(class) - all)).exp();
    Some(ByStart {
        modulus: best.modulus,
        // The other place takes part in each half as noise, as large as this one's.
        share: (2.0 * best.share.estimate).min(1.0),
        classes: classes
            .iter()
            .map(|class| StartClass {
                start: class.0,
                layouts: class.1,
                ratio: ratio(class),
            })
            .collect(),
    })
}

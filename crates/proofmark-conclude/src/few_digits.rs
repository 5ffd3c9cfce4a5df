//! Numbers that a program prints with too few digits for the margin.

use proofmark_evidence::record::{Block, Experiment, FewDigits, Pilot, Warning};
use proofmark_terms::{BuildIndex, Metric};

use crate::arms::{main_arm, paired};
use crate::name::name;

/// Runs whose numbers are so many steps apart round to either side, so that their mean tells more
/// than a step. Below, rounding may do the same to all of them.
const SPREAD_OUT: f64 = 2.0;

/// The program prints its number in steps that are larger than the margin, and all runs print
/// nearly the same: `0.06` stands for all from 0.055 to 0.065. Whole numbers are taken for counts,
/// which are exact, where their unit is none of time.
pub(crate) fn few_digits(
    experiment: &Experiment,
    pilot: &Pilot,
    build: BuildIndex,
    blocks: &[Block],
) -> Option<Warning> {
    let Metric::Output { unit, .. } = &experiment.benchmark.metric else {
        return None;
    };
    let arms = [build, BuildIndex::BASE].map(|build| main_arm(experiment, build));
    let rounds = blocks
        .iter()
        .filter_map(|block| paired(block, arms, pilot.schedule));
    let (new, base): (Vec<_>, Vec<_>) = rounds.unzip();
    let values = [new.concat(), base.concat()];
    let (step, unseen) = unseen(&values, is_time(unit))?;
    (unseen > experiment.design.margin.ln()).then(|| {
        Warning::FewDigits(FewDigits {
            build: name(experiment, build).to_owned(),
            step,
            unseen,
        })
    })
}

/// The step in which the numbers of two arms are printed, and how far rounding may have moved the
/// logarithm of their ratio. None where rounding averages out, and of counts.
fn unseen(values: &[Vec<f64>; 2], is_time: bool) -> Option<(f64, f64)> {
    let digits = values.iter().flatten().map(digits).max()?;
    if digits == 0 && !is_time {
        return None;
    }
    let step = 10_f64.powi(-i32::try_from(digits).ok()?);
    let mut unseen = 0.0;
    for values in values {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        // Half a step, in which sums of fractions are off in the last digits.
        if most - least < (SPREAD_OUT - 0.5) * step {
            unseen += step / 2.0 / least;
        }
    }
    Some((step, unseen))
}

/// The digits behind the point of a number as it was printed, but zeros at the end.
fn digits(value: &f64) -> usize {
    let text = value.to_string();
    text.split_once('.').map_or(0, |(_, behind)| behind.len())
}

fn is_time(unit: &str) -> bool {
    let units = ["s", "ms", "us", "\u{b5}s", "\u{3bc}s", "ns", "min", "h"];
    let words = ["sec", "msec", "usec", "nsec", "milli", "micro", "nano"];
    let unit = unit.to_lowercase();
    units.contains(&unit.as_str()) || words.iter().any(|word| unit.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(new: &[f64], base: &[f64], is_time: bool) -> Option<f64> {
        unseen(&[new.to_vec(), base.to_vec()], is_time).map(|(_, unseen)| unseen)
    }

    #[test]
    fn what_is_rounded_alike_in_all_runs_is_unseen() {
        // 0.055 to 0.065: each arm may be off by a twelfth.
        let found = told(&[0.06; 4], &[0.06; 4], false).unwrap();
        assert!((found - 2.0 / 12.0).abs() < 1e-12, "{found}");
        // Neighbours alone do not average rounding out.
        let found = told(&[0.06, 0.07], &[0.06, 0.06], false).unwrap();
        assert!((found - 2.0 / 12.0).abs() < 1e-12, "{found}");
        // Runs that vary by several steps do.
        let varied = [0.05, 0.06, 0.07, 0.08];
        assert_eq!(told(&varied, &varied, false), Some(0.0));
        let half = told(&varied, &[0.06; 4], false).unwrap();
        assert!((half - 1.0 / 12.0).abs() < 1e-12, "{half}");
    }

    #[test]
    fn digits_are_those_that_some_run_prints() {
        let found = unseen(&[vec![0.1, 0.104], vec![0.1, 0.1]], false).unwrap();
        assert_eq!(found.0, 0.001);
        assert_eq!(told(&[12.0; 4], &[12.0; 4], false), None);
        let found = told(&[12.0; 4], &[12.0; 4], true).unwrap();
        assert!((found - 1.0 / 12.0).abs() < 1e-12, "{found}");
        assert_eq!(told(&[], &[], true), None);
    }

    #[test]
    fn units_of_time_are_known() {
        for unit in ["s", "ms", "Seconds", "usec", "secs", "\u{b5}s"] {
            assert!(is_time(unit), "{unit}");
        }
        for unit in ["steps", "MB", "ops", "hits"] {
            assert!(!is_time(unit), "{unit}");
        }
    }
}

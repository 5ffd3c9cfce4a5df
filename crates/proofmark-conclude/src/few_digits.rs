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
    let rounding = Rounding::of(&experiment.benchmark.metric)?;
    let printed = printed(experiment, pilot, build, blocks);
    told(
        experiment,
        build,
        BuildIndex::BASE,
        rounding.unseen(&printed.reduce(both)?)?,
    )
}

/// The warning of two builds, where a step hides more than the margin.
pub(crate) fn told(
    experiment: &Experiment,
    build: BuildIndex,
    beside: BuildIndex,
    unseen: Unseen,
) -> Option<Warning> {
    (unseen.by > experiment.design.margin.ln()).then(|| {
        Warning::FewDigits(FewDigits {
            build: name(experiment, build).to_owned(),
            beside: name(experiment, beside).to_owned(),
            step: unseen.step,
            unseen: unseen.by,
        })
    })
}

/// How far rounding may have moved the logarithm of a build's ratio to the base, after each block.
/// Empty where the metric is none that a program prints.
pub(crate) fn unseen_by_block(
    experiment: &Experiment,
    pilot: &Pilot,
    build: BuildIndex,
    blocks: &[Block],
) -> Vec<f64> {
    let Some(rounding) = Rounding::of(&experiment.benchmark.metric) else {
        return Vec::new();
    };
    rounding.after_each(printed(experiment, pilot, build, blocks))
}

/// What a build and the base printed in each block.
fn printed(
    experiment: &Experiment,
    pilot: &Pilot,
    build: BuildIndex,
    blocks: &[Block],
) -> impl Iterator<Item = [Printed; 2]> {
    let arms = [build, BuildIndex::BASE].map(|build| main_arm(experiment, build));
    let schedule = pilot.schedule;
    blocks.iter().filter_map(move |block| {
        let (new, base) = paired(block, arms, schedule)?;
        Some([Printed::of(&new)?, Printed::of(&base)?])
    })
}

/// Numbers that a program printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Printed {
    least: f64,
    most: f64,
    /// Most digits behind the point of any of them, but zeros at the end.
    digits: usize,
}

impl Printed {
    /// `None` of none.
    pub(crate) fn of(values: &[f64]) -> Option<Printed> {
        let one = |&value: &f64| Printed {
            least: value,
            most: value,
            digits: digits(value),
        };
        values.iter().map(one).reduce(Printed::and)
    }

    fn and(self, other: Printed) -> Printed {
        Printed {
            least: self.least.min(other.least),
            most: self.most.max(other.most),
            digits: self.digits.max(other.digits),
        }
    }
}

pub(crate) fn both(one: [Printed; 2], other: [Printed; 2]) -> [Printed; 2] {
    [one[0].and(other[0]), one[1].and(other[1])]
}

/// What rounding may hide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unseen {
    /// The step in which the numbers are printed, in the metric's unit.
    pub(crate) step: f64,
    /// How far it may have moved the logarithm of their ratio.
    pub(crate) by: f64,
}

/// Rounding by the programs that print a metric.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rounding {
    /// Whole numbers of such a unit are measured ones, and no counts.
    is_time: bool,
}

impl Rounding {
    /// `None` where proofmark itself takes the numbers, with all their digits.
    pub(crate) fn of(metric: &Metric) -> Option<Rounding> {
        match metric {
            Metric::Output { unit, .. } => Some(Rounding {
                is_time: is_time(unit),
            }),
            Metric::CpuTime | Metric::WallTime | Metric::PeakMemory => None,
        }
    }

    /// What two arms' numbers leave unseen. None of counts, and 0 where rounding averages out.
    pub(crate) fn unseen(self, printed: &[Printed; 2]) -> Option<Unseen> {
        let digits = printed[0].digits.max(printed[1].digits);
        if digits == 0 && !self.is_time {
            return None;
        }
        let step = 10_f64.powi(-i32::try_from(digits).ok()?);
        // Half a step, in which sums of fractions are off in the last digits.
        let alike = |arm: &&Printed| arm.most - arm.least < (SPREAD_OUT - 0.5) * step;
        let by = (printed.iter().filter(alike)).map(|arm| step / 2.0 / arm.least);
        Some(Unseen { step, by: by.sum() })
    }

    /// How far it may have moved the logarithm of the ratio, after each block.
    pub(crate) fn after_each(self, blocks: impl Iterator<Item = [Printed; 2]>) -> Vec<f64> {
        let so_far = blocks.scan(None, |all, block| {
            let now = all.map_or(block, |all| both(all, block));
            *all = Some(now);
            Some(self.unseen(&now).map_or(0.0, |unseen| unseen.by))
        });
        so_far.collect()
    }
}

/// The digits behind the point of a number as it was printed, but zeros at the end.
fn digits(value: f64) -> usize {
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

    fn unseen(new: &[f64], base: &[f64], is_time: bool) -> Option<Unseen> {
        Rounding { is_time }.unseen(&[Printed::of(new)?, Printed::of(base)?])
    }

    fn by(new: &[f64], base: &[f64], is_time: bool) -> Option<f64> {
        unseen(new, base, is_time).map(|unseen| unseen.by)
    }

    #[test]
    fn what_is_rounded_alike_in_all_runs_is_unseen() {
        // 0.055 to 0.065: each arm may be off by a twelfth.
        let found = by(&[0.06; 4], &[0.06; 4], false).unwrap();
        assert!((found - 2.0 / 12.0).abs() < 1e-12, "{found}");
        // Neighbours alone do not average rounding out.
        let found = by(&[0.06, 0.07], &[0.06, 0.06], false).unwrap();
        assert!((found - 2.0 / 12.0).abs() < 1e-12, "{found}");
        // Runs that vary by several steps do.
        let varied = [0.05, 0.06, 0.07, 0.08];
        assert_eq!(by(&varied, &varied, false), Some(0.0));
        let half = by(&varied, &[0.06; 4], false).unwrap();
        assert!((half - 1.0 / 12.0).abs() < 1e-12, "{half}");
    }

    #[test]
    fn digits_are_those_that_some_run_prints() {
        let found = unseen(&[0.1, 0.104], &[0.1, 0.1], false).unwrap();
        assert_eq!(found.step, 0.001);
        assert_eq!(by(&[12.0; 4], &[12.0; 4], false), None);
        let found = by(&[12.0; 4], &[12.0; 4], true).unwrap();
        assert!((found - 1.0 / 12.0).abs() < 1e-12, "{found}");
        assert_eq!(by(&[], &[], true), None);
    }

    #[test]
    fn rounding_is_known_better_with_each_block() {
        let block = |new: &[f64]| [Printed::of(new).unwrap(), Printed::of(&[0.061]).unwrap()];
        let blocks = [[0.06; 2], [0.061, 0.06], [0.062; 2]];
        let told = Rounding { is_time: true }.after_each(blocks.iter().map(|new| block(new)));
        let arm = |least: f64| 0.0005 / least;
        let expected = [arm(0.06) + arm(0.061), arm(0.06) + arm(0.061), arm(0.061)];
        for (told, expected) in told.iter().zip(expected) {
            assert!((told - expected).abs() < 1e-12, "{told} {expected}");
        }
        assert_eq!(told.len(), 3);
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

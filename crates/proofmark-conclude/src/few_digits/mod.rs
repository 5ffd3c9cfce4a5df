//! Numbers that a program prints with too few digits for the margin, or takes from a clock that is
//! too coarse for it.

mod kinds;

use proofmark_evidence::record::{Block, Experiment, FewDigits, Pilot, Warning};
use proofmark_terms::{BuildIndex, Metric, is_rate, is_rounded, is_time};

use crate::arms::{main_arm, paired};
use crate::name::name;
use kinds::Kinds;

/// Runs whose numbers are so many steps apart round to either side, so that their mean tells more
/// than a step. Below, rounding may do the same to all of them.
const SPREAD_OUT: f64 = 2.0;

/// Where so many runs print one number, rounding does not average out, whatever the others print: of
/// normal noise with a standard deviation of half a step 68 % do, and the mean of what they print is
/// off by 0.2 % of a step (e^(−2π²σ²) ÷ π; Widrow, Kollár and Liu 1996, section III).
const MOST_ALIKE: f64 = 0.7;

/// Rounding that can move no number by more than this, relative to it, is not looked into: half a
/// step of the least of them.
const HARMLESS: f64 = 1e-5;

/// No run takes the same time as another to one part in so many, unless its clock is coarse.
const FINE: f64 = 1000.0;

/// The program prints its number in steps that are larger than the margin, and all runs print
/// nearly the same: `0.06` stands for all from 0.055 to 0.065. Whole numbers are taken for counts,
/// which are exact, where their unit is none of time and no rate.
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
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Printed {
    least: f64,
    /// Most digits behind the point of any of them, but zeros at the end; below zero where whole
    /// numbers end in zeros.
    digits: i32,
    kinds: Kinds,
}

impl Printed {
    /// `None` of none.
    pub(crate) fn of(values: &[f64]) -> Option<Printed> {
        let one = |&value: &f64| Printed {
            least: value,
            digits: digits(value),
            kinds: Kinds::of(value),
        };
        values.iter().map(one).reduce(Printed::and)
    }

    fn and(self, other: Printed) -> Printed {
        Printed {
            least: self.least.min(other.least),
            digits: self.digits.max(other.digits),
            kinds: self.kinds.and(other.kinds),
        }
    }

    /// How far numbers in these steps may all be off, relative to the least of them: by half a
    /// step, and 0 where they are several steps apart. A run that was disturbed says nothing of how
    /// the others were rounded.
    fn hidden_by(&self, step: f64) -> f64 {
        let by = step / 2.0 / self.least;
        // Sums of fractions are off in the last digits: hence half a step less.
        let apart = (SPREAD_OUT - 0.5) * step;
        let nearly = || {
            self.kinds.middle() < apart
                || self.kinds.commonest() >= MOST_ALIKE
                || self.kinds.bunched(1.25 * step, apart) >= MOST_ALIKE
        };
        let alike = self.kinds.range() < apart || (by > HARMLESS && nearly());
        if alike { by } else { 0.0 }
    }
}

pub(crate) fn both(one: [Printed; 2], other: [Printed; 2]) -> [Printed; 2] {
    let ([one_new, one_base], [new, base]) = (one, other);
    [one_new.and(new), one_base.and(base)]
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
    measures: Measures,
}

/// What numbers of a unit are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measures {
    /// Times, read from a clock.
    Time,
    /// So many in a time, which a clock told.
    Rate,
    /// Amounts in a unit that whole numbers of it are rounded to.
    Amount,
    /// Something else; counts, where they are whole.
    Other,
}

impl Rounding {
    /// `None` where proofmark itself takes the numbers, with all their digits.
    pub(crate) fn of(metric: &Metric) -> Option<Rounding> {
        match metric {
            Metric::Output { unit, .. } => Some(Rounding {
                measures: if is_time(unit) {
                    Measures::Time
                } else if is_rate(unit) {
                    Measures::Rate
                } else if is_rounded(unit) {
                    Measures::Amount
                } else {
                    Measures::Other
                },
            }),
            Metric::CpuTime | Metric::WallTime | Metric::PeakMemory => None,
        }
    }

    /// What two arms' numbers leave unseen. None of counts, and 0 where rounding averages out.
    pub(crate) fn unseen(self, printed: &[Printed; 2]) -> Option<Unseen> {
        let step = self.step(printed)?;
        let by = printed.iter().map(|arm| arm.hidden_by(step));
        Some(Unseen { step, by: by.sum() })
    }

    /// How far each of two arms' numbers may be off, relative to it: half a step ÷ the least of
    /// them. 0 of counts, and where rounding averages out.
    pub(crate) fn of_each(self, printed: &[Printed; 2]) -> [f64; 2] {
        let step = self.step(printed);
        let hidden = |arm: &Printed| step.map_or(0.0, |step| arm.hidden_by(step));
        printed.each_ref().map(hidden)
    }

    /// The step in which two arms' numbers are printed; `None` of counts.
    fn step(self, printed: &[Printed; 2]) -> Option<f64> {
        let digits = printed[0].digits.max(printed[1].digits);
        let digits = match self.measures {
            // `1200 KiB` may be as many to the unit.
            Measures::Amount => digits.max(0),
            _ => digits,
        };
        // `230000 us` is a time in steps of 10 ms, and `1.2e6 ops/s` a rate of two digits.
        let step = 10_f64.powi(-digits);
        let least = printed[0].least.min(printed[1].least);
        let coarse = match self.measures {
            Measures::Other if digits <= 0 => return None,
            Measures::Other | Measures::Amount => None,
            // Quiet runs may all take `14 ms` by a clock of whole milliseconds.
            Measures::Time if digits <= 0 && least < FINE * step => coarse_step(printed, false),
            Measures::Time | Measures::Rate => coarse_step(printed, true),
        };
        // Differences of fractions are off in the last digits.
        let coarse = coarse.map(|coarse| (coarse / step).round() * step);
        Some(coarse.filter(|coarse| *coarse > step).unwrap_or(step))
    }

    /// How far it may have moved the logarithm of the ratio, after each block.
    pub(crate) fn after_each(self, blocks: impl Iterator<Item = [Printed; 2]>) -> Vec<f64> {
        let so_far = blocks.scan(None, |all, block| {
            let now = match all.take() {
                None => block,
                Some(all) => both(all, block),
            };
            let unseen = self.unseen(&now).map_or(0.0, |unseen| unseen.by);
            *all = Some(now);
            Some(unseen)
        });
        so_far.collect()
    }
}

/// The step of a clock that is coarser than the digits that are printed: three passes in 13 ticks of
/// a millisecond take `4.333333 ms` each, whatever they take. Measured numbers of so many digits
/// do not come twice by chance. Where each arm's do, two of them are a step apart at least, and so
/// is one of them `from_zero`.
fn coarse_step(printed: &[Printed; 2], from_zero: bool) -> Option<f64> {
    let mut all = if from_zero { vec![0.0] } else { Vec::new() };
    for arm in printed {
        all.extend(arm.kinds.that_come_again()?);
    }
    all.sort_unstable_by(f64::total_cmp);
    let apart = all.windows(2).map(|pair| pair[1] - pair[0]);
    apart.filter(|apart| *apart > 0.0).reduce(f64::min)
}

/// The digits behind the point of a number as it was printed, but zeros at the end: those of whole
/// numbers count below zero.
fn digits(value: f64) -> i32 {
    let text = value.to_string();
    let length = |text: &str| i32::try_from(text.len()).unwrap_or(i32::MAX);
    match text.split_once('.') {
        Some((_, behind)) => length(behind),
        None => length(text.trim_end_matches('0')) - length(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::Measures::{Amount, Other, Rate, Time};
    use super::*;

    fn unseen(new: &[f64], base: &[f64], measures: Measures) -> Option<Unseen> {
        Rounding { measures }.unseen(&[Printed::of(new)?, Printed::of(base)?])
    }

    fn by(new: &[f64], base: &[f64], measures: Measures) -> Option<f64> {
        unseen(new, base, measures).map(|unseen| unseen.by)
    }

    #[test]
    fn what_is_rounded_alike_in_all_runs_is_unseen() {
        // 0.055 to 0.065: each arm may be off by a twelfth.
        let found = by(&[0.06; 4], &[0.06; 4], Other).unwrap();
        assert!((found - 2.0 / 12.0).abs() < 1e-12, "{found}");
        // Neighbours alone do not average rounding out.
        let found = by(&[0.06, 0.07], &[0.06, 0.06], Other).unwrap();
        assert!((found - 2.0 / 12.0).abs() < 1e-12, "{found}");
        // Runs that vary by several steps do.
        let varied = [0.05, 0.06, 0.07, 0.08];
        assert_eq!(by(&varied, &varied, Other), Some(0.0));
        let half = by(&varied, &[0.06; 4], Other).unwrap();
        assert!((half - 1.0 / 12.0).abs() < 1e-12, "{half}");
        // Runs that were disturbed do not, as long as most were not.
        let disturbed = |many: usize| {
            let late = (0..many).map(|late| (9 + late) as f64 / 100.0);
            let numbers: Vec<f64> = late.chain(std::iter::repeat_n(0.06, 20 - many)).collect();
            by(&numbers, &numbers, Other).unwrap()
        };
        for many in [1, 3, 6] {
            assert!((disturbed(many) - 2.0 / 12.0).abs() < 1e-12, "{many}");
        }
        assert_eq!(disturbed(7), 0.0);
        // Runs of two kinds, each of which prints one number, do not average it out either.
        let kinds: Vec<f64> = [0.6, 0.8].repeat(10);
        let found = by(&kinds, &kinds, Other).unwrap();
        assert!((found - 2.0 / 12.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn amounts_in_whole_units_are_rounded() {
        let found = by(&[12.0; 4], &[12.0; 4], Amount).unwrap();
        assert!((found - 1.0 / 12.0).abs() < 1e-12, "{found}");
        let found = by(&[1200.0; 4], &[1200.0; 4], Amount).unwrap();
        assert!((found - 1.0 / 1200.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn a_measured_number_that_comes_again_is_of_a_coarse_clock() {
        // Three passes in 13 ticks of a millisecond, or in one of 13: nobody knows.
        let mean = 13.0 / 3.0;
        let found = unseen(&[4.333333; 4], &[4.333333; 4], Time).unwrap();
        assert!(
            (found.step - mean).abs() < 1e-5 && found.by > 0.9,
            "{found:?}"
        );
        // Two numbers are a tick apart at least.
        let ticks = |ticks: f64| (ticks / 3.0 * 1e6).round() / 1e6;
        let (new, base) = ([ticks(13.0), ticks(14.0), ticks(13.0)], [ticks(14.0); 3]);
        let found = unseen(&new, &base, Time).unwrap();
        assert!((found.step - 1.0 / 3.0).abs() < 1e-5, "{found:?}");
        assert!(
            (found.by - 0.5 / 13.0 - 0.5 / 14.0).abs() < 1e-5,
            "{found:?}"
        );
        // A rate from such a clock, and one with few digits.
        let coarse = |number: f64| by(&[number; 4], &[number; 4], Rate).unwrap();
        assert!(coarse(76923.1) > 0.9 && coarse(1.2e6) > 0.08 && coarse(76923.0) > 0.9);
        // What never comes again is of a clock that is fine enough, as is what varies by many steps.
        let noise = [4.333312, 4.331877, 4.334125];
        assert!(by(&noise, &noise, Time).unwrap() < 1e-6);
        let ticks: Vec<f64> = (12..24).map(|each| ticks(f64::from(each))).collect();
        let twice = [&ticks[..], &ticks[..]].concat();
        assert!(by(&twice, &twice, Time).unwrap() < 1e-6);
        // Scores and counts may be what they are.
        assert!(by(&[4.333333; 4], &[4.333333; 4], Other).unwrap() < 1e-6);
    }

    #[test]
    fn whole_numbers_of_a_time_may_be_of_a_coarse_clock_as_well() {
        // Ticks of 10 ms, of 4 ms, and of one that is told by no two numbers.
        let step = |new: &[f64], base: &[f64]| unseen(new, base, Time).unwrap().step;
        assert!((step(&[230_000.0; 4], &[230_000.0; 4]) - 10_000.0).abs() < 1e-6);
        let ticks = [36_000.0, 52_000.0, 56_000.0, 36_000.0];
        assert!((step(&ticks, &ticks) - 4_000.0).abs() < 1e-6);
        assert!(by(&[31_250.0; 4], &[31_250.0; 4], Time).unwrap() > 0.9);
        // Two of a clock of whole milliseconds, and times that are fine enough.
        assert!((step(&[14.0; 4], &[15.0; 4]) - 1.0).abs() < 1e-12);
        assert!((step(&[14.0; 4], &[14.0; 4]) - 1.0).abs() < 1e-12);
        let noise = [230_417.0, 229_988.0, 230_120.0];
        assert!(by(&noise, &noise, Time).unwrap() < 1e-5);
    }

    #[test]
    fn digits_are_those_that_some_run_prints() {
        let found = unseen(&[0.1, 0.104], &[0.1, 0.1], Other).unwrap();
        assert_eq!(found.step, 0.001);
        assert_eq!(by(&[12.0; 4], &[12.0; 4], Other), None);
        let found = by(&[12.0; 4], &[12.0; 4], Time).unwrap();
        assert!((found - 1.0 / 12.0).abs() < 1e-12, "{found}");
        assert_eq!(by(&[], &[], Time), None);
    }

    #[test]
    fn rounding_is_known_better_with_each_block() {
        let block = |new: &[f64]| [Printed::of(new).unwrap(), Printed::of(&[0.061]).unwrap()];
        let blocks = [[0.06; 2], [0.061, 0.06], [0.062; 2]];
        let told = Rounding { measures: Time }.after_each(blocks.iter().map(|new| block(new)));
        let arm = |least: f64| 0.0005 / least;
        let expected = [arm(0.06) + arm(0.061), arm(0.06) + arm(0.061), arm(0.061)];
        for (told, expected) in told.iter().zip(expected) {
            assert!((told - expected).abs() < 1e-12, "{told} {expected}");
        }
        assert_eq!(told.len(), 3);
    }
}

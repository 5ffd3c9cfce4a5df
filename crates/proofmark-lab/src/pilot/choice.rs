//! Which way of sharing the machine: slices unless they distort, or the program does not allow them.

use proofmark_evidence::record::{Experiment, Schedule, Shift};
use proofmark_stats::{Margin, shift};

use super::Nature;
use super::trial::{Rounds, Trial};
use crate::LabError;

/// The pilot's trials may take about this long, in nanoseconds.
const TRIALS_NS: u64 = 4_000_000_000;

/// Fewest rounds with which each way of scheduling is tried, and how many are enough where they tell.
const TRIALS: (u64, u64) = (4, 12);

/// Most rounds with which each way is tried where fewer do not tell.
const MOST_TRIALS: u64 = 100;

/// The mean turns that are tried first, in microseconds, by how long a run is. Noise comes in bursts of a fraction of a second; on a shared machine the
/// spread of a pair was 1.2–1.3 % with turns of 2 ms, 1.5–1.7 % with 5 ms and 5–10 % with whole runs.
const TURN_LENGTHS_US: [u64; 3] = [SHORTEST_TURN_US, 2000, 4000];

/// The shortest mean turn, in microseconds: below it, switching costs more than it gains.
const SHORTEST_TURN_US: u64 = 1000;

/// A long turn is so many short ones.
const LONG_TURNS: u64 = 4;

/// A run is cut into about so many turns where it is long enough.
const TURNS: u64 = 8;

/// Intervals that are widened by more than this part of the margin on each side hardly ever fit inside the margin, and never where it is all of
/// it: whole runs decide sooner. Of 36 comparisons of Lua on a noisy machine two were widened by a whole margin; one of them, of a pair without
/// a difference, stayed undecided after 60 blocks and 86 s.
const WIDE: f64 = 0.5;

/// What was chosen, and why.
pub(super) struct Choice {
    pub(super) schedule: Schedule,
    pub(super) reason: String,
    pub(super) shifts: Vec<Shift>,
    /// Per round, the largest over the builds.
    pub(super) spread: Option<f64>,
}

/// Chooses a schedule by the metric, the nature of the runs, and where slices are possible by trying them.
pub(super) fn choose(
    rounds: &mut Rounds<'_>,
    experiment: &Experiment,
    nature: Nature,
) -> Result<Choice, LabError> {
    let cpu_ns = rounds.cpu_ns();
    let total: u64 = cpu_ns.iter().sum();
    let shortest = cpu_ns.iter().copied().min().unwrap_or(1);
    let wanted_us = shortest / 1000 / TURNS;
    let turn_us = TURN_LENGTHS_US
        .into_iter()
        .rfind(|&length| length <= wanted_us)
        .unwrap_or(SHORTEST_TURN_US);
    let (short, long) = (
        Schedule::Sliced { slice_us: turn_us },
        Schedule::Sliced {
            slice_us: turn_us * LONG_TURNS,
        },
    );
    let settled = match experiment.design.schedule {
        Some(schedule) => Some((schedule, "asked for with --schedule".to_owned())),
        None => unsliceable(experiment, nature, shortest)
            .map(|reason| (Schedule::Interleaved, reason.to_owned())),
    };
    if let Some((schedule, reason)) = settled {
        let mut trials = rounds.trials(&[schedule]);
        rounds.more(&mut trials, count(total, 1).min(TRIALS.1))?;
        return Ok(Choice {
            schedule,
            reason,
            shifts: Vec::new(),
            spread: trials.first().and_then(Trial::spread),
        });
    }
    let trials = compared(
        rounds,
        &[short, long, Schedule::Interleaved],
        count(total, 3),
        experiment.design.margin,
    )?;
    let [short, long, whole] = trials.as_slice() else {
        return Err(LabError::Plan("the pilot lost a trial".to_owned()));
    };
    Ok(judge(experiment.design.margin, short, long, whole))
}

/// Rounds of each way until a shift of the margin would be seen, or until they have had their time. A few noisy rounds see no shift where
/// there is one: of three pilots of 12 rounds, on a busy machine, two took a distortion of 7 % for noise.
fn compared(
    rounds: &mut Rounds<'_>,
    ways: &[Schedule],
    most: u64,
    margin: Margin,
) -> Result<Vec<Trial>, LabError> {
    let mut trials = rounds.trials(ways);
    let mut done = most.min(TRIALS.1);
    rounds.more(&mut trials, done)?;
    while done < most
        && !trials
            .iter()
            .skip(1)
            .all(|way| told(&trials[0], way, margin))
    {
        let next = TRIALS.0.min(most - done);
        rounds.more(&mut trials, next)?;
        done += next;
    }
    Ok(trials)
}

/// Whether a shift of the margin between two ways would stand out of the noise, for every build; or one does already.
fn told(a: &Trial, b: &Trial, margin: Margin) -> bool {
    let known = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        shift(a, b).is_some_and(|shift| shift.half_width <= margin.ln() || shift.exceeds(margin))
    };
    a.effects.iter().zip(&b.effects).all(known)
}

/// Short turns unless they, or long ones, distort, or may distort by so much that no verdict could be told.
fn judge(margin: Margin, short: &Trial, long: &Trial, whole: &Trial) -> Choice {
    let moved = |a: &Trial, b: &Trial| {
        a.effects
            .iter()
            .zip(&b.effects)
            .any(|(a, b)| shift(a, b).is_some_and(|shift| shift.exceeds(margin)))
    };
    let (chosen, reason) = if !moved(short, long) && !moved(short, whole) {
        (
            short,
            "short slices moved the effect no more than their error",
        )
    } else if !moved(long, whole) {
        (long, "short slices moved the effect, long ones did not")
    } else {
        (
            whole,
            "slices moved the effect: the builds evict each other's caches",
        )
    };
    let shifts: Vec<Shift> = if matches!(chosen.schedule, Schedule::Interleaved) {
        Vec::new()
    } else {
        let other = if std::ptr::eq(chosen, short) {
            long
        } else {
            whole
        };
        chosen
            .effects
            .iter()
            .zip(&other.effects)
            .map(|(a, b)| remaining(a, b, margin.ln()))
            .collect()
    };
    let wide = |shift: &&Shift| shift.widening > WIDE * margin.ln();
    if shifts.iter().filter(wide).count() * 2 > shifts.len() {
        return Choice {
            schedule: whole.schedule,
            reason: "the pilot could not rule out that slices move the effect by half a margin"
                .to_owned(),
            shifts: Vec::new(),
            spread: whole.spread(),
        };
    }
    Choice {
        schedule: chosen.schedule,
        reason: reason.to_owned(),
        shifts,
        spread: chosen.spread(),
    }
}

/// What is left of the shift between the chosen way and the one held against it.
fn remaining(chosen: &[f64], other: &[f64], margin: f64) -> Shift {
    match shift(chosen, other) {
        None => Shift {
            estimate: 0.0,
            error: 0.0,
            widening: 0.0,
        },
        Some(found) => {
            // A shift that its error explains is not evidence of one; only what lies beyond a quarter of the margin counts.
            let beyond = found.estimate.abs() - found.half_width;
            let widening = if beyond > 0.0 {
                found.widening().min(margin)
            } else {
                0.0
            };
            Shift {
                estimate: found.estimate,
                error: found.error,
                widening,
            }
        }
    }
}

/// Why runs cannot be cut into slices, if they cannot.
fn unsliceable(experiment: &Experiment, nature: Nature, shortest_ns: u64) -> Option<&'static str> {
    if !experiment.benchmark.metric.survives_pauses() {
        return Some("the metric would count the pauses between slices");
    }
    if shortest_ns < 2 * SHORTEST_TURN_US * 1000 {
        return Some("runs are shorter than two slices");
    }
    match nature {
        Nature::Busy => None,
        Nature::Parallel => Some("the program uses several threads or processes"),
        Nature::Waiting => Some("the program waits for much of its time"),
    }
}

/// Rounds of each of `ways` trials that fit the pilot's time.
fn count(round_ns: u64, ways: u64) -> u64 {
    (TRIALS_NS / (round_ns * ways).max(1)).clamp(TRIALS.0, MOST_TRIALS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve rounds of one build around an effect, with this standard deviation or nearly.
    fn trial(schedule: Schedule, effect: f64, spread: f64) -> Trial {
        let rounds = (0..12).map(|round| effect + if round % 2 == 0 { spread } else { -spread });
        Trial {
            schedule,
            effects: vec![rounds.collect()],
        }
    }

    /// The choice of a margin of 1 % where slices show the effect off by `shift`.
    fn choice(shift: f64, spread: f64) -> Choice {
        let margin = Margin::from_relative(0.01).expect("a possible margin");
        let sliced = |slice_us| trial(Schedule::Sliced { slice_us }, shift, spread);
        let whole = trial(Schedule::Interleaved, 0.0, spread);
        let short = sliced(2000);
        // The short turns are held against the long ones.
        let long = Trial {
            effects: whole.effects.clone(),
            ..sliced(8000)
        };
        judge(margin, &short, &long, &whole)
    }

    #[test]
    fn a_shift_that_noise_explains_is_none() {
        let chosen = choice(0.005, 0.01);
        assert!(matches!(
            chosen.schedule,
            Schedule::Sliced { slice_us: 2000 }
        ));
        assert!(chosen.shifts[0].widening < f64::EPSILON);
    }

    #[test]
    fn a_small_shift_widens_the_interval() {
        let chosen = choice(0.003, 0.0025);
        assert!(matches!(
            chosen.schedule,
            Schedule::Sliced { slice_us: 2000 }
        ));
        let widening = chosen.shifts[0].widening;
        assert!((0.002..0.004).contains(&widening), "{widening}");
    }

    #[test]
    fn slices_that_would_leave_no_verdict_are_not_taken() {
        let chosen = choice(0.009, 0.009);
        assert!(
            matches!(chosen.schedule, Schedule::Interleaved),
            "{}",
            chosen.reason
        );
        assert!(chosen.shifts.is_empty());
    }
}

//! Which way of sharing the machine: slices where whole runs are too noisy, unless slices distort
//! or the program does not allow them.

use proofmark_evidence::record::{ArmRef, Experiment, Schedule};
use proofmark_stats::Margin;
use proofmark_terms::Metric;

use super::check::shorter;
use super::judge::{Block, Choice, judge, told};
use super::nature::Nature;
use super::program::Verdict;
use super::room::Room;
use super::trial::{FEWEST_TRIALS, Rounds, Trial, Way};
use crate::error::LabError;

/// The pilot's trials may take about this long, in nanoseconds.
const TRIALS_NS: u64 = 6_000_000_000;

/// With how many rounds each way of scheduling is tried at least, and how many are enough where
/// they tell.
const TRIALS: (u64, u64) = (FEWEST_TRIALS, 12);

/// Most rounds with which each way is tried where fewer do not tell.
const MOST_TRIALS: u64 = 100;

/// The mean turns that a verdict may rest on, in microseconds. Noise comes in bursts of a fraction
/// of a second; on a shared machine the spread of a pair was 1.2–1.3 % with turns of 2 ms,
/// 1.5–1.7 % with 5 ms and 5–10 % with whole runs.
const TURN_LENGTHS_US: [u64; 5] = [SHORTEST_TURN_US, 2000, 4000, 8000, 16_000];

/// The shortest mean turn of a verdict, in microseconds.
const SHORTEST_TURN_US: u64 = 1000;

/// A run is cut into at least so many turns where it is long enough.
const TURNS: u64 = 4;

/// What the choice is about.
pub(super) struct Asking<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) nature: Nature,
    /// Of a block.
    pub(super) arms: &'a [ArmRef],
    pub(super) program: &'a Verdict,
    pub(super) room: Room,
}

/// Chooses a schedule by the metric, the nature of the runs, and where slices are possible by
/// trying them.
///
/// Where runs fail beside one another, and not by themselves, they are taken one after the other.
pub(super) fn choose(rounds: &mut Rounds<'_>, asking: &Asking<'_>) -> Result<Choice, LabError> {
    match tried(rounds, asking) {
        Err(failed) if failed.is_beside() && asking.experiment.design.schedule.is_none() => {
            let whole = Schedule::Interleaved;
            let mut trials = rounds.trials(&[Way::Beside(whole)]);
            rounds.more(&mut trials, rounds_of_one_way(rounds, asking.room))?;
            Ok(Choice {
                schedule: whole,
                reason: format!("{}, and not by itself", failed.brief()),
                shifts: Vec::new(),
                spread: trials.first().and_then(Trial::spread),
                idle_loops: 0,
                company: false,
            })
        }
        other => other,
    }
}

/// How many rounds the only way is tried with.
fn rounds_of_one_way(rounds: &Rounds<'_>, room: Room) -> u64 {
    let total: u64 = rounds.cpu_ns().iter().sum();
    match room {
        Room::OneWay(_) => 0,
        Room::All { trials_ns } => count(total, 1, trials_ns).min(TRIALS.1),
    }
}

fn tried(rounds: &mut Rounds<'_>, asking: &Asking<'_>) -> Result<Choice, LabError> {
    let &Asking {
        experiment,
        nature,
        arms,
        program,
        room,
    } = asking;
    let cpu_ns = rounds.cpu_ns();
    let total: u64 = cpu_ns.iter().sum();
    let shortest = cpu_ns.iter().copied().min().unwrap_or(1);
    let wanted_us = shortest / 1000 / TURNS;
    let slice_us = TURN_LENGTHS_US
        .into_iter()
        .rfind(|&length| length <= wanted_us)
        .unwrap_or(SHORTEST_TURN_US);
    let own = Schedule::Sliced { slice_us };
    let settled = match experiment.design.schedule {
        Some(schedule) => Some((schedule, "asked for with --schedule".to_owned())),
        None => held_back(experiment, nature, shortest, program)
            .or_else(|| no_room(room).map(str::to_owned))
            .map(|reason| (Schedule::Interleaved, reason)),
    };
    // The idle arm's metric is CPU time, and only that is a cache's matter.
    let alone = experiment.benchmark.metric == Metric::CpuTime
        && !matches!(settled, Some((Schedule::Interleaved, _)));
    let idle_loops = if alone { rounds.calibrate_idle()? } else { 0 };
    if let Some((schedule, reason)) = settled {
        let mut trials = rounds.trials(&[Way::Beside(schedule)]);
        let most = rounds_of_one_way(rounds, room);
        rounds.more(&mut trials, most)?;
        return Ok(Choice {
            // Nobody has compared runs side by side with runs alone.
            company: false,
            schedule,
            reason,
            shifts: Vec::new(),
            spread: trials.first().and_then(Trial::spread),
            idle_loops,
        });
    }
    let mut ways = vec![
        Way::Beside(own),
        Way::Beside(shorter(slice_us)),
        Way::Beside(Schedule::Interleaved),
    ];
    ways.extend(alone.then_some(Way::Alone(own)));
    // Alone, every build runs beside the idle arm, which takes as long.
    let ways_tried = ways.len() as u64 + u64::from(alone);
    let trials_ns = match room {
        Room::All { trials_ns } => trials_ns,
        Room::OneWay(_) => None,
    };
    let most = count(total, ways_tried, trials_ns);
    let trials = compared(rounds, &ways, most, experiment.design.margin)?;
    let block = Block {
        experiment,
        arms,
        idle_loops,
    };
    match trials.as_slice() {
        [own, short, whole, alone @ ..] => Ok(judge(&block, own, [short, whole], alone.first())),
        _ => Err(LabError::Fault("the pilot lost a trial".to_owned())),
    }
}

/// Rounds of each way until a shift of the margin would be seen, or until they have had their time.
/// A few noisy rounds see no shift where there is one: of three pilots of 12 rounds, on a busy
/// machine, two took a distortion of 7 % for noise.
fn compared(
    rounds: &mut Rounds<'_>,
    ways: &[Way],
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

/// Why whole runs are taken, if they have to be. What a program was found to do says more than how
/// its runs looked.
fn held_back(
    experiment: &Experiment,
    nature: Nature,
    shortest_ns: u64,
    program: &Verdict,
) -> Option<String> {
    match program {
        Verdict::Whole(reason) | Verdict::Unpinned(reason) => Some(reason.clone()),
        Verdict::Sliceable => unsliceable(experiment, nature, shortest_ns).map(str::to_owned),
    }
}

/// Why runs cannot be cut into slices, if they cannot.
pub(super) fn unsliceable(
    experiment: &Experiment,
    nature: Nature,
    shortest_ns: u64,
) -> Option<&'static str> {
    if experiment.benchmark.prepare.is_some() {
        return Some("each run is prepared by itself");
    }
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

/// Why slices are not tried, where there is no room for it.
fn no_room(room: Room) -> Option<&'static str> {
    match room {
        Room::OneWay(lack) => Some(lack.of_slices()),
        Room::All { .. } => None,
    }
}

/// Rounds of each of `ways` trials that fit the pilot's time, and what the budget leaves of it.
fn count(round_ns: u64, ways: u64, left_ns: Option<u64>) -> u64 {
    let time_ns = left_ns.map_or(TRIALS_NS, |left| left.min(TRIALS_NS));
    (time_ns / (round_ns * ways).max(1)).clamp(TRIALS.0, MOST_TRIALS)
}

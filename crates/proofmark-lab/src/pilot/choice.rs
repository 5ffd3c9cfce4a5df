//! Which way of sharing the machine: slices where whole runs are too noisy, unless slices distort
//! or the program does not allow them.

use proofmark_conclude::Scheme;
use proofmark_evidence::record::{ArmRef, Experiment, Schedule, Shift, SliceCheck};
use proofmark_stats::{Margin, shift};
use proofmark_terms::Metric;

use super::Nature;
use super::cost::Room;
use super::program::Verdict;
use super::rounds::by_noise;
use super::trial::{Rounds, Trial, Way};
use crate::LabError;
use crate::groups::groups;

/// The pilot's trials may take about this long, in nanoseconds.
const TRIALS_NS: u64 = 6_000_000_000;

/// Fewest rounds with which each way of scheduling is tried, and how many are enough where they
/// tell.
const TRIALS: (u64, u64) = (FEWEST_TRIALS, 12);
pub(super) const FEWEST_TRIALS: u64 = 6;

/// Most rounds with which each way is tried where fewer do not tell.
const MOST_TRIALS: u64 = 100;

/// The mean turns that a verdict may rest on, in microseconds. Noise comes in bursts of a fraction
/// of a second; on a shared machine the spread of a pair was 1.2–1.3 % with turns of 2 ms,
/// 1.5–1.7 % with 5 ms and 5–10 % with whole runs.
const TURN_LENGTHS_US: [u64; 5] = [SHORTEST_TURN_US, 2000, 4000, 8000, 16_000];

/// The shortest mean turn of a verdict, in microseconds.
const SHORTEST_TURN_US: u64 = 1000;

/// A turn is so many of the shorter ones that show what turns do.
const SHORTER_TURNS: u64 = 4;

/// A run is cut into at least so many turns where it is long enough.
const TURNS: u64 = 4;

/// Whole runs are taken where they cost at most so many times what slices do: they need no check,
/// and nothing that slices may do to a program is left to be found.
const WORTH_WHOLE: f64 = 1.5;

/// Why slices are not tried where the budget is small.
const NO_ROOM: &str = "the budget leaves no room to try slices";

/// What was chosen, and why.
pub(super) struct Choice {
    pub(super) schedule: Schedule,
    pub(super) reason: String,
    pub(super) shifts: Vec<Shift>,
    /// Per round, the largest over the builds.
    pub(super) spread: Option<f64>,
    /// Loops of the idle arm; 0 where it is not used.
    pub(super) idle_loops: u64,
    /// Whether runs were seen to do beside another run of the program what they do alone.
    pub(super) company: bool,
}

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
        Room::OneWay => 0,
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
            .or_else(|| (room == Room::OneWay).then(|| NO_ROOM.to_owned()))
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
        Room::OneWay => None,
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

/// Shorter slices, which show what slices do.
fn shorter(slice_us: u64) -> Schedule {
    Schedule::Sliced {
        slice_us: (slice_us / SHORTER_TURNS).max(1),
    }
}

/// How the blocks go on testing what slices do; `None` for whole runs. The rounds with shorter
/// slices and beside the idle arm are as many as the verdict's own, for the shift is known no
/// better than the worse of the two. Whole runs are noisier by far; they are there for what nothing
/// else shows.
pub(super) fn check(schedule: Schedule, rounds: u32, idle_loops: u64) -> Option<SliceCheck> {
    let Schedule::Sliced { slice_us } = schedule else {
        return None;
    };
    let Schedule::Sliced { slice_us: short_us } = shorter(slice_us) else {
        return None;
    };
    Some(SliceCheck {
        short_us,
        short_rounds: rounds,
        whole_rounds: rounds.div_ceil(2),
        alone_rounds: if idle_loops > 0 { rounds } else { 0 },
        idle_loops,
    })
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

/// Whether a shift of the margin between two ways would stand out of the noise, for every build; or
/// one does already.
fn told(a: &Trial, b: &Trial, margin: Margin) -> bool {
    let known = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        shift(a, b).is_some_and(|shift| shift.half_width <= margin.ln() || shift.exceeds(margin))
    };
    a.effects.iter().zip(&b.effects).all(known)
}

/// Slices unless they distort, or may distort by so much that no verdict could be told, or are not
/// needed.
fn judge(
    block: &Block<'_>,
    own: &Trial,
    [short, whole]: [&Trial; 2],
    alone: Option<&Trial>,
) -> Choice {
    let margin = block.experiment.design.margin;
    let moved = |other: &Trial| {
        own.effects
            .iter()
            .zip(&other.effects)
            .any(|(a, b)| shift(a, b).is_some_and(|shift| shift.exceeds(margin)))
    };
    // The reason, and whether runs side by side did what they do alone.
    let instead = if moved(short) {
        Some(("the length of slices moved the effect", false))
    } else if alone.is_some_and(moved) {
        let reason = "slices moved the effect: the builds evict each other's caches";
        Some((reason, false))
    } else if moved_far(own, whole, margin) {
        Some(("slices moved the effect against whole runs", false))
    } else if block.whole_is_cheap(own, whole) {
        let reason = "whole runs are quiet enough here, and need no check of slices";
        Some((reason, true))
    } else {
        None
    };
    if let Some((reason, company)) = instead {
        return Choice {
            schedule: Schedule::Interleaved,
            reason: reason.to_owned(),
            shifts: Vec::new(),
            spread: whole.spread(),
            idle_loops: 0,
            company,
        };
    }
    let measured = |(own, whole): (&Vec<f64>, &Vec<f64>)| {
        let (estimate, error) =
            shift(own, whole).map_or((0.0, 0.0), |found| (found.estimate, found.error));
        Shift { estimate, error }
    };
    Choice {
        schedule: own.schedule(),
        reason: "whole runs are noisy here, and slices moved the effect no more than their error"
            .to_owned(),
        shifts: own
            .effects
            .iter()
            .zip(&whole.effects)
            .map(measured)
            .collect(),
        spread: own.spread(),
        idle_loops: block.idle_loops,
        company: true,
    }
}

/// Whether whole runs show another effect by more than twice the error of both. They are noisy, and
/// blocks go on watching them; a false alarm here costs many more runs than it spares.
fn moved_far(own: &Trial, whole: &Trial, margin: Margin) -> bool {
    let far = |(own, whole): (&Vec<f64>, &Vec<f64>)| {
        shift(own, whole)
            .is_some_and(|shift| shift.estimate.abs() - 2.0 * shift.half_width > margin.ln() / 4.0)
    };
    own.effects.iter().zip(&whole.effects).any(far)
}

/// What a block would hold, to tell what it costs.
struct Block<'a> {
    experiment: &'a Experiment,
    arms: &'a [ArmRef],
    idle_loops: u64,
}

impl Block<'_> {
    /// Whether whole runs reach the same noise for little more time. Disturbed rounds count here:
    /// they are what slices are for.
    fn whole_is_cheap(&self, own: &Trial, whole: &Trial) -> bool {
        let cost = |trial: &Trial| {
            let rounds = by_noise(&self.experiment.design, trial.plain_spread()?);
            Some(self.cost(trial.schedule(), u32::try_from(rounds).ok()?))
        };
        matches!((cost(own), cost(whole)), (Some(own), Some(whole)) if whole <= WORTH_WHOLE * own)
    }

    /// Runs of a block, each counted as the mean of all: which build it runs hardly matters here.
    fn cost(&self, schedule: Schedule, rounds: u32) -> f64 {
        let way = Scheme {
            schedule,
            rounds,
            check: check(schedule, rounds, self.idle_loops),
        };
        let mut arms = self.arms.to_vec();
        arms.extend(way.check.map(|_| ArmRef::Idle));
        let groups = groups(self.experiment, &way, &arms);
        groups.iter().map(|group| group.arms.len() as f64).sum()
    }
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

/// Rounds of each of `ways` trials that fit the pilot's time, and what the budget leaves of it.
fn count(round_ns: u64, ways: u64, left_ns: Option<u64>) -> u64 {
    let time_ns = left_ns.map_or(TRIALS_NS, |left| left.min(TRIALS_NS));
    (time_ns / (round_ns * ways).max(1)).clamp(TRIALS.0, MOST_TRIALS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve rounds of one build around an effect, with this standard deviation or nearly.
    fn trial(schedule: Schedule, effect: f64, spread: f64) -> Trial {
        let rounds = (0..12).map(|round| effect + if round % 2 == 0 { spread } else { -spread });
        Trial {
            way: Way::Beside(schedule),
            effects: vec![rounds.collect()],
        }
    }

    /// The choice of a margin of 1 % where own slices, shorter ones and whole runs show these
    /// effects with these spreads.
    fn choice(own: (f64, f64), short: (f64, f64), whole: (f64, f64)) -> Choice {
        let experiment = crate::power::of_the_shell();
        let block = Block {
            experiment: &experiment,
            arms: &[0, 1].map(|build| ArmRef::AsShipped { build }),
            idle_loops: 0,
        };
        let of = |schedule, (effect, spread)| trial(schedule, effect, spread);
        judge(
            &block,
            &of(Schedule::Sliced { slice_us: 8000 }, own),
            [
                &of(Schedule::Sliced { slice_us: 2000 }, short),
                &of(Schedule::Interleaved, whole),
            ],
            None,
        )
    }

    fn sliced(choice: &Choice) -> bool {
        matches!(choice.schedule, Schedule::Sliced { slice_us: 8000 })
    }

    #[test]
    fn noisy_whole_runs_make_place_for_slices() {
        let chosen = choice((0.0, 0.01), (0.0, 0.01), (0.0, 0.05));
        assert!(sliced(&chosen), "{}", chosen.reason);
    }

    #[test]
    fn quiet_whole_runs_are_taken() {
        let chosen = choice((0.0, 0.01), (0.0, 0.01), (0.0, 0.012));
        assert!(!sliced(&chosen));
        assert!(chosen.reason.contains("quiet enough"), "{}", chosen.reason);
    }

    /// A lock that is taken lets a program go another way, and nothing fails.
    #[test]
    fn nothing_is_counted_beside_runs_that_others_move() {
        let quiet = choice((0.0, 0.01), (0.0, 0.01), (0.0, 0.012));
        assert!(quiet.company, "{}", quiet.reason);
        for (own, short) in [(0.02, 0.08), (0.3, 0.3)] {
            let moved = choice((own, 0.01), (short, 0.01), (0.0, 0.05));
            assert!(!moved.company, "{}", moved.reason);
        }
    }

    #[test]
    fn a_shift_that_noise_explains_is_none() {
        let chosen = choice((0.005, 0.01), (0.002, 0.01), (0.0, 0.05));
        assert!(sliced(&chosen), "{}", chosen.reason);
    }

    #[test]
    fn a_shift_of_noisy_whole_runs_is_left_to_the_blocks() {
        // 1.6 and 3.9 half-widths.
        let chosen = choice((0.0, 0.01), (0.0, 0.01), (0.055, 0.05));
        assert!(sliced(&chosen), "{}", chosen.reason);
        let chosen = choice((0.0, 0.01), (0.0, 0.01), (0.13, 0.05));
        assert!(!sliced(&chosen), "{}", chosen.reason);
    }

    #[test]
    fn slices_that_move_the_effect_are_not_taken() {
        // By their length, and all alike.
        for (own, short) in [(0.02, 0.08), (0.3, 0.3)] {
            let chosen = choice((own, 0.01), (short, 0.01), (0.0, 0.05));
            assert!(!sliced(&chosen));
            assert!(chosen.reason.contains("moved"), "{}", chosen.reason);
        }
    }
}

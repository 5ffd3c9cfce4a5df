//! What the trials say: slices where whole runs are too noisy, unless slices distort.

use proofmark_conclude::{Scheme, groups};
use proofmark_evidence::record::{ArmRef, Experiment, Schedule, Shift};
use proofmark_stats::{Margin, median, shift, shift_among};

use super::check::check;
use super::rounds::by_noise;
use super::trial::Trial;

/// Whole runs are taken where they cost at most so many times what slices do: they need no check,
/// and nothing that slices may do to a program is left to be found.
const WORTH_WHOLE: f64 = 1.5;

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

/// Slices unless they distort, or may distort by so much that no verdict could be told, or are not
/// needed.
pub(super) fn judge(
    block: &Block<'_>,
    own: &Trial,
    [short, whole]: [&Trial; 2],
    alone: Option<&Trial>,
) -> Choice {
    let margin = block.experiment.design.margin;
    // One of many builds always seems to be moved by noise.
    let builds = comparisons(own);
    let moved = |other: &Trial| {
        let mut both = own.effects.iter().zip(&other.effects);
        both.any(|(a, b)| shift_among(a, b, builds).is_some_and(|shift| shift.exceeds(margin)))
    };
    // The reason, and whether runs side by side did what they do alone.
    let instead = if moved(short) {
        Some(("the length of slices moved the effect", false))
    } else if alone.is_some_and(moved) {
        let reason = "beside each other, builds showed another effect than each beside a program \
                      that leaves caches alone";
        Some((reason, false))
    } else if moved_far(own, whole, margin) {
        Some(("slices moved the effect against whole runs", false))
    } else if block.whole_is_cheap(own, whole) {
        let reason = "whole runs are quiet enough here, and need no check of slices";
        Some((reason, undisturbed(own, whole)))
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
        company: undisturbed(own, whole),
    }
}

/// Runs that take this much more CPU time beside another run of the program, on the scale of ln,
/// are disturbed by it: they wait busily for something that it holds, or it takes their caches.
/// Whatever else slices cost is below.
const DISTURBED: f64 = 0.1;

/// Whether runs take no more CPU time beside another run of the program than by themselves, in most
/// rounds. The effect need not show it: it may hit either build.
fn undisturbed(own: &Trial, whole: &Trial) -> bool {
    let middles = median(&own.spent).zip(median(&whole.spent));
    middles.is_none_or(|(beside, alone)| beside - alone <= DISTURBED)
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
pub(super) struct Block<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) arms: &'a [ArmRef],
    pub(super) idle_loops: u64,
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

/// How many builds are held against the base.
fn comparisons(trial: &Trial) -> u32 {
    u32::try_from(trial.effects.len()).unwrap_or(u32::MAX)
}

/// Whether a shift of the margin between two ways would stand out of the noise, for every build; or
/// one does already.
pub(super) fn told(a: &Trial, b: &Trial, margin: Margin) -> bool {
    let builds = comparisons(a);
    let known = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        let found = shift_among(a, b, builds);
        found.is_some_and(|shift| shift.half_width <= margin.ln() || shift.exceeds(margin))
    };
    a.effects.iter().zip(&b.effects).all(known)
}

#[cfg(test)]
mod tests {
    use super::super::trial::Way;
    use super::*;
    use proofmark_terms::BuildIndex;

    /// Twelve rounds of one build around an effect, with this standard deviation or nearly.
    fn trial(schedule: Schedule, effect: f64, spread: f64) -> Trial {
        let rounds = (0..12).map(|round| effect + if round % 2 == 0 { spread } else { -spread });
        Trial {
            way: Way::Beside(schedule),
            effects: vec![rounds.collect()],
            spent: Vec::new(),
        }
    }

    /// The choice of a margin of 1 % where own slices, shorter ones and whole runs show these
    /// effects with these spreads.
    fn choice(own: (f64, f64), short: (f64, f64), whole: (f64, f64)) -> Choice {
        let experiment = crate::shell::of_the_shell(&crate::shell::shell().unwrap());
        let block = Block {
            experiment: &experiment,
            arms: &[0, 1].map(|build| ArmRef::AsShipped {
                build: BuildIndex(build),
            }),
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

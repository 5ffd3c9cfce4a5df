//! What a budget cannot hold, seen before the pilot: by the traced runs that tell what is read.
//!
//! A traced run is slower than others where it makes many system calls. So only the time counts
//! that it spent in its own code, which is less than what any run takes.

use proofmark_conclude::arms_of;
use proofmark_evidence::record::{Experiment, Schedule};
use proofmark_measure::trace::Traced;

use super::cost::{Allowance, Cost, FEWEST_ROUNDS, Needed};
use crate::budget::Budget;
use crate::error::LabError;

/// The traced run of a build.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TracedRun {
    /// The least that a run of it takes by the clock, in nanoseconds.
    pub(crate) least_ns: u64,
    /// What this one took by the clock, as far as it ran, in nanoseconds.
    pub(crate) took_ns: u64,
}

impl TracedRun {
    /// Of a trace, where runs may use so many cores.
    pub(crate) fn of(traced: &Traced, cores: u64) -> TracedRun {
        let at_once = traced.family.most_at_once.clamp(1, cores.max(1));
        let ns = |time: std::time::Duration| {
            u64::try_from(time.as_nanos()).unwrap_or(u64::MAX) / at_once
        };
        TracedRun {
            least_ns: ns(traced.queue.in_code),
            took_ns: ns(traced.queue.ran),
        }
    }
}

/// Refuses where the budget cannot hold the fewest blocks of an experiment, by the traced runs of
/// those of its builds that had one.
///
/// # Errors
///
/// When it cannot.
pub(crate) fn foreseen(
    experiment: &Experiment,
    seen: &[Option<TracedRun>],
    budget: Budget,
    now_ms: u64,
) -> Result<(), LabError> {
    let Some(left_ms) = budget.left_ms(now_ms) else {
        return Ok(());
    };
    let arms = arms_of(experiment);
    let design = &experiment.design;
    let rounds = design.rounds.unwrap_or(FEWEST_ROUNDS);
    let schedule = design.schedule.unwrap_or(Schedule::Interleaved);
    let needed = |run_ns: &[u64]| {
        let cost = Cost {
            experiment,
            arms: &arms,
            cpu_ns: run_ns,
            idle_loops: 1,
        };
        let block_ns = cost.block_ns(schedule, rounds, 1.0);
        // The pilot traces each build once more, and makes a round of them.
        let before_ns = run_ns.iter().sum::<u64>().saturating_mul(2);
        let blocks_ns = block_ns.saturating_mul(u64::from(design.min_blocks));
        Needed {
            block_ns,
            all_ns: before_ns.saturating_add(blocks_ns),
        }
    };
    let of = |each: fn(&TracedRun) -> u64, unseen_ns: u64| -> Vec<u64> {
        let runs = seen.iter();
        runs.map(|run| run.as_ref().map_or(unseen_ns, each))
            .collect()
    };
    // Of a build that nobody has seen, nothing is known.
    if needed(&of(|run| run.least_ns, 0)).all_ns / 1_000_000 <= left_ms {
        return Ok(());
    }
    let walls: Vec<u64> = seen.iter().flatten().map(|run| run.took_ns).collect();
    let longest_ns = walls.iter().copied().max().unwrap_or(0);
    let unseen = seen.iter().filter(|run| run.is_none()).count() as u64;
    let usual = of(|run| run.took_ns, longest_ns);
    let mut needed = needed(&usual);
    needed.all_ns = needed.all_ns.saturating_add(longest_ns * unseen);
    let cost = Cost {
        experiment,
        arms: &arms,
        cpu_ns: &usual,
        idle_loops: 1,
    };
    Err(cost.refused(&Allowance::all(budget), now_ms, &walls, needed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{of_the_shell, shell};

    /// A run of so many seconds, of which so many are its own code's.
    fn run(took: u64, least: u64) -> Option<TracedRun> {
        Some(TracedRun {
            least_ns: least * 1_000_000_000,
            took_ns: took * 1_000_000_000,
        })
    }

    /// Of a null test of two builds, in a budget of so many seconds of which none is spent.
    fn said(seconds: u64, seen: &[Option<TracedRun>]) -> Option<String> {
        let experiment = of_the_shell(&shell().unwrap());
        let budget = Budget::of(Some(1000 * seconds), 5_000, 0);
        let refused = foreseen(&experiment, seen, budget, 5_000);
        refused.err().map(|error| error.to_string())
    }

    #[test]
    fn the_first_traced_run_tells_that_a_budget_is_too_small() {
        // 8 blocks of 2 rounds of the base alone are more than ten minutes.
        let refused = said(240, &[run(40, 40), None]).unwrap();
        for part in [
            "--budget 4m does not hold the 8 blocks",
            "a run takes 40 s, a block 2.7 min",
            // One more traced run, two of each for the pilot, and 32 runs.
            "next: --budget 30m;",
        ] {
            assert!(refused.contains(part), "{part}: {refused}");
        }
        assert_eq!(said(1800, &[run(40, 40), None]), None);
        // The base is quick, and the new build is not.
        assert_eq!(said(240, &[run(1, 1), None]), None);
        assert!(said(240, &[run(1, 1), run(40, 40)]).is_some());
    }

    /// A tracer makes system calls slow, so that the run says too much.
    #[test]
    fn time_that_the_tracer_may_have_taken_refuses_nothing() {
        assert_eq!(said(240, &[run(40, 2), run(40, 2)]), None);
        assert_eq!(said(240, &[None, None]), None);
    }
}

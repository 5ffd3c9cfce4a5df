//! What a block and the pilot itself cost by the clock, and what of it a budget has room for.

use proofmark_conclude::{Scheme, build_of, groups, of_round, taxing};
use proofmark_evidence::record::{ArmRef, Experiment, Run, Schedule};
use proofmark_terms::BuildIndex;

use super::check::check;
use super::program::{elsewhere_ns, pauses_ns};
use super::room::{Lack, Room};
use super::trial::FEWEST_TRIALS;
use crate::block::taxed_ns;
use crate::budget::Budget;
use crate::error::{LabError, Stage};

/// Fewest rounds of a block that the pilot chooses.
pub(super) const FEWEST_ROUNDS: u32 = 2;

/// The cost of a round is that of a block of so many, divided among them: some of a block's rounds
/// are as many whatever the noise.
const USUAL_ROUNDS: u32 = 4;

/// Ways of sharing the machine that the pilot tries, each build beside the idle arm counted twice.
const WAYS_TRIED: u64 = 5;

/// What is tried may take this long, in nanoseconds, or as long as the fewest blocks of whole runs,
/// whichever is more. Slices are for noise of up to seconds, which runs of several seconds average
/// by themselves.
const TRIED_NS: u64 = 120_000_000_000;

/// A slice as any other: for what a block costs its length does not matter.
const SOME_SLICES: Schedule = Schedule::Sliced { slice_us: 4000 };

/// The part of a budget that one pilot and its blocks may use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    pub(crate) budget: Budget,
    /// Other experiments need so many milliseconds of it.
    pub(crate) owed_ms: u64,
    /// It is shared among so many experiments that have no pilot yet, this one included.
    pub(crate) shared_by: u32,
}

impl Allowance {
    /// All of a budget.
    pub(crate) fn all(budget: Budget) -> Allowance {
        Allowance {
            budget,
            owed_ms: 0,
            shared_by: 1,
        }
    }

    /// Nanoseconds that are left, at most and as a fair share; `None` without a limit.
    fn left_ns(&self, now_ms: u64) -> Option<[u64; 2]> {
        let left = self.budget.left_ms(now_ms)?.saturating_sub(self.owed_ms);
        let left_ns = left.saturating_mul(1_000_000);
        Some([left_ns, left_ns / u64::from(self.shared_by.max(1))])
    }

    /// The fair share, in nanoseconds.
    pub(super) fn share_ns(&self, now_ms: u64) -> Option<u64> {
        self.left_ns(now_ms).map(|[_, share]| share)
    }
}

/// Time that measuring takes at least, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needed {
    /// Of one block.
    pub(super) block_ns: u64,
    /// Of the fewest blocks, and of what goes before them.
    pub(super) all_ns: u64,
}

/// What the rounds of a block cost.
pub(super) struct Cost<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) arms: &'a [ArmRef],
    /// CPU time of a run of each build, in nanoseconds.
    pub(super) cpu_ns: &'a [u64],
    pub(super) idle_loops: u64,
}

impl Cost<'_> {
    /// Time by the clock of one round of a verdict with all that a block measures beside it, in
    /// nanoseconds; `by_the_clock` is the time of a run as a multiple of its CPU time.
    pub(super) fn round_ns(&self, schedule: Schedule, by_the_clock: f64) -> u64 {
        self.block_ns(schedule, USUAL_ROUNDS, by_the_clock) / u64::from(USUAL_ROUNDS)
    }

    /// The same of a whole block of so many rounds.
    pub(super) fn block_ns(&self, schedule: Schedule, rounds: u32, by_the_clock: f64) -> u64 {
        let mut arms = self.arms.to_vec();
        let base_ns = self.cpu_ns.first().copied().unwrap_or(0);
        let taxed = taxing(self.experiment, base_ns).and_then(Result::ok);
        arms.extend(taxed.map(|_| ArmRef::Taxed));
        let way = Scheme {
            schedule,
            rounds,
            check: check(schedule, rounds, self.idle_loops),
        };
        let warmup = arms.len();
        arms.extend(way.check.map(|_| ArmRef::Idle));
        let groups = groups(self.experiment, &way, &arms);
        let spent = |arm: usize| match arms.get(arm) {
            Some(ArmRef::Taxed) => taxed_ns(self.experiment, base_ns),
            Some(&arm) => {
                let build = build_of(arm).unwrap_or(BuildIndex::BASE);
                build.of(self.cpu_ns).copied().unwrap_or(0)
            }
            None => 0,
        };
        let measured: u64 = groups
            .iter()
            .flat_map(|group| &group.arms)
            .map(|&arm| spent(arm))
            .sum();
        let warm: u64 = (0..warmup).map(spent).sum();
        let busy_ns = measured + u64::from(self.experiment.benchmark.warmup) * warm;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a sum of times, which saturates"
        )]
        let block_ns = (busy_ns as f64 * by_the_clock) as u64;
        block_ns
    }

    /// What there is room for, by the first round of whole runs that counts.
    ///
    /// # Errors
    ///
    /// When there is no room for the fewest blocks.
    pub(super) fn room(
        &self,
        allowance: &Allowance,
        now_ms: u64,
        first: &[Run],
    ) -> Result<Room, LabError> {
        let design = &self.experiment.design;
        let rounds = design.rounds.unwrap_or(FEWEST_ROUNDS);
        let blocks = u64::from(design.min_blocks);
        let round_ns = of_round(first, Schedule::Interleaved);
        let spent: u64 = first.iter().map(|run| run.cpu_ns).sum();
        let by_the_clock = round_ns as f64 / spent.max(1) as f64;
        // A traced run of each build tells what it is in any case, and whether one works until a
        // time is over.
        let looks_ns = round_ns + first.first().map_or(0, |run| run.wall_ns);
        let lean = design.schedule.unwrap_or(Schedule::Interleaved);
        let lean_ns = self.block_ns(lean, rounds, by_the_clock);
        let least_ns = looks_ns + blocks * lean_ns;
        let left = allowance.left_ns(now_ms);
        let walls: Vec<u64> = first.iter().map(|run| run.wall_ns).collect();
        if left.is_some_and(|[left_ns, _]| least_ns > left_ns) {
            let needed = Needed {
                block_ns: lean_ns,
                all_ns: least_ns,
            };
            return Err(self.refused(allowance, now_ms, &walls, needed));
        }
        let sliced = design.schedule.unwrap_or(SOME_SLICES);
        let tried_ns = FEWEST_TRIALS * WAYS_TRIED * round_ns;
        let other_looks_ns: u64 = first.iter().skip(1).map(|run| run.wall_ns).sum();
        let before_ns =
            looks_ns + other_looks_ns + pauses_ns(first) + elsewhere_ns(first) + tried_ns;
        let blocks_ns = blocks * self.block_ns(sliced, rounds, by_the_clock);
        Ok(
            match left.map(|[_, share_ns]| share_ns.checked_sub(before_ns + blocks_ns)) {
                Some(None) => Room::OneWay(Lack::Budget),
                _ if before_ns > TRIED_NS.max(blocks * lean_ns) => Room::OneWay(Lack::LongRuns),
                Some(Some(spare)) => Room::All {
                    trials_ns: Some(tried_ns + spare / 2),
                },
                None => Room::All { trials_ns: None },
            },
        )
    }

    /// Why the fewest blocks do not fit; `walls` are the times of runs by the clock, in
    /// nanoseconds.
    pub(super) fn refused(
        &self,
        allowance: &Allowance,
        now_ms: u64,
        walls: &[u64],
        needed: Needed,
    ) -> LabError {
        let ms = |ns: u64| ns.div_ceil(1_000_000);
        let walls = || walls.iter().map(|&wall_ns| ms(wall_ns));
        let design = &self.experiment.design;
        let shipped = |arm: &ArmRef| matches!(arm, ArmRef::AsShipped { .. });
        let drawn = |arm: &ArmRef| matches!(arm, ArmRef::Drawn { .. });
        allowance.budget.refused(
            now_ms,
            Some(ms(needed.all_ns) + allowance.owed_ms),
            Stage::NoBlock {
                run_ms: [walls().min().unwrap_or(0), walls().max().unwrap_or(0)],
                block_ms: ms(needed.block_ns),
                blocks: design.min_blocks,
                as_shipped: self.arms.iter().any(shipped) && self.arms.iter().any(drawn),
            },
        )
    }
}

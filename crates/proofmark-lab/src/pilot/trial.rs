//! Rounds of the pilot, with one way of scheduling after the other.

use proofmark_conclude::{Draws, RoundAt, of_round};
use proofmark_evidence::record::{Run, Schedule};
use proofmark_stats::{median, spread};

use crate::block::idle;
use crate::error::LabError;
use crate::rig::{Rig, RoundPlan, Solo};

/// Fewest rounds with which each way of scheduling is tried.
pub(super) const FEWEST_TRIALS: u64 = 6;

/// A way of measuring an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Each build beside the first.
    Beside(Schedule),
    /// Each build, and the first, beside the idle arm in slices.
    Alone(Schedule),
}

/// The rounds of one way: effects by build (without the base), one number a round.
pub(super) struct Trial {
    pub(super) way: Way,
    pub(super) effects: Vec<Vec<f64>>,
    /// ln of the CPU time of an average run, in nanoseconds, one number a round; none for
    /// [`Way::Alone`].
    pub(super) spent: Vec<f64>,
}

/// An undisturbed run of each arm, in the order of the arms.
pub(super) struct First {
    pub(super) runs: Vec<Run>,
    pub(super) told: Vec<Solo>,
}

/// Rounds of the pilot, numbered so that each draws afresh.
pub(super) struct Rounds<'a> {
    pub(super) rig: &'a mut dyn Rig,
    draws: Draws,
    arms: usize,
    next: u32,
    /// For each arm the CPU times of the first arm and of itself in every round that they shared,
    /// in nanoseconds.
    cpu_ns: Vec<Vec<[u64; 2]>>,
    /// How the same rounds shared the machine, and their times by the clock as multiples of their
    /// CPU times.
    clock: Vec<(Schedule, f64)>,
    idle_loops: u64,
}

/// Runs that take longer, in nanoseconds, need no warm caches to be known by: cold ones
/// cost some tens of milliseconds, and what the disk holds was read by the traced run already.
const LONG_NS: u64 = 2_000_000_000;

/// Arms that are less than this apart, on the scale of ln, take equal turns: turns in proportion
/// gain where arms are 1.3 or 2 times apart.
const EQUAL: f64 = 0.05;

/// So many standard errors of a difference are taken for noise, and so many rounds have a standard
/// error.
const NOISE: f64 = 3.0;
const FEWEST: usize = 3;

impl<'a> Rounds<'a> {
    pub(super) fn new(rig: &'a mut dyn Rig, draws: Draws, arms: usize) -> Self {
        Rounds {
            rig,
            draws,
            arms,
            next: 0,
            cpu_ns: vec![Vec::new(); arms],
            clock: Vec::new(),
            idle_loops: 0,
        }
    }

    /// A round of whole runs by which the programs are known, and what is told of each. One before
    /// it only warms caches and is thrown away, unless runs are so long that this makes no
    /// difference.
    pub(super) fn first(&mut self) -> Result<First, LabError> {
        let first = self.whole_and_told()?;
        if first.runs.iter().all(|run| run.wall_ns >= LONG_NS) {
            return Ok(first);
        }
        self.cpu_ns.iter_mut().for_each(Vec::clear);
        self.clock.clear();
        self.whole_and_told()
    }

    fn whole_and_told(&mut self) -> Result<First, LabError> {
        let (order, runs) = self.in_order(Schedule::Interleaved, &self.all())?;
        let told = self.rig.told()?;
        let of = |arm: usize| {
            let place = order.iter().position(|&each| each == arm)?;
            told.get(place).cloned()
        };
        let told: Option<Vec<Solo>> = (0..self.arms).map(of).collect();
        Ok(First {
            runs,
            told: told.ok_or_else(|| LabError::Fault("a run is not told of".to_owned()))?,
        })
    }

    /// How long a round takes by the clock, as a multiple of its CPU time: more where runs wait,
    /// less where they have several threads. By whole runs where none shared the machine in this
    /// way.
    pub(super) fn by_the_clock(&self, schedule: Schedule) -> f64 {
        let of = |schedule: Schedule| {
            let such = self.clock.iter().filter(|(way, _)| *way == schedule);
            median(&such.map(|(_, times)| *times).collect::<Vec<f64>>())
        };
        of(schedule)
            .or_else(|| of(Schedule::Interleaved))
            .unwrap_or(1.0)
    }

    /// The CPU time that a run of each arm is expected to take, in nanoseconds. Turns are in
    /// proportion to it, and an arm with shorter turns than another of the same speed meets other
    /// caches and runs alone at the end: one disturbed round must not decide it (arms of equal code
    /// that were given turns of 1 and 0.59 came out 4.7 % apart on a random walk over 1 MiB). So it
    /// is a median, and arms that are not clearly apart are expected to take the same.
    pub(super) fn cpu_ns(&self) -> Vec<u64> {
        let column = |rounds: &[[u64; 2]], which: usize| -> Vec<f64> {
            rounds
                .iter()
                .map(|pair| pair[which].max(1) as f64)
                .collect()
        };
        let first = self.cpu_ns.first().map(|rounds| column(rounds, 0));
        self.cpu_ns
            .iter()
            .map(|rounds| {
                let (base, own) = (column(rounds, 0), column(rounds, 1));
                let picked = match &first {
                    Some(first) if alike(&base, &own) => first,
                    _ => &own,
                };
                // A median of nanoseconds is far below 2^53, and positive.
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "see above"
                )]
                median(picked).map_or(1, |ns| ns as u64)
            })
            .collect()
    }

    /// A round of whole runs, of all arms in turn.
    pub(super) fn whole(&mut self) -> Result<Vec<Run>, LabError> {
        self.run(Schedule::Interleaved, &self.all())
    }

    fn all(&self) -> Vec<usize> {
        (0..self.arms).collect()
    }

    /// A round of some arms, of which the first is the first of all; the runs are in the order of
    /// the arms.
    fn run(&mut self, schedule: Schedule, arms: &[usize]) -> Result<Vec<Run>, LabError> {
        Ok(self.in_order(schedule, arms)?.1)
    }

    /// The same, with the order in which they were made.
    fn in_order(
        &mut self,
        schedule: Schedule,
        arms: &[usize],
    ) -> Result<(Vec<usize>, Vec<Run>), LabError> {
        let mut cpu_ns = self.cpu_ns();
        cpu_ns.push(cpu_ns[0]);
        let at = RoundAt {
            block: None,
            round: self.next,
        };
        self.next += 1;
        let order = self.draws.order(at, arms);
        let runs = self.rig.round(&RoundPlan {
            at,
            schedule,
            order: &order,
            cpu_ns: &cpu_ns,
            idle_loops: self.idle_loops,
        })?;
        let took = of_round(&runs, schedule) as f64;
        let spent: u64 = runs.iter().map(|run| run.cpu_ns).sum();
        self.clock.push((schedule, took / spent.max(1) as f64));
        let of = |arm: &usize| {
            let place = order.iter().position(|each| each == arm)?;
            runs.get(place).copied()
        };
        let runs: Vec<Run> = arms.iter().filter_map(of).collect();
        for (&arm, run) in arms.iter().zip(&runs) {
            // The first arm's own time counts once, not once for each arm that it is held against;
            // the idle arm's is no build's, and neither is what is taken beside it.
            if (arm > 0 || arms.len() == self.arms)
                && !arms.contains(&self.arms)
                && let Some(times) = self.cpu_ns.get_mut(arm)
            {
                times.push([runs[0].cpu_ns, run.cpu_ns]);
            }
        }
        Ok((order, runs))
    }

    /// A trial of each way, without rounds as yet.
    pub(super) fn trials(&self, ways: &[Way]) -> Vec<Trial> {
        ways.iter()
            .map(|&way| Trial {
                way,
                effects: vec![Vec::new(); self.arms.saturating_sub(1)],
                spent: Vec::new(),
            })
            .collect()
    }

    /// Every arm held once against the first: two by two where they take slices, as in the blocks.
    /// With the effects comes ln of the CPU time of an average run, in nanoseconds.
    fn beside(&mut self, schedule: Schedule) -> Result<(Vec<f64>, f64), LabError> {
        let mean = |runs: &[Run]| {
            let spent: u64 = runs.iter().map(|run| run.cpu_ns).sum();
            (spent.max(1) as f64 / runs.len().max(1) as f64).ln()
        };
        let effect = |base: &Run, new: &Run| (new.value / base.value).ln();
        if schedule == Schedule::Interleaved {
            let runs = self.whole()?;
            let others = runs.iter().skip(1);
            let effects = others.map(|other| effect(&runs[0], other)).collect();
            return Ok((effects, mean(&runs)));
        }
        let mut effects = Vec::new();
        let mut all = Vec::new();
        for arm in 1..self.arms {
            let runs = self.run(schedule, &[0, arm])?;
            effects.push(effect(&runs[0], &runs[1]));
            // The first arm's time counts once, as in a round of whole runs.
            all.extend(runs.into_iter().skip(usize::from(arm > 1)));
        }
        Ok((effects, mean(&all)))
    }

    /// Every arm once beside the idle one; what each took beside it against what the first took.
    fn alone(&mut self, schedule: Schedule) -> Result<Vec<f64>, LabError> {
        let mut logs = Vec::new();
        for arm in 0..self.arms {
            let runs = self.run(schedule, &[self.idle(), arm])?;
            logs.push((runs[1].value / runs[0].value).ln());
        }
        Ok(logs.iter().skip(1).map(|log| log - logs[0]).collect())
    }

    /// Where the idle arm stands: behind all others.
    fn idle(&self) -> usize {
        self.arms
    }

    /// Tries the idle arm once and has it take as long as a run of the first arm from now on.
    pub(super) fn calibrate_idle(&mut self) -> Result<u64, LabError> {
        let wanted_ns = self.cpu_ns().first().copied().unwrap_or(1);
        self.idle_loops = idle::FIRST_LOOPS;
        let idle = self.idle();
        let runs = self.run(Schedule::Interleaved, &[idle])?;
        let took_ns = runs.first().map_or(1, |run| run.cpu_ns);
        self.idle_loops = idle::loops_for(wanted_ns, idle::FIRST_LOOPS, took_ns);
        Ok(self.idle_loops)
    }

    /// So many more rounds of each trial, taken in turn, so that all of them meet the same noise.
    pub(super) fn more(&mut self, trials: &mut [Trial], rounds: u64) -> Result<(), LabError> {
        for _ in 0..rounds {
            for trial in &mut *trials {
                let once = match trial.way {
                    Way::Beside(schedule) => {
                        let (effects, spent) = self.beside(schedule)?;
                        trial.spent.push(spent);
                        effects
                    }
                    Way::Alone(schedule) => self.alone(schedule)?,
                };
                for (effects, effect) in trial.effects.iter_mut().zip(once) {
                    effects.push(effect);
                }
            }
        }
        Ok(())
    }
}

/// Whether two arms take the same time as far as these rounds tell.
fn alike(base: &[f64], other: &[f64]) -> bool {
    let apart: Vec<f64> = base.iter().zip(other).map(|(a, b)| (b / a).ln()).collect();
    // Fewer rounds have no error that could be told.
    let Some(middle) = median(&apart).filter(|_| apart.len() >= FEWEST) else {
        return true;
    };
    let error = robust_spread(&apart).unwrap_or_default() / (apart.len() as f64).sqrt();
    middle.abs() <= EQUAL.max(NOISE * error)
}

impl Trial {
    /// How its runs share the machine.
    pub(super) fn schedule(&self) -> Schedule {
        match self.way {
            Way::Beside(schedule) | Way::Alone(schedule) => schedule,
        }
    }

    /// Standard deviation of one round's effect with all that disturbs it, the largest over the
    /// builds.
    pub(super) fn plain_spread(&self) -> Option<f64> {
        let spreads = self.effects.iter().filter_map(|effects| spread(effects));
        spreads.max_by(f64::total_cmp)
    }

    /// Standard deviation of one round's effect, the largest over the builds; disturbed rounds do
    /// not decide it.
    pub(super) fn spread(&self) -> Option<f64> {
        let spreads = self
            .effects
            .iter()
            .filter_map(|effects| robust_spread(effects));
        spreads.max_by(f64::total_cmp)
    }
}

/// A standard deviation that one disturbed round does not decide: 1.4826 times the median distance
/// from the median, or the plain one where that is zero.
fn robust_spread(effects: &[f64]) -> Option<f64> {
    let middle = median(effects)?;
    let distances: Vec<f64> = effects
        .iter()
        .map(|effect| (effect - middle).abs())
        .collect();
    let robust = 1.4826 * median(&distances)?;
    if robust > 0.0 {
        Some(robust)
    } else {
        spread(effects)
    }
}

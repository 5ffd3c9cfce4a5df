//! Rounds of the pilot, with one way of scheduling after the other.

use proofmark_evidence::record::{Run, Schedule};
use proofmark_stats::{median, spread};

use crate::LabError;
use crate::draws::{Draws, RoundAt};
use crate::rig::{Rig, RoundPlan};
use crate::times;

/// The rounds of one way of scheduling: effects by build (without the base), one number a round.
pub(super) struct Trial {
    pub(super) schedule: Schedule,
    pub(super) effects: Vec<Vec<f64>>,
}

/// Rounds of the pilot, numbered so that each draws afresh.
pub(super) struct Rounds<'a> {
    pub(super) rig: &'a mut dyn Rig,
    draws: Draws,
    arms: usize,
    next: u32,
    /// The CPU times of every round that counts, arm by arm, in nanoseconds.
    cpu_ns: Vec<Vec<u64>>,
    /// How the same rounds shared the machine, and their times by the clock as multiples of their CPU times.
    clock: Vec<(Schedule, f64)>,
}

/// Arms that are less than this apart, on the scale of ln, take equal turns: turns in proportion gain where arms are 1.3 or 2 times apart.
const EQUAL: f64 = 0.05;

/// So many standard errors of a difference are taken for noise, and so many rounds have a standard error.
const NOISE: f64 = 3.0;
const FEWEST: usize = 3;

impl<'a> Rounds<'a> {
    pub(super) fn new(rig: &'a mut dyn Rig, draws: Draws, arms: usize) -> Self {
        Rounds {
            rig,
            draws,
            arms,
            next: 0,
            cpu_ns: Vec::new(),
            clock: Vec::new(),
        }
    }

    /// A round that only warms caches.
    pub(super) fn warm(&mut self) -> Result<(), LabError> {
        self.run(Schedule::Interleaved)?;
        self.cpu_ns.clear();
        self.clock.clear();
        Ok(())
    }

    /// How long a round takes by the clock, as a multiple of its CPU time: more where runs wait, less where they have several threads.
    pub(super) fn by_the_clock(&self, schedule: Schedule) -> f64 {
        let such = self.clock.iter().filter(|(way, _)| *way == schedule);
        median(&such.map(|(_, times)| *times).collect::<Vec<f64>>()).unwrap_or(1.0)
    }

    /// The CPU time that a run of each arm is expected to take, in nanoseconds. Turns are in proportion to it, and an arm with shorter turns
    /// than another of the same speed meets other caches and runs alone at the end: one disturbed round must not decide it (arms of equal
    /// code that were given turns of 1 and 0.59 came out 4.7 % apart on a random walk over 1 MiB). So it is a median, and arms that are not
    /// clearly apart are expected to take the same.
    pub(super) fn cpu_ns(&self) -> Vec<u64> {
        let of = |arm: usize| -> Vec<f64> {
            let times = self.cpu_ns.iter().filter_map(|round| round.get(arm));
            times.map(|&ns| ns.max(1) as f64).collect()
        };
        let base = of(0);
        (0..self.arms)
            .map(|arm| {
                let times = of(arm);
                let picked = if alike(&base, &times) { &base } else { &times };
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

    pub(super) fn run(&mut self, schedule: Schedule) -> Result<Vec<Run>, LabError> {
        let cpu_ns = self.cpu_ns();
        let at = RoundAt {
            block: None,
            round: self.next,
        };
        self.next += 1;
        let order = self.draws.order(at, self.arms);
        let runs = self.rig.round(&RoundPlan {
            at,
            schedule,
            order: &order,
            cpu_ns: &cpu_ns,
        })?;
        let cpu_ns: Vec<u64> = runs.iter().map(|run| run.cpu_ns).collect();
        let took = times::of_round(&runs, schedule) as f64;
        self.clock
            .push((schedule, took / cpu_ns.iter().sum::<u64>().max(1) as f64));
        self.cpu_ns.push(cpu_ns);
        Ok(runs)
    }

    /// A trial of each schedule, without rounds as yet.
    pub(super) fn trials(&self, schedules: &[Schedule]) -> Vec<Trial> {
        schedules
            .iter()
            .map(|&schedule| Trial {
                schedule,
                effects: vec![Vec::new(); self.arms.saturating_sub(1)],
            })
            .collect()
    }

    /// So many more rounds of each trial, taken in turn, so that all of them meet the same noise.
    pub(super) fn more(&mut self, trials: &mut [Trial], rounds: u64) -> Result<(), LabError> {
        for _ in 0..rounds {
            for trial in &mut *trials {
                let runs = self.run(trial.schedule)?;
                let Some((base, others)) = runs.split_first() else {
                    continue;
                };
                for (effects, new) in trial.effects.iter_mut().zip(others) {
                    effects.push((new.value / base.value).ln());
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
    /// Standard deviation of one round's effect, the largest over the builds.
    pub(super) fn spread(&self) -> Option<f64> {
        let spreads = self
            .effects
            .iter()
            .filter_map(|effects| robust_spread(effects));
        spreads.max_by(f64::total_cmp)
    }
}

/// A standard deviation that one disturbed round does not decide: 1.4826 times the median distance from the median, or the plain one where
/// that is zero.
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

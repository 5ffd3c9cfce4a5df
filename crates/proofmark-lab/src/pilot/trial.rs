//! Rounds of the pilot, with one way of scheduling after the other.

use proofmark_evidence::record::{Run, Schedule};
use proofmark_stats::{median, spread};

use crate::LabError;
use crate::draws::{Draws, RoundAt};
use crate::rig::{Rig, RoundPlan};

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
}

impl<'a> Rounds<'a> {
    pub(super) fn new(rig: &'a mut dyn Rig, draws: Draws, arms: usize) -> Self {
        Rounds {
            rig,
            draws,
            arms,
            next: 0,
        }
    }

    pub(super) fn run(&mut self, schedule: Schedule, cpu_ns: &[u64]) -> Result<Vec<Run>, LabError> {
        let at = RoundAt {
            block: None,
            round: self.next,
        };
        self.next += 1;
        let order = self.draws.order(at, self.arms);
        self.rig.round(&RoundPlan {
            at,
            schedule,
            order: &order,
            cpu_ns,
        })
    }

    /// So many rounds of each schedule, taken in turn, so that all of them meet the same noise.
    pub(super) fn trials(
        &mut self,
        schedules: &[Schedule],
        rounds: u64,
        cpu_ns: &[u64],
    ) -> Result<Vec<Trial>, LabError> {
        let mut trials: Vec<Trial> = schedules
            .iter()
            .map(|&schedule| Trial {
                schedule,
                effects: vec![Vec::new(); self.arms.saturating_sub(1)],
            })
            .collect();
        for _ in 0..rounds {
            for trial in &mut trials {
                let runs = self.run(trial.schedule, cpu_ns)?;
                let Some((base, others)) = runs.split_first() else {
                    continue;
                };
                for (effects, new) in trial.effects.iter_mut().zip(others) {
                    effects.push((new.value / base.value).ln());
                }
            }
        }
        Ok(trials)
    }
}

/// Standard deviation of one round's effect, the largest over the builds.
pub(super) fn round_spread(trial: &Trial) -> Option<f64> {
    trial
        .effects
        .iter()
        .filter_map(|effects| robust_spread(effects))
        .max_by(f64::total_cmp)
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

//! One round: a run of each arm of a plan, side by side.

use std::time::Duration;

use proofmark_evidence::record::{ArmRef, Run, Schedule};
use proofmark_measure::{Launch, Turns, proportional_slices};

use super::Bench;
use super::accept::Made;
use crate::error::LabError;
use crate::prepare::prepare;
use crate::rig::RoundPlan;

impl Bench {
    /// Makes the runs of a plan, and holds them against what runs must be.
    pub(super) fn made(&mut self, plan: &RoundPlan<'_>) -> Result<Vec<Run>, LabError> {
        let launches = self.launches(plan)?;
        let turns = self.turns(plan, launches.len());
        self.inputs_hold()?;
        self.settle()?;
        self.renew(plan.order)?;
        let outcomes = self.runner.round(&launches, &turns)?;
        // A block of which any run may have read something else is not stored.
        self.watched.check()?;
        let made = Made {
            order: plan.order,
            launches: &launches,
            turns: &turns,
            outcomes: &outcomes,
        };
        let runs = self.accept_or_say_why(&made)?;
        self.last = plan.order.iter().copied().zip(outcomes).collect();
        Ok(runs)
    }

    /// How so many launches, which are in the order in which they start, take turns.
    fn turns(&self, plan: &RoundPlan<'_>, launches: usize) -> Turns {
        match plan.schedule {
            Schedule::Interleaved => Turns::Interleaved {
                order: (0..launches).collect(),
            },
            Schedule::Sliced { slice_us } => {
                let expected = |&arm: &usize| plan.cpu_ns.get(arm).copied().unwrap_or(0);
                let cpu: Vec<Duration> = plan
                    .order
                    .iter()
                    .map(|arm| Duration::from_nanos(expected(arm)))
                    .collect();
                Turns::Sliced {
                    slices: proportional_slices(Duration::from_micros(slice_us), &cpu),
                    order_seed: self.draws.turns_seed(plan.at),
                }
            }
        }
    }

    /// Whether what the runs read is as it was. What is prepared before each run is looked at as a
    /// run finds it: another benchmark may have prepared the same file since.
    fn inputs_hold(&mut self) -> Result<(), LabError> {
        match self.watched.check() {
            Err(LabError::InputChanged { .. }) if self.experiment.benchmark.prepare.is_some() => {
                prepare(&self.experiment.benchmark)?;
                self.watched.check()
            }
            other => other,
        }
    }

    /// Before the first round: finds out who tells CPU time, by all images that are placed.
    pub(super) fn settle(&mut self) -> Result<(), LabError> {
        if self.runner.is_settled() {
            return Ok(());
        }
        let builds = self
            .placed
            .iter()
            .filter(|placed| placed.arm != ArmRef::Idle);
        let launches: Vec<Launch> = builds
            .map(|placed| self.launch(placed, 0))
            .collect::<Result<_, LabError>>()?;
        self.runner.settle(&launches)
    }
}

//! How the arms of a round are started: every program's stack begins at one address.

use proofmark_conclude::RoundAt;
use proofmark_evidence::record::{ArmRef, HeapStart};
use proofmark_measure::Launch;

use super::{Bench, Placed};
use crate::block::{idle, tax};
use crate::command;
use crate::error::LabError;
use crate::rig::{Alone, OnCores, Rig as _, RoundPlan};

impl Bench {
    /// The launches of a round, in the plan's order.
    pub(super) fn launches(&self, plan: &RoundPlan<'_>) -> Result<Vec<Launch>, LabError> {
        let padding = self.draws.padding(plan.at);
        let is_drawn = self.experiment.heap == HeapStart::Drawn;
        let heap = is_drawn.then(|| self.draws.heap(plan.at));
        let placed: Vec<&Placed> = plan
            .order
            .iter()
            .filter_map(|&arm| self.placed.get(arm))
            .collect();
        let stacks: Vec<usize> = placed
            .iter()
            .map(|placed| Ok(stack_bytes(&self.launch(placed, padding)?)))
            .collect::<Result<_, LabError>>()?;
        let most = stacks.iter().copied().max().unwrap_or(0);
        placed
            .into_iter()
            .zip(stacks)
            .map(|(placed, stack)| {
                if placed.arm == ArmRef::Idle {
                    return Ok(idle::launch(plan.idle_loops, padding, self.core()));
                }
                // Names and places may differ in length; the stack begins at one address all the
                // same.
                let mut launch = self.launch(placed, padding + most - stack)?;
                if matches!(placed.arm, ArmRef::Drawn { .. } | ArmRef::Taxed) {
                    launch.heap = heap;
                }
                if placed.arm == ArmRef::Taxed {
                    launch.tax = tax(&self.experiment);
                    // The limit is for the program; a tax of less than all of it comes on top.
                    launch.timeout = launch.timeout.saturating_mul(2);
                }
                Ok(launch)
            })
            .collect()
    }

    /// The launch of a placed arm with so many bytes of padding.
    pub(super) fn launch(&self, placed: &Placed, padding: usize) -> Result<Launch, LabError> {
        let launch = command::launch(
            self.benchmark(placed.arm),
            &placed.staged.path,
            padding,
            self.core(),
        )?;
        Ok(Launch {
            view: placed.staged.view.clone(),
            ..launch
        })
    }

    /// How a placed arm is run by itself, always with the same padding.
    pub(super) fn launch_alone(&self, arm: usize, how: &Alone) -> Result<Launch, LabError> {
        let placed = self
            .placed
            .get(arm)
            .ok_or_else(|| LabError::Fault(format!("arm {arm} is not placed")))?;
        let at = RoundAt {
            block: None,
            round: 0,
        };
        let core = match how.cores {
            OnCores::Any => None,
            OnCores::One => self.core.core(),
            OnCores::Other => self.other_core(),
        };
        Ok(Launch {
            core,
            ..self.launch(placed, self.draws.padding(at))?
        })
    }
}

/// What the kernel puts on top of a new program's stack and whose length a launch decides: its
/// path, its words, its environment.
fn stack_bytes(launch: &Launch) -> usize {
    let path = launch.program.as_os_str().len() + launch.argv0.len();
    let words: usize = launch.args.iter().map(|word| word.len()).sum();
    let set = launch.env.iter();
    path + words
        + set
            .map(|(name, value)| name.len() + value.len())
            .sum::<usize>()
}

//! A rig that starts no run once the budget is spent: what was begun is finished, and nothing is
//! begun.

use proofmark_conclude::{Counted, CountedDrawn, Evened};
use proofmark_evidence::record::{ArmRef, CodeChange, Run, Warning};
use proofmark_terms::{BuildIndex, Digest, Machine};

use crate::budget::Budget;
use crate::error::LabError;
use crate::output::Printed;
use crate::rig::{Alone, Rig, RoundPlan, Solo, Traceable};

/// A rig with a limit by the clock.
pub(crate) struct Limited<'a> {
    pub(crate) rig: &'a mut dyn Rig,
    pub(crate) budget: Budget,
}

impl Limited<'_> {
    fn in_time(&mut self) -> Result<&mut dyn Rig, LabError> {
        let now_ms = self.rig.now_ms();
        if self.budget.is_spent(now_ms) {
            return Err(self.budget.spent_early(now_ms));
        }
        Ok(&mut *self.rig)
    }
}

impl Rig for Limited<'_> {
    fn now_ms(&mut self) -> u64 {
        self.rig.now_ms()
    }

    fn machine(&self) -> Machine {
        self.rig.machine()
    }

    fn place(&mut self, block: Option<u32>, arms: &[ArmRef]) -> Result<Vec<Digest>, LabError> {
        self.in_time()?.place(block, arms)
    }

    fn images_ns(&self) -> u64 {
        self.rig.images_ns()
    }

    fn round(&mut self, plan: &RoundPlan<'_>) -> Result<Vec<Run>, LabError> {
        self.in_time()?.round(plan)
    }

    fn told(&self) -> Result<Vec<Solo>, LabError> {
        self.rig.told()
    }

    fn alone(&mut self, arm: usize, how: &Alone) -> Result<Solo, LabError> {
        self.in_time()?.alone(arm, how)
    }

    fn trace(&mut self, arm: usize, how: &Alone) -> Result<Traceable, LabError> {
        self.in_time()?.trace(arm, how)
    }

    fn pin(&mut self, pinned: bool) {
        self.rig.pin(pinned);
    }

    fn core(&self) -> Option<u32> {
        self.rig.core()
    }

    fn other_core(&self) -> Option<u32> {
        self.rig.other_core()
    }

    fn company(&mut self, welcome: bool) {
        self.rig.company(welcome);
    }

    fn recall(&mut self, printed: Digest) {
        self.rig.recall(printed);
    }

    fn printed(&self) -> Printed {
        self.rig.printed()
    }

    fn remarks(&self) -> Vec<Warning> {
        self.rig.remarks()
    }

    fn instructions(&mut self, until_ms: Option<u64>) -> Vec<Counted> {
        self.rig.instructions(until_ms)
    }

    fn counted_drawn(&mut self, until_ms: Option<u64>) -> Vec<CountedDrawn> {
        self.rig.counted_drawn(until_ms)
    }

    fn evened(&self, build: BuildIndex) -> Option<Evened> {
        self.rig.evened(build)
    }

    fn code(&mut self) -> Vec<CodeChange> {
        self.rig.code()
    }
}

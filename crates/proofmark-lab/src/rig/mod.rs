//! What an experiment needs of the world: images put in place, runs made side by side, instructions
//! counted, the time.
//!
//! The conductor and the pilot know only this trait, so that they can be tested against recorded
//! worlds.

mod habits;

use proofmark_conclude::{Counted, CountedDrawn, Evened, RoundAt};
use proofmark_evidence::record::{ArmRef, CodeChange, Run, Schedule, Warning};
use proofmark_terms::{BuildIndex, Digest, Machine};

use crate::error::LabError;
use crate::output::Printed;
pub use habits::{Alone, Habits, Hurry, OnCores, Pauses, Solo};

/// One round as the rig carries it out.
#[derive(Clone, Debug)]
pub struct RoundPlan<'a> {
    /// Where it stands.
    pub at: RoundAt,
    /// How the runs share the machine.
    pub schedule: Schedule,
    /// The arms that run, as indices into the placed arms, in the order in which they start.
    pub order: &'a [usize],
    /// Expected CPU time of one run of each placed arm, in nanoseconds, for slices in proportion.
    pub cpu_ns: &'a [u64],
    /// How long the idle arm runs: the number of its loops.
    pub idle_loops: u64,
}

/// What a traced run says of a program, or why there is none.
pub type Traceable = Result<Habits, String>;

/// The world of an experiment.
pub trait Rig {
    /// Milliseconds since 1970-01-01 UTC.
    fn now_ms(&mut self) -> u64;

    /// The machine, as it was when this sitting began.
    fn machine(&self) -> Machine;

    /// Puts fresh copies of a block's images in place and gives their BLAKE3 in hexadecimal, in the
    /// order of `arms`. `None` is the pilot's block.
    ///
    /// # Errors
    ///
    /// When an image cannot be made, breaks a promise of its layout, or cannot be copied.
    fn place(&mut self, block: Option<u32>, arms: &[ArmRef]) -> Result<Vec<Digest>, LabError>;

    /// Time that the images of the block at hand took to make, in nanoseconds; 0 where none are
    /// made. Where several benchmarks share them, the share of each.
    fn images_ns(&self) -> u64;

    /// One run of each arm of the plan, in the plan's order.
    ///
    /// # Errors
    ///
    /// When a run fails, prints something else than the base did, or is interrupted.
    fn round(&mut self, plan: &RoundPlan<'_>) -> Result<Vec<Run>, LabError>;

    /// What came of each run of the last round, in the order of its plan: told, and not judged.
    ///
    /// # Errors
    ///
    /// When what a run printed cannot be read.
    fn told(&self) -> Result<Vec<Solo>, LabError>;

    /// One run of a placed arm by itself. How it ends and what it prints are told, and not judged.
    ///
    /// # Errors
    ///
    /// When it cannot be started, or is interrupted.
    fn alone(&mut self, arm: usize, how: &Alone) -> Result<Solo, LabError>;

    /// One traced run of a placed arm by itself.
    ///
    /// # Errors
    ///
    /// When it cannot be started, traced or not, or is interrupted.
    fn trace(&mut self, arm: usize, how: &Alone) -> Result<Traceable, LabError>;

    /// Whether runs are to be kept on one core from now on. They are at first.
    fn pin(&mut self, pinned: bool);

    /// The core that runs are pinned to, if they are.
    fn core(&self) -> Option<u32>;

    /// Another core on which a run by itself can be made, if there is one.
    fn other_core(&self) -> Option<u32>;

    /// Whether runs stand another run of the program beside them. Only then are instructions
    /// counted while blocks are measured, and not at the end.
    fn company(&mut self, welcome: bool);

    /// Holds what runs print from now on against what those before an interruption printed.
    fn recall(&mut self, printed: Digest);

    /// What the runs have shown of their work.
    fn printed(&self) -> Printed;

    /// What a reader must know of the machine and the images beside the numbers.
    fn remarks(&self) -> Vec<Warning>;

    /// Instructions of each build, in the order of the builds; waits for a count that is under way,
    /// but no longer than until this time (milliseconds since 1970-01-01 UTC).
    fn instructions(&mut self, until_ms: Option<u64>) -> Vec<Counted>;

    /// Instructions of each build as shipped and in the layout that was drawn last, in the order of
    /// the builds; what is not counted until this time is given up.
    fn counted_drawn(&mut self, until_ms: Option<u64>) -> Vec<CountedDrawn>;

    /// What layouts make alike of the base and of a build; `None` where it is alike, or
    /// where each build keeps its own.
    fn evened(&self, build: BuildIndex) -> Option<Evened>;

    /// What changed in the machine code from the base to each build, in the order of the builds but
    /// the base; empty where nobody looks.
    fn code(&mut self) -> Vec<CodeChange>;
}

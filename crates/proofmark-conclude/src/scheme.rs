//! How the arms of a block are measured.

use proofmark_evidence::record::{Pilot, Schedule, SliceCheck};

/// How the arms of a block are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheme {
    /// How the runs share the machine.
    pub schedule: Schedule,
    /// Rounds in which a build is held against the base.
    pub rounds: u32,
    /// How the blocks go on testing what slices do; `None` for whole runs.
    pub check: Option<SliceCheck>,
}

impl Scheme {
    /// The one that a pilot chose.
    #[must_use]
    pub fn of(pilot: &Pilot) -> Scheme {
        Scheme {
            schedule: pilot.schedule,
            rounds: pilot.rounds,
            check: pilot.check,
        }
    }
}

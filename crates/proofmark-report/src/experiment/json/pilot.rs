//! How an experiment is measured, for programs.

use proofmark_evidence::record::Pilot;
use schemars::JsonSchema;
use serde::Serialize;

use crate::document::words::ScheduleView;

/// How it was measured.
#[derive(Serialize, JsonSchema)]
pub(super) struct PilotView {
    /// How runs shared the machine.
    schedule: ScheduleView,
    /// Why so.
    reason: String,
    /// Rounds of a block in which a build is held against the base.
    rounds: u32,
    /// How each block goes on testing what slices do; absent where whole runs are taken.
    check: Option<SliceCheckView>,
    /// CPU time of one run of each build, in nanoseconds.
    cpu_ns: Vec<u64>,
    /// What slices did to the effect of each build but the base in the pilot, against whole runs.
    shifts: Vec<ShiftView>,
    /// What was found out about the programs.
    program: Vec<ObservationView>,
    /// Core on which runs were pinned; absent where they were free to use all.
    core: Option<u32>,
    /// Standard deviation of a block's effect that was expected.
    spread: Option<f64>,
    /// Smallest relative effect that could be expected to be resolved.
    resolvable: Option<f64>,
}

/// How far an effect moved between two ways of scheduling, on the scale of ln(new ÷ base).
#[derive(Serialize, JsonSchema)]
struct ShiftView {
    estimate: f64,
    error: f64,
}

/// Something that was found out about a build's program before it was measured.
#[derive(Serialize, JsonSchema)]
struct ObservationView {
    /// Index of the build.
    build: u32,
    /// What, with the program as its subject.
    found: String,
    /// Whether it decided how runs were made.
    decides: bool,
}

/// The rounds of each block that only tell what slices do.
#[derive(Serialize, JsonSchema)]
struct SliceCheckView {
    /// Mean length of the shorter slices, in microseconds.
    short_us: u64,
    /// Rounds with shorter slices.
    short_rounds: u32,
    /// Rounds of whole runs.
    whole_rounds: u32,
    /// Rounds of each build beside a program that leaves its caches alone.
    alone_rounds: u32,
}

impl From<&Pilot> for PilotView {
    fn from(pilot: &Pilot) -> Self {
        PilotView {
            schedule: pilot.schedule.into(),
            reason: pilot.reason.clone(),
            rounds: pilot.rounds,
            check: pilot.check.map(|check| SliceCheckView {
                short_us: check.short_us,
                short_rounds: check.short_rounds,
                whole_rounds: check.whole_rounds,
                alone_rounds: check.alone_rounds,
            }),
            cpu_ns: pilot.cpu_ns.clone(),
            shifts: pilot
                .shifts
                .iter()
                .map(|shift| ShiftView {
                    estimate: shift.estimate,
                    error: shift.error,
                })
                .collect(),
            program: pilot
                .program
                .iter()
                .map(|seen| ObservationView {
                    build: seen.build.0,
                    found: seen.found.clone(),
                    decides: seen.decides,
                })
                .collect(),
            core: pilot.core,
            spread: pilot.spread,
            resolvable: pilot.resolvable,
        }
    }
}

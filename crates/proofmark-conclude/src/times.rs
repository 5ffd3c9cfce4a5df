//! How long rounds took, by the clock.

use proofmark_evidence::record::{Block, Run, Schedule};

/// Runs shorter than this are mostly start-up, in nanoseconds.
pub const SHORT_NS: u64 = 5_000_000;

/// Time of a round, in nanoseconds: side by side where its runs are sliced, one after the other
/// where not.
pub fn of_round(runs: &[Run], schedule: Schedule) -> u64 {
    let walls = runs.iter().map(|run| run.wall_ns);
    match schedule {
        Schedule::Sliced { .. } => walls.max().unwrap_or(0),
        // A record of others may say anything.
        Schedule::Interleaved => walls.fold(0, u64::saturating_add),
    }
}

/// Time of a block's rounds, in nanoseconds, without what else the block took.
#[expect(
    clippy::cast_precision_loss,
    reason = "far below 2⁵³ nanoseconds, three months"
)]
pub fn of_rounds(block: &Block) -> f64 {
    let rounds = block.rounds.iter();
    rounds
        .map(|round| of_round(&round.runs, round.schedule))
        .fold(0, u64::saturating_add) as f64
}

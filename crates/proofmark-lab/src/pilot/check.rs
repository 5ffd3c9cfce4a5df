//! How the blocks go on testing what slices do.

use proofmark_evidence::record::{Schedule, SliceCheck};

/// A turn is so many of the shorter ones that show what turns do.
const SHORTER_TURNS: u64 = 4;

/// How the blocks go on testing what slices do; `None` for whole runs. The rounds with shorter
/// slices and beside the idle arm are as many as the verdict's own, for the shift is known no
/// better than the worse of the two. Whole runs are noisier by far; they are there for what nothing
/// else shows.
pub(super) fn check(schedule: Schedule, rounds: u32, idle_loops: u64) -> Option<SliceCheck> {
    let Schedule::Sliced { slice_us } = schedule else {
        return None;
    };
    let Schedule::Sliced { slice_us: short_us } = shorter(slice_us) else {
        return None;
    };
    Some(SliceCheck {
        short_us,
        short_rounds: rounds,
        whole_rounds: rounds.div_ceil(2),
        alone_rounds: if idle_loops > 0 { rounds } else { 0 },
        idle_loops,
    })
}

/// Shorter slices, which show what slices do.
pub(super) fn shorter(slice_us: u64) -> Schedule {
    Schedule::Sliced {
        slice_us: (slice_us / SHORTER_TURNS).max(1),
    }
}

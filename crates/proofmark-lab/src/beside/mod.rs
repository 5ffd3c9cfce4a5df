//! Work that goes on while blocks are measured, and how it keeps out of their way.

mod counting;
mod reading;

pub(crate) use counting::{Counting, ToCount};
pub(crate) use reading::Reading;

/// What such a thread, and the programs it starts, yield to everything else.
const NICE: i32 = 10;

/// Keeps the calling thread off the core that is measured, at low priority. The programs that it
/// starts inherit both.
pub(crate) fn aside(core: Option<u32>) {
    if let Some(core) = core {
        proofmark_measure::keep_off(core);
    }
    // Refused only where the priority is lower already.
    let _ = rustix::process::nice(NICE);
}

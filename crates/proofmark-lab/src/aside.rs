//! Work that goes on while blocks are measured, and how it keeps out of their way.

use std::cell::RefCell;
use std::rc::Rc;

use crate::counting::Counting;
use crate::images::Maker;
use crate::reading::Reading;

/// What is under way on other threads.
#[derive(Default)]
pub(crate) struct Alongside {
    /// The images of the blocks to come; absent where placement is not varied. Benchmarks of one
    /// suite share it.
    pub(crate) maker: Option<Rc<RefCell<Maker>>>,
    /// Instructions.
    pub(crate) counting: Option<Counting>,
    /// Machine code.
    pub(crate) reading: Option<Reading>,
}

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

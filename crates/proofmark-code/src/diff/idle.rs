//! No-ops that a function runs through, told from the padding in front of what is aligned.

use crate::decode::{Flow, Op, Traits};

/// What padding leads to stands at a multiple of this, in bytes: compilers align no code to less.
const ALIGNED: u64 = 8;
/// Padding inside of a function is shorter than this, in bytes: a line of a cache.
const LINE: u64 = 64;

/// What becomes of no-ops that are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoOps {
    /// Those that are no padding are a part of the content.
    Count,
    /// They are not: layouts put them where they like.
    LeftOut,
}

/// No-ops one after the other.
#[derive(Debug, Default)]
pub(super) struct Idle {
    /// Where they start and end.
    range: Option<[u64; 2]>,
    /// Whether nothing leads into them from above: they fill a gap behind a jump.
    gap: bool,
}

impl Idle {
    /// Takes in an instruction that is no content.
    pub(super) fn skip(&mut self, op: &Op) {
        if op.traits.has(Traits::NOP) {
            let [start, _] = self.range.unwrap_or([op.address; 2]);
            self.range = Some([start, op.end()]);
        }
    }

    /// Ends before an instruction that goes on in this way. Gives the address and the bytes of
    /// no-ops that count. A line and more inside of a function is no padding, even where nothing
    /// runs through it: it moves what stands behind it.
    pub(super) fn end(&mut self, flow: Flow, no_ops: NoOps) -> Option<(u64, u64)> {
        let gap = std::mem::replace(&mut self.gap, leaves(flow));
        let [start, end] = self.range.take()?;
        let padding = end - start < LINE && (gap || end.is_multiple_of(ALIGNED));
        (!padding && no_ops == NoOps::Count).then_some((start, end - start))
    }

    /// Ends with the function. Behind its last jump there is padding of any length: what follows
    /// may begin at a page.
    pub(super) fn end_of_function(mut self, no_ops: NoOps) -> Option<(u64, u64)> {
        if self.gap {
            return None;
        }
        self.end(Flow::Stop, no_ops)
    }
}

/// Whether control never goes on behind an instruction. That a call does not come back cannot be
/// known, and padding behind it ends where something aligned begins.
fn leaves(flow: Flow) -> bool {
    matches!(
        flow,
        Flow::Jump | Flow::IndirectJump | Flow::Return | Flow::Stop
    )
}

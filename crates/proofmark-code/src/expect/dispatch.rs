//! Indirect jumps that many places share, as in an interpreter whose opcodes all go back to one.

use super::whole::Whole;
use crate::address::Address;
use crate::decode::{self, Flow, Op};

/// Instructions in front of the indirect jump that may be shared with it: loading, a check of the
/// range, the operands.
const SHARED: usize = 16;

/// An indirect jump and the direct jumps of the same function that lead back to it, from behind it.
/// Those from in front of it are left out: the cases of one `switch` all lead on to the next one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shared {
    pub(super) jump: Address,
    pub(super) sites: u64,
}

/// The indirect jump of the function that most direct ones lead back to, straight on from where
/// they arrive.
pub(super) fn most_shared(whole: &Whole<'_>) -> Option<Shared> {
    let image = whole.subject.image;
    let function = &image.functions()[whole.index];
    let mut jumps = Vec::new();
    let mut stretches = Vec::new();
    let mut straight: Vec<u64> = Vec::new();
    let each = |op: &Op| {
        straight.push(op.address);
        match op.flow {
            Flow::Jump => jumps.push((op.address, op.target)),
            Flow::Conditional => return jumps.push((op.address, op.target)),
            Flow::IndirectJump => {
                let shared = &straight[straight.len().saturating_sub(SHARED)..];
                stretches.push((shared[0], op.address));
            }
            Flow::Return | Flow::Stop => {}
            Flow::Next | Flow::Call | Flow::IndirectCall => return,
        }
        straight.clear();
    };
    decode::for_each(
        &image.space,
        function.address().get(),
        function.size(),
        each,
    );
    let back = |from: u64, jump: u64| {
        let lead = jumps
            .iter()
            .filter(|(at, to)| *at > jump && (from..=jump).contains(to));
        lead.count() as u64
    };
    let shared = stretches.into_iter().map(|(from, jump)| Shared {
        jump: image.shown(Address::new(jump)),
        sites: back(from, jump),
    });
    shared.max_by_key(|s| s.sites)
}

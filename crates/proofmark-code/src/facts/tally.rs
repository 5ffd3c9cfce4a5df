//! Calls of a function, counted.

use super::{Call, Via};
use crate::address::Address;

/// Calls counted by callee and way, in order; `tally` is room.
pub(super) fn tally(calls: &mut [(u64, Via)], tally: &mut Vec<Call>) -> Vec<Call> {
    calls.sort_unstable();
    tally.clear();
    for (target, via) in calls {
        match tally.last_mut() {
            Some(last) if last.target.get() == *target && last.via == *via => last.sites += 1,
            _ => tally.push(Call {
                target: Address::new(*target),
                via: *via,
                sites: 1,
            }),
        }
    }
    tally.clone()
}

//! What a system call costs here, at the least.

use std::time::Instant;

/// Calls that are timed in one piece: a millisecond or so.
const CALLS: u32 = 5_000;

/// Pieces, of which the quickest counts: what else happens on the machine only adds.
const PIECES: u32 = 9;

/// Time of a system call that does next to nothing, in nanoseconds: what going into the kernel and
/// back costs on this machine. Calls that do something take longer.
#[must_use]
pub fn least_call_ns() -> u64 {
    let piece = |_| {
        let began = Instant::now();
        for _ in 0..CALLS {
            // SAFETY: it takes nothing, changes nothing, and cannot fail.
            std::hint::black_box(unsafe { libc::syscall(libc::SYS_getppid) });
        }
        began.elapsed().as_nanos() / u128::from(CALLS)
    };
    let least = (0..PIECES).map(piece).min().unwrap_or_default();
    u64::try_from(least).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No machine goes into its kernel and back in less than a nanosecond, and none takes a
    /// millisecond for it.
    #[test]
    fn a_call_costs_something_and_not_the_world() {
        assert!((1..1_000_000).contains(&least_call_ns()));
    }
}

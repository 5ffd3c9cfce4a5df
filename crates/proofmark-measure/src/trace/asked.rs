//! How often a run asked which thing of the system, and how much it read and wrote.

use std::collections::BTreeMap;

use super::{Otherwise, TraceLimits, Traced, Untraceable, filtered};
use crate::{Interrupt, Launch};

/// What a run asked of the system, with everything that it started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// System calls, by the kernel's number of each.
    pub calls: BTreeMap<u64, u64>,
    /// Bytes that calls which read gave it: from files, pipes and sockets.
    pub read: u64,
    /// Bytes that calls which write took.
    pub written: u64,
}

impl Asked {
    /// System calls in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.calls.values().sum()
    }

    /// The name of a call of this machine.
    #[must_use]
    pub fn name(number: u64) -> String {
        let known = usize::try_from(number).ok().and_then(syscalls::Sysno::new);
        known.map_or_else(|| format!("call {number}"), |call| call.name().to_owned())
    }

    /// Takes a call that begins.
    pub(super) fn begin(&mut self, number: u64) {
        *self.calls.entry(number).or_default() += 1;
    }

    /// Takes what came of it.
    pub(super) fn end(&mut self, number: u64, result: i64) {
        let Ok(bytes) = u64::try_from(result) else {
            return;
        };
        let is =
            |calls: &[libc::c_long]| calls.iter().any(|call| u64::try_from(*call) == Ok(number));
        if is(&READS) {
            self.read = self.read.saturating_add(bytes);
        } else if is(&WRITES) {
            self.written = self.written.saturating_add(bytes);
        }
    }
}

/// Calls whose result is so many bytes read.
const READS: [libc::c_long; 8] = [
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_readv,
    libc::SYS_preadv,
    libc::SYS_preadv2,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_getrandom,
];

/// Calls whose result is so many bytes written.
const WRITES: [libc::c_long; 10] = [
    libc::SYS_write,
    libc::SYS_pwrite64,
    libc::SYS_writev,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_sendfile,
    libc::SYS_copy_file_range,
    libc::SYS_splice,
];

/// As [`super::trace`], with every call counted: the program stops at each, and is slow.
///
/// # Errors
///
/// As [`super::trace`].
pub fn trace_calls(
    launch: &Launch,
    limits: &TraceLimits,
    stop: &Interrupt,
) -> Result<(Traced, Asked), Untraceable> {
    Launch::held_by(
        [launch],
        filtered(launch, limits, stop, Otherwise::Not, &[]),
    )
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::End;

    /// `dd` says itself what it reads and writes: 7 blocks of 1,000 bytes, one call each.
    #[test]
    fn calls_and_bytes_are_those_that_the_program_makes() {
        let mut launch = Launch::new("/bin/dd", Duration::from_secs(60));
        let args = ["if=/dev/zero", "of=/dev/null", "bs=1000", "count=7"];
        launch.args = args.map(Into::into).to_vec();
        launch.cwd = "/".into();
        let run = trace_calls(&launch, &TraceLimits::default(), &Interrupt::new());
        let (traced, asked) = run.unwrap();
        assert_eq!(traced.end, End::Exited(0));
        assert!(asked.total() > 20 && asked.read >= 7000, "{asked:?}");
        let number = |call: libc::c_long| u64::try_from(call).unwrap();
        assert!(asked.calls[&number(libc::SYS_write)] >= 7);
        assert!(asked.written >= 7000 && asked.written < 7400, "{asked:?}");
        assert_eq!(Asked::name(number(libc::SYS_write)), "write");
        assert_eq!(Asked::name(1_000_000), "call 1000000");
    }
}

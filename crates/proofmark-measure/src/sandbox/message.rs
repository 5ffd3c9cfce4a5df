//! What the processes of a sandbox tell whoever started it, through a pipe.

use std::ffi::c_int;
use std::os::fd::{AsFd as _, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::SandboxError;
use super::step::Step;

/// What the processes tell.
pub(super) enum Message {
    /// The helper is in its namespaces, and waits until its numbers are written.
    Unshared,
    /// The first process in them, by its number outside.
    First(libc::pid_t),
    /// It has put its root together and started the command.
    Ready,
    /// One of them could not go on.
    Failed {
        step: Step,
        index: usize,
        errno: i32,
    },
    /// The command ended, with a status as of `waitpid`.
    Ended { status: c_int },
    /// Nobody is there to tell anything.
    Lost,
}

/// A message on its way: its kind, and three numbers.
pub(super) type Told = [i32; 4];

pub(super) const UNSHARED: i32 = 1;
pub(super) const FIRST: i32 = 2;
pub(super) const FAILED: i32 = 3;
pub(super) const ENDED: i32 = 4;
pub(super) const READY: i32 = 5;

/// Tells it: a system call only, as the forks of a process with threads may make.
pub(super) fn tell(to: RawFd, told: Told) {
    // SAFETY: a descriptor of our own, and a buffer of this length.
    unsafe { libc::write(to, told.as_ptr().cast(), size_of::<Told>()) };
}

/// The next message, if one comes within a time.
pub(super) fn next(told: &OwnedFd, within: Duration) -> Result<Option<Message>, SandboxError> {
    let lost = |error: rustix::io::Errno| SandboxError::of(Step::Fork, error.into());
    let mut wait = [PollFd::from_borrowed_fd(told.as_fd(), PollFlags::IN)];
    let within = Timespec::try_from(within).ok();
    match poll(&mut wait, within.as_ref()) {
        Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
        Ok(_) => {}
        Err(error) => return Err(lost(error)),
    }
    let mut bytes = [0_u8; size_of::<Told>()];
    // A message is shorter than what a pipe takes in one piece.
    match rustix::io::read(told, &mut bytes) {
        Ok(read) if read == bytes.len() => {}
        Ok(_) => return Ok(Some(Message::Lost)),
        Err(rustix::io::Errno::INTR) => return Ok(None),
        Err(error) => return Err(lost(error)),
    }
    let number = |at: usize| {
        let part = bytes.get(at * 4..at * 4 + 4);
        part.and_then(|part| part.try_into().ok())
            .map_or(0, i32::from_ne_bytes)
    };
    let step = || {
        usize::try_from(number(1))
            .ok()
            .and_then(|at| Step::ALL.get(at))
    };
    Ok(Some(match number(0) {
        UNSHARED => Message::Unshared,
        FIRST => Message::First(number(1)),
        READY => Message::Ready,
        ENDED => Message::Ended { status: number(1) },
        FAILED => Message::Failed {
            step: step().copied().unwrap_or(Step::Fork),
            index: usize::try_from(number(2)).unwrap_or(0),
            errno: number(3),
        },
        _ => Message::Lost,
    }))
}

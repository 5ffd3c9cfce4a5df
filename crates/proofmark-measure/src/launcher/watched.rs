//! What the launcher waits for. Nothing here allocates, locks or panics.

use std::ffi::c_int;

use super::kernel::errno;
use super::wire::SLOTS;

/// Who may have something to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// The program in this slot, or what spends its tax, has ended.
    Ended(usize),
    /// The kernel asks what becomes of dead children of the program in this slot.
    Question(usize),
    /// The instrument wants something.
    Command,
}

/// Descriptors that are waited for. Only those in use are given to the kernel, which takes no more
/// than the limit of open files (`poll(2)`).
pub(super) struct Watched {
    polled: [libc::pollfd; ROOM],
    words: [Word; ROOM],
    count: usize,
}

/// A program and its questions for each slot, and the instrument.
const ROOM: usize = 2 * SLOTS + 1;

impl Watched {
    pub(super) fn new() -> Watched {
        Watched {
            polled: [libc::pollfd {
                fd: -1,
                events: libc::POLLIN,
                revents: 0,
            }; ROOM],
            words: [Word::Command; ROOM],
            count: 0,
        }
    }

    /// Waits for this one too, unless it is negative.
    pub(super) fn add(&mut self, fd: c_int, word: Word) {
        if fd < 0 || self.count == ROOM {
            return;
        }
        self.polled[self.count].fd = fd;
        self.words[self.count] = word;
        self.count += 1;
    }

    /// Waits until one of them has something to say. False when the kernel does not let us wait.
    pub(super) fn wait(&mut self) -> bool {
        // SAFETY: as many as said were filled.
        let result =
            unsafe { libc::poll(self.polled.as_mut_ptr(), self.count as libc::nfds_t, -1) };
        result >= 0 || errno() == libc::EINTR
    }

    /// Those that have something to say.
    pub(super) fn heard(&self) -> impl Iterator<Item = Word> {
        let both = self.polled.iter().zip(&self.words).take(self.count);
        both.filter(|(polled, _)| polled.revents != 0)
            .map(|(_, word)| *word)
    }
}

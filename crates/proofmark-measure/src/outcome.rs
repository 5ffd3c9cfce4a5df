//! What a run yielded.

use std::time::Duration;

use crate::Accounted;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this status (0..=255).
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// Killed by the instrument after [`crate::Launch::timeout`].
    TimedOut,
}

impl End {
    /// Whether the program ended by itself with status 0.
    #[must_use]
    pub fn succeeded(self) -> bool {
        self == End::Exited(0)
    }
}

/// Largest resident set of any process of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Peak {
    /// In bytes.
    Bytes(u64),
    /// No larger than this many bytes. The kernel counts the memory of the process that starts a
    /// program towards the program's peak, so that nothing below the launcher's own two to three
    /// megabytes can be told apart.
    AtMost(u64),
    /// This many bytes or more: of some processes nobody was told anything. Known only where
    /// [`crate::Launch::peak`] asks for it.
    AtLeast(u64),
}

impl Peak {
    /// The value, or what bounds it, in bytes.
    #[must_use]
    pub fn or_bound(self) -> u64 {
        match self {
            Peak::Bytes(bytes) | Peak::AtMost(bytes) | Peak::AtLeast(bytes) => bytes,
        }
    }
}

/// What a run wrote to one of its outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// BLAKE3 of everything that was written, with `{}` for the path of [`crate::Launch::image`].
    pub digest: blake3::Hash,
    /// Bytes written.
    pub length: u64,
    /// The first mebibyte of standard output; the last 4 KiB of standard error.
    pub kept: Vec<u8>,
}

impl Output {
    /// The kept bytes as text; what is not UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.kept)
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// User and system time of everything that the run started, in microseconds as the kernel gives
    /// it; pauses are not in it. A tax is. Too small where `accounted` says so.
    pub cpu: Duration,
    /// Who told it.
    pub accounted: Accounted,
    /// From just before the process was created until its end was seen, monotonic clock. With
    /// turns, pauses are in it. A tax is in it.
    pub wall: Duration,
    /// CPU time of the tax that the launch asked for. `None` when it asked for none, or when the
    /// program did not end by itself.
    pub tax: Option<Duration>,
    /// How often the program gave up its core by itself, to wait for something (voluntary context
    /// switches); being held between turns may count as one or two.
    pub waits: u64,
    /// Largest resident set of the program, or of another process of the run if that is larger.
    pub peak: Peak,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// Processes that were still alive after the program ended, and were killed.
    pub children_left: u32,
}

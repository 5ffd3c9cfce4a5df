//! Limits of the caller (`ulimit`) that would end this process without a word.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Resource, getrlimit};

/// What the deepest of the commands takes, and more, in bytes.
const STACK: usize = 8 << 20;

/// A file that may not grow is an error that says so, and no signal. What is started gets the
/// signal as ever: a handler does not outlive `exec`.
pub(crate) fn hear_of_full_files() {
    let heard = Arc::new(AtomicBool::new(false));
    let _ = signal_hook::flag::register(rustix::process::Signal::XFSZ.as_raw(), heard);
}

/// Does it on a stack of its own where that of this thread may be small.
pub(crate) fn with_room(work: fn() -> ExitCode) -> ExitCode {
    let allowed = getrlimit(Resource::Stack).current;
    if allowed.is_none_or(|bytes| bytes >= STACK as u64) {
        return work();
    }
    let own = std::thread::Builder::new().stack_size(STACK).spawn(work);
    match own {
        Ok(own) => own
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        Err(_) => work(),
    }
}

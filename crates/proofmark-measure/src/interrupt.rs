//! A stop flag without global state: a signal handler raises it, and whatever runs ends its
//! children and returns.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks a measurement to end. Clones share one flag.
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A flag that is not raised.
    #[must_use]
    pub fn new() -> Interrupt {
        Interrupt::default()
    }

    /// Raises the flag. Noticed by a running measurement within a tenth of a second.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag is raised.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for a signal handler (`signal_hook::flag::register(SIGINT, stop.flag())`).
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

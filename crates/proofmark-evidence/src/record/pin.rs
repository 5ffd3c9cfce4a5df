//! Whether what an experiment rests on is kept for good.

use crate::private::parts;
use serde::{Deserialize, Serialize};

/// Pins an experiment, or takes its pin back: as long as it is pinned, its builds are never
/// collected as garbage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    /// Milliseconds since 1970-01-01 UTC.
    pub at_ms: u64,
    /// Which of the two.
    pub state: PinState,
}

parts!(Pin {
    at_ms: open,
    state: open
});

/// Whether an experiment is pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PinState {
    /// It is.
    Pinned,
    /// It is not any more.
    Released,
}

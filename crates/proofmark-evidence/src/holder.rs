//! Who measures into a store, for people.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Who measures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// The process.
    pub pid: u32,
    /// Its command line.
    pub command: String,
    /// Milliseconds since 1970-01-01 UTC when it took the lock.
    pub since_ms: u64,
}

impl Holder {
    pub(crate) fn this_process() -> Self {
        let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Holder {
            pid: std::process::id(),
            command: words.collect::<Vec<_>>().join(" "),
            since_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl Holder {
    /// Whether its process is still there, and not only waits to be reaped.
    pub(crate) fn is_alive(&self) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/stat", self.pid));
        // The state stands behind the name, which may hold anything.
        let state = status.ok().and_then(|status| {
            let behind = status.rsplit_once(") ")?.1;
            behind.chars().next()
        });
        state.is_some_and(|state| !matches!(state, 'Z' | 'X'))
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs();
        let seconds = now.saturating_sub(self.since_ms / 1000);
        write!(
            formatter,
            "process {} (`{}`, for {} min {} s)",
            self.pid,
            self.command,
            seconds / 60,
            seconds % 60
        )
    }
}

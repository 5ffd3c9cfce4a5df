//! What runs asked of the system, by traced runs.

use serde::{Deserialize, Serialize};

use crate::private::parts;

/// What runs asked of the system, by traced runs, two of each build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum AskedOfSystem {
    /// Counted.
    Counted {
        /// Of the base.
        base: Box<[RunAsked; 2]>,
        /// Of the build.
        new: Box<[RunAsked; 2]>,
        /// What a call that does next to nothing costs on the machine, in nanoseconds; absent where
        /// that was not measured.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call_ns: Option<u64>,
    },
    /// Not counted, and why.
    Unavailable {
        /// The reason.
        reason: String,
    },
}

parts!(
    enum AskedOfSystem {
        Counted {
            base: open,
            new: open,
            call_ns: open,
        },
        Unavailable {
            reason: mixed,
        },
    }
);

/// What one run asked of the system, with all that it started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunAsked {
    /// System calls.
    pub calls: u64,
    /// By name, those made most first; not all of them.
    pub by_name: Vec<(String, u64)>,
    /// Bytes that it read.
    pub read: u64,
    /// Bytes that it wrote.
    pub written: u64,
    /// Processes that it started.
    pub processes: u64,
    /// Threads that it started.
    pub threads: u64,
}

//! What there was in the place of an idle core.

use serde::{Deserialize, Serialize};

use crate::private::parts;

/// What there was in the place of an idle core.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum NoIdleCore {
    /// The least busy core did other work as well.
    Busy {
        /// Its number.
        core: u32,
        /// Per cent of the time before measuring that it was not idle.
        busy_percent: u32,
    },
    /// Somebody else measures on every core that may be used.
    Taken {
        /// The number of the one that is shared.
        core: u32,
    },
    /// Only one core may be used.
    OnlyOne {
        /// Its number.
        core: u32,
    },
    /// It cannot be told which cores are idle: processes are not pinned.
    Unknown {
        /// Why.
        why: String,
    },
}

parts!(
    enum NoIdleCore {
        Busy { core: open, busy_percent: open },
        Taken { core: open },
        OnlyOne { core: open },
        Unknown { why: mixed },
    }
);

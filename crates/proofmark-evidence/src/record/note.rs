//! A remark on an experiment, made after it; how a correction is recorded where nothing is ever
//! changed.

use crate::private::parts;
use serde::{Deserialize, Serialize};

/// A remark on an experiment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// Milliseconds since 1970-01-01 UTC.
    pub at_ms: u64,
    /// The remark.
    pub text: String,
}

parts!(Note {
    at_ms: open,
    text: mixed
});

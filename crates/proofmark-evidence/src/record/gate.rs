//! What a gate said of a build.

use serde::{Deserialize, Serialize};

use crate::private::parts;

/// What a gate said of a build before anything was timed: whether the build is right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateFound {
    /// The gate's name.
    pub gate: String,
    /// The cell's name.
    pub cell: String,
    /// Whether the build may be timed.
    pub passed: bool,
    /// What was found, in a sentence.
    pub said: String,
    /// What differs from base, each in a line: tests, or the input with both answers.
    pub differs: Vec<String>,
    /// Tests that are not the same each time on base, and decide nothing.
    pub flaky: Vec<String>,
}

impl GateFound {
    /// What of it belongs to a question. All of it where it fails: the last reason is shown. No
    /// words where it passes: how many inputs were tried in their time may be another each time.
    pub(super) fn question(&self) -> GateFound {
        if !self.passed {
            return self.clone();
        }
        GateFound {
            said: String::new(),
            differs: Vec::new(),
            flaky: Vec::new(),
            ..self.clone()
        }
    }
}

parts!(GateFound {
    gate: mixed,
    cell: mixed,
    passed: open,
    said: mixed,
    differs: mixed,
    flaky: mixed,
});

//! Warnings about what runs do.

use serde::{Deserialize, Serialize};

use crate::private::parts;
use crate::record::{Unshown, Work};

/// Runs were held up, of a program that does other things then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeldUp {
    /// Share of the runs, 0 to 1.
    pub share: f64,
    /// The build whose program it is.
    pub build: String,
    /// What was found out about the program.
    pub found: String,
}

parts!(HeldUp {
    share: open,
    build: mixed,
    found: mixed,
});

/// A build takes next to nothing, and no output shows that it did what the other did. No gate
/// passes on it without being told so.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkInDoubt {
    /// The benchmark, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// The build that takes so little.
    pub build: String,
    /// The build that it is held against.
    pub beside: String,
    /// What it takes little of.
    pub of: Work,
    /// The share of the other's, 0 to 1.
    pub share: f64,
    /// Why no output shows the work.
    pub unshown: Unshown,
    /// The first line on standard error, quoted.
    pub error: Option<String>,
}

parts!(WorkInDoubt {
    benchmark: mixed,
    build: mixed,
    beside: mixed,
    of: open,
    share: open,
    unshown: open,
    error: mixed,
});

/// All that is printed is a line of error, and the runs end at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OnlyAnError {
    /// The benchmark, where there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// The line, quoted.
    pub line: String,
    /// CPU time of the shortest run, in nanoseconds.
    pub cpu_ns: u64,
}

parts!(OnlyAnError {
    benchmark: mixed,
    line: mixed,
    cpu_ns: open,
});

/// From start to end, runs of two builds differ by what CPU time does not show: they wait, or use
/// several cores at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WallTimeApart {
    /// The build.
    pub build: String,
    /// The build that it is held against.
    pub beside: String,
    /// Wall time of the build's least disturbed whole run, in nanoseconds.
    pub wall_ns: u64,
    /// That of the other.
    pub beside_wall_ns: u64,
}

parts!(WallTimeApart {
    build: mixed,
    beside: mixed,
    wall_ns: open,
    beside_wall_ns: open,
});

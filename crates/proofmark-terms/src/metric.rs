//! What is read from a run.

use serde::{Deserialize, Serialize};

/// A quantity that each run yields once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Metric {
    /// User and system time together, in nanoseconds; of the whole tree of processes where a cgroup
    /// can be had.
    CpuTime,
    /// Time from start to end, in nanoseconds, on the monotonic clock.
    WallTime,
    /// Largest resident set, in bytes.
    PeakMemory,
    /// A number that the program prints, found by a regular expression with one group.
    Output {
        /// The regular expression; its first group is the number.
        pattern: String,
        /// The unit as the user named it, for display.
        unit: String,
        /// Whether more is better.
        higher_is_better: bool,
    },
}

impl Metric {
    /// Whether pauses of the process leave the metric as it is, so that runs may be cut into
    /// slices.
    #[must_use]
    pub fn survives_pauses(&self) -> bool {
        matches!(self, Metric::CpuTime | Metric::PeakMemory)
    }

    /// Whether more of it is better. Time and memory are better when less.
    #[must_use]
    pub fn higher_is_better(&self) -> bool {
        matches!(
            self,
            Metric::Output {
                higher_is_better: true,
                ..
            }
        )
    }

    /// The short name used in output: `time`, `wall time`, `memory` or the unit.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Metric::CpuTime => "time",
            Metric::WallTime => "wall time",
            Metric::PeakMemory => "memory",
            Metric::Output { unit, .. } => unit,
        }
    }
}

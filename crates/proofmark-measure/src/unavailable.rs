//! A reason in place of a number.

use std::time::Duration;

use thiserror::Error;

use crate::MeasureError;

/// Why a quantity cannot be had here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unavailable {
    /// A program is missing.
    #[error("{tool} is not installed (package `{package}`)")]
    NotInstalled {
        /// The program.
        tool: &'static str,
        /// The package that has it, as Debian and most others call it.
        package: &'static str,
    },
    /// The processor, or the hypervisor, offers no such counter.
    #[error("this machine offers no counter of {0} (virtual machines often have none)")]
    NoCounter(&'static str),
    /// The kernel does not let us.
    #[error(
        "the kernel does not permit it: kernel.perf_event_paranoid is {0}; `sysctl kernel.perf_event_paranoid=2` permits counting"
    )]
    NotPermitted(String),
    /// Counted during a part of the run only, because counters had to share.
    #[error(
        "counted during {0} % of the run only: more counters were asked for than the processor has"
    )]
    Shared(u32),
    /// It took too long.
    #[error("it was not done within {0:?}")]
    TimedOut(Duration),
    /// It was not tried.
    #[error("a run takes {run:?}, and valgrind is some fifty times slower: it is given {limit:?}")]
    TooSlow {
        /// CPU time of a run.
        run: Duration,
        /// What it is given at most.
        limit: Duration,
    },
    /// The stop flag was raised.
    #[error("interrupted")]
    Interrupted,
    /// The tool or the run failed.
    #[error("{what}: {message}")]
    Failed {
        /// What failed.
        what: &'static str,
        /// Its own words.
        message: String,
    },
}

impl Unavailable {
    pub(crate) fn failed(what: &'static str) -> impl FnOnce(std::io::Error) -> Unavailable {
        move |error| Unavailable::Failed {
            what,
            message: error.to_string(),
        }
    }
}

impl From<MeasureError> for Unavailable {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::Interrupted => Unavailable::Interrupted,
            other => Unavailable::Failed {
                what: "cannot count instructions",
                message: other.to_string(),
            },
        }
    }
}

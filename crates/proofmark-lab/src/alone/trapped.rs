//! Whether a run comes to a place of its image: a copy with a trap there does something else, or some
//! process of it is seen to be trapped.

use proofmark_measure::trace::{TraceLimits, Untraceable, trace};
use proofmark_measure::{End, Interrupt, MeasureError};

use super::bench::AloneBench;
use crate::LabError;

/// The images that are placed: the first as it is, the second with traps in it.
const WHOLE: usize = 0;
const TRAPPED: usize = 1;

impl AloneBench {
    /// Whether the program comes to one of the traps in the second of the images that are placed,
    /// the first being the same without them. What another process makes of its end does not
    /// matter: where the runs do the same, the trapped one is traced. None where it cannot be told:
    /// the program does something else each time, or cannot be traced.
    ///
    /// # Errors
    ///
    /// When a run cannot be started, or the user stops.
    pub(crate) fn comes_to_a_trap(&mut self, stop: &Interrupt) -> Result<Option<bool>, LabError> {
        let (one, other) = (self.outcome(WHOLE)?, self.outcome(WHOLE)?);
        let stopped = self.outcome(TRAPPED)?;
        let is_steady = self.alike(&one, &other)?;
        if is_steady && !self.alike(&one, &stopped)? {
            return Ok(Some(true));
        }
        let launch = self.launch_anew(TRAPPED)?;
        let limits = TraceLimits {
            time: launch.timeout,
            ..TraceLimits::default()
        };
        match trace(&launch, &limits, stop) {
            Ok(traced) if traced.traps > 0 => Ok(Some(true)),
            Ok(traced) if traced.end == End::TimedOut => Ok(None),
            Ok(_) => Ok(is_steady.then_some(false)),
            Err(Untraceable::Run(MeasureError::Interrupted)) => Err(LabError::Interrupted),
            Err(_) => Ok(None),
        }
    }
}

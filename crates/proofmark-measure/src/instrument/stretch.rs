//! One run with pauses in it: what slices do to a program's clock, without another program beside
//! it.

use std::time::Duration;

use super::turns::{FineTimer, Real};
use super::{Inner, InstrumentOptions};
use crate::schedule::{Machine, Turn};
use crate::{Launch, MeasureError, Outcome};

/// How a run is stretched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// It runs for so long between two pauses.
    pub slice: Duration,
    /// Its wall time becomes so many times what it would be; 1 and below is no pause at all.
    pub times: f64,
}

impl Stretch {
    /// How long a pause is.
    #[must_use]
    pub fn pause(&self) -> Duration {
        let share = (self.times - 1.0).max(0.0);
        // What is too long for a duration ends at the run's time limit anyhow.
        Duration::try_from_secs_f64(self.slice.as_secs_f64() * share).unwrap_or(Duration::MAX)
    }
}

pub(super) fn stretched(
    inner: &mut Inner,
    options: &InstrumentOptions,
    launch: &Launch,
    stretch: &Stretch,
) -> Result<Outcome, MeasureError> {
    if stretch.slice.is_zero() {
        return Err(MeasureError::BadTurns("a slice of no length".to_owned()));
    }
    let _slack = FineTimer::new();
    let arms = [launch.clone()];
    let mut machine = Real::new(inner, options, &arms);
    match in_turns(&mut machine, stretch) {
        Ok(()) => machine.land()?.pop().ok_or(MeasureError::LauncherLost),
        Err(error) => Err(machine.abandon(error)),
    }
}

fn in_turns(machine: &mut Real<'_>, stretch: &Stretch) -> Result<(), MeasureError> {
    while machine.turn(0, Some(stretch.slice))? == Turn::Held {
        machine.rest(stretch.pause())?;
    }
    Ok(())
}

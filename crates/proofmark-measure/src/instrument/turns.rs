//! Side by side: arms in slices, or whole runs in turn.

use std::time::{Duration, Instant};

use super::flight::{self, Flight, LOOK};
use super::{Inner, InstrumentOptions, MOST_ARMS};
use crate::cgroup::Group;
use crate::launcher::{Ended, Event};
use crate::schedule::{Machine, Turn, take_turns};
use crate::{Launch, MeasureError, Outcome, strays};

/// How the arms of a round share the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turns {
    /// All at once on one core, a slice at a time, in an order that is redrawn each time round. CPU
    /// time and counts are clean of the pauses; wall time is not, nor is any clock that the program
    /// reads.
    Sliced {
        /// The slice of each arm; see [`crate::proportional_slices`].
        slices: Vec<Duration>,
        /// Where the orders are drawn from.
        order_seed: u64,
    },
    /// One after the other.
    Interleaved {
        /// A permutation of the arms.
        order: Vec<usize>,
    },
}

impl Turns {
    pub(super) fn check(&self, arms: usize) -> Result<(), MeasureError> {
        let bad = |what: String| Err(MeasureError::BadTurns(what));
        if arms > MOST_ARMS {
            return bad(format!(
                "{arms} arms, and at most {MOST_ARMS} run side by side"
            ));
        }
        match self {
            Turns::Sliced { slices, .. } if slices.len() != arms => {
                bad(format!("{} slices for {arms} arms", slices.len()))
            }
            Turns::Sliced { slices, .. } if slices.iter().any(Duration::is_zero) => {
                bad("a slice of no length".to_owned())
            }
            Turns::Sliced { .. } => Ok(()),
            Turns::Interleaved { order } => {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                if sorted.into_iter().eq(0..arms) {
                    Ok(())
                } else {
                    bad(format!("{order:?} is no order of {arms} arms"))
                }
            }
        }
    }
}

pub(super) fn interleaved(
    inner: &mut Inner,
    options: &InstrumentOptions,
    arms: &[Launch],
    order: &[usize],
) -> Result<Vec<Outcome>, MeasureError> {
    let mut outcomes: Vec<Option<Outcome>> = vec![None; arms.len()];
    for &arm in order {
        outcomes[arm] = Some(flight::run(inner, options, &arms[arm])?);
    }
    Ok(outcomes.into_iter().flatten().collect())
}

pub(super) fn sliced(
    inner: &mut Inner,
    options: &InstrumentOptions,
    arms: &[Launch],
    slices: &[Duration],
    order_seed: u64,
) -> Result<Vec<Outcome>, MeasureError> {
    if arms
        .iter()
        .any(|arm| arm.core.is_none() || arm.core != arms[0].core)
    {
        return Err(MeasureError::BadTurns(
            "arms that take slices must be kept on one and the same core".to_owned(),
        ));
    }
    let slack = FineTimer::new();
    let mut machine = Real::new(inner, options, arms);
    let turns = take_turns(slices, order_seed, &mut machine);
    let result = match turns {
        Ok(()) => machine.land(),
        Err(error) => Err(machine.abandon(error)),
    };
    drop(slack);
    result
}

/// The real machine: processes that are held and released.
pub(super) struct Real<'a> {
    inner: &'a mut Inner,
    options: &'a InstrumentOptions,
    arms: &'a [Launch],
    states: Vec<State<'a>>,
    /// When the stop flag and the outputs were last looked at. Not of one turn: turns are shorter
    /// than the time between looks.
    last_look: Instant,
}

enum State<'a> {
    /// Not started: its first turn starts it, so that nothing has to be held before exec.
    Waiting,
    Alive(Box<Alive<'a>>),
    Ended(Box<(Flight<'a>, Ended, bool)>),
    /// Only while a state is being changed.
    Taken,
}

struct Alive<'a> {
    flight: Flight<'a>,
    /// Time in its own turns.
    ran: Duration,
    timed_out: bool,
    held: bool,
}

impl Machine for Real<'_> {
    type Error = MeasureError;

    fn turn(&mut self, arm: usize, slice: Option<Duration>) -> Result<Turn, MeasureError> {
        self.take_early();
        match &mut self.states[arm] {
            State::Waiting => {
                let flight = flight::take_off(self.inner, self.options, &self.arms[arm], arm)?;
                self.states[arm] = State::Alive(Box::new(Alive {
                    flight,
                    ran: Duration::ZERO,
                    timed_out: false,
                    held: false,
                }));
            }
            State::Alive(alive) if alive.held => {
                alive.held = false;
                let pid = alive.flight.pid;
                self.hold(arm, pid, false)?;
            }
            State::Alive(_) => {}
            State::Ended(_) | State::Taken => return Ok(Turn::Ended),
        }
        self.let_run(arm, slice)
    }
}

impl<'a> Real<'a> {
    pub(super) fn new(
        inner: &'a mut Inner,
        options: &'a InstrumentOptions,
        arms: &'a [Launch],
    ) -> Real<'a> {
        Real {
            inner,
            options,
            arms,
            states: arms.iter().map(|_| State::Waiting).collect(),
            last_look: Instant::now(),
        }
    }

    /// Nobody runs for so long.
    pub(super) fn rest(&mut self, pause: Duration) -> Result<(), MeasureError> {
        let start = Instant::now();
        loop {
            let left = pause.saturating_sub(start.elapsed()).min(LOOK);
            if left.is_zero() {
                return Ok(());
            }
            match self.inner.launcher.next(Some(left))? {
                Some(Event::Ended { slot, ended }) => self.ended(slot, ended),
                Some(_) => return Err(self.inner.lost()),
                None => {}
            }
            self.look_now_and_then()?;
        }
    }

    /// Waits until the arm has ended, or its slice is over and it is held again.
    fn let_run(&mut self, arm: usize, slice: Option<Duration>) -> Result<Turn, MeasureError> {
        let start = Instant::now();
        let mut late = false;
        loop {
            let State::Alive(alive) = &mut self.states[arm] else {
                return Ok(Turn::Ended);
            };
            let gone = start.elapsed();
            let patience = self.arms[arm].timeout.saturating_sub(alive.ran + gone);
            if patience.is_zero() && !alive.timed_out {
                // As of a run by itself: it may have ended while nobody listened.
                alive.timed_out = late;
                late = true;
                if alive.timed_out {
                    self.inner.launcher.kill(arm)?;
                }
            }
            let left = if late || alive.timed_out {
                LOOK
            } else {
                slice
                    .map_or(LOOK, |slice| slice.saturating_sub(gone))
                    .min(LOOK)
                    .min(patience)
            };
            if left.is_zero() {
                alive.ran += gone;
                alive.held = true;
                let pid = alive.flight.pid;
                return self.hold(arm, pid, true).map(|()| Turn::Held);
            }
            match self.inner.launcher.next(Some(left))? {
                Some(Event::Ended { slot, ended }) => self.ended(slot, ended),
                Some(_) => return Err(self.inner.lost()),
                None => {}
            }
            self.look_now_and_then()?;
        }
    }

    fn look_now_and_then(&mut self) -> Result<(), MeasureError> {
        if self.last_look.elapsed() < LOOK {
            return Ok(());
        }
        self.last_look = Instant::now();
        if self.inner.groups.is_none() {
            strays::go_on(self.inner.launcher.pid(), &self.held());
        }
        self.look()
    }

    /// The process groups of the arms that wait for their turn.
    fn held(&self) -> Vec<i32> {
        let alive = self.states.iter().filter_map(|state| match state {
            State::Alive(alive) if alive.held => Some(alive.flight.pid),
            _ => None,
        });
        alive.collect()
    }

    /// Usually the arm whose turn it is; another one when it was on its way out as its slice ended,
    /// or was killed from outside.
    fn ended(&mut self, slot: usize, ended: Ended) {
        let Some(state) = self.states.get_mut(slot) else {
            return;
        };
        match std::mem::replace(state, State::Taken) {
            State::Alive(alive) => {
                let held = alive.held;
                *state = State::Ended(Box::new((alive.flight, ended, alive.timed_out)));
                if held {
                    self.release_group(slot);
                }
            }
            other => *state = other,
        }
    }

    fn take_early(&mut self) {
        for (slot, ended) in std::mem::take(&mut self.inner.early) {
            self.ended(slot, ended);
        }
    }

    /// A group that stayed held would hold the next process that is born in it, and the launcher
    /// with it.
    fn release_group(&mut self, slot: usize) {
        if let Some(groups) = &mut self.inner.groups
            && groups.of(slot).and_then(Group::release).is_err()
        {
            self.inner.broken = true;
        }
    }

    fn look(&self) -> Result<(), MeasureError> {
        for state in &self.states {
            if let State::Alive(alive) = state {
                alive.flight.look(self.options)?;
            }
        }
        Ok(())
    }

    fn hold(&mut self, arm: usize, pid: i32, hold: bool) -> Result<(), MeasureError> {
        let cannot = MeasureError::system(if hold {
            "cannot hold a process"
        } else {
            "cannot let a process go on"
        });
        let Some(groups) = &mut self.inner.groups else {
            let signal = if hold { libc::SIGSTOP } else { libc::SIGCONT };
            // SAFETY: the group that the child leads. It may have ended a moment ago; its number is
            // not given to another so soon.
            unsafe { libc::kill(-pid, signal) };
            return Ok(());
        };
        let group = groups
            .of(arm)
            .and_then(|group| if hold { group.hold() } else { group.release() });
        group.map_err(cannot)
    }

    pub(super) fn land(self) -> Result<Vec<Outcome>, MeasureError> {
        let mut outcomes = Vec::with_capacity(self.arms.len());
        for state in self.states {
            let State::Ended(ended) = state else {
                return Err(MeasureError::LauncherLost);
            };
            let (flight, ended, timed_out) = *ended;
            outcomes.push(flight.land(self.inner, ended, timed_out)?);
        }
        Ok(outcomes)
    }

    pub(super) fn abandon(mut self, error: MeasureError) -> MeasureError {
        self.take_early();
        let alive: Vec<usize> = (0..self.states.len())
            .filter(|&arm| matches!(self.states[arm], State::Alive(_)))
            .collect();
        let error = flight::end_all(self.inner, &alive, error);
        for arm in alive {
            self.release_group(arm);
        }
        error
    }
}

/// Slices end on time: the kernel may otherwise let a thread sleep 50 µs longer.
pub(super) struct FineTimer(Option<u64>);

impl FineTimer {
    pub(super) fn new() -> FineTimer {
        let before = rustix::thread::current_timer_slack().ok();
        let set = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        FineTimer(before.filter(|_| set.is_ok()))
    }
}

impl Drop for FineTimer {
    fn drop(&mut self) {
        if let Some(before) = self.0 {
            // Only a matter of tidiness.
            let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(before));
        }
    }
}

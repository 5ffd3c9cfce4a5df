//! One run from its start to its outcome.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use super::output::Outputs;
use super::{Inner, InstrumentOptions};
use crate::cgroup::{Group, Groups};
use crate::launcher::{Checked, Ended, Event, Files, Step};
use crate::{Accounted, End, Launch, MeasureError, Outcome, Short, input, program};

/// How often a waiting instrument looks at the stop flag and at the size of outputs. It does so on
/// another core.
pub(super) const LOOK: Duration = Duration::from_millis(100);

/// A run under way.
pub(super) struct Flight<'a> {
    pub(super) launch: &'a Launch,
    pub(super) slot: usize,
    pub(super) pid: i32,
    started: Instant,
    outputs: Outputs,
}

/// Runs one program in slot 0.
pub(super) fn run(
    inner: &mut Inner,
    options: &InstrumentOptions,
    launch: &Launch,
) -> Result<Outcome, MeasureError> {
    let flight = take_off(inner, options, launch, 0)?;
    match flight.wait(inner, options) {
        Ok(ended) => flight.land(inner, ended.0, ended.1),
        Err(error) => Err(end_all(inner, &[flight.slot], error)),
    }
}

/// Starts a program. When this returns, it runs.
pub(super) fn take_off<'a>(
    inner: &mut Inner,
    options: &InstrumentOptions,
    launch: &'a Launch,
    slot: usize,
) -> Result<Flight<'a>, MeasureError> {
    if options.stop.requested() {
        return Err(MeasureError::Interrupted);
    }
    let accounted = inner.groups.as_ref().is_some_and(Groups::account);
    let checked = Checked::new(launch, accounted)?;
    let outputs = inner.spare.pop().map_or_else(Outputs::new, Ok)?;
    let stdin = launch.stdin.as_deref().map(input::open).transpose()?;
    let group = match &mut inner.groups {
        None => None,
        Some(groups) => Some(
            groups
                .of(slot)
                .map_err(MeasureError::system("cannot make a cgroup"))?,
        ),
    };
    let files = Files {
        stdin: stdin.as_ref().unwrap_or(&inner.null).as_fd(),
        stdout: outputs.stdout.as_fd(),
        stderr: outputs.stderr.as_fd(),
    };
    inner
        .launcher
        .spawn(slot, &checked, &files, group.map(Group::entry))?;
    loop {
        match inner.launcher.next(None)? {
            Some(Event::Spawned { slot: this, pid }) if this == slot => {
                return Ok(Flight {
                    launch,
                    slot,
                    pid,
                    started: Instant::now(),
                    outputs,
                });
            }
            Some(Event::Failed {
                step: Step::Exec,
                errno: libc::E2BIG,
            }) => return Err(checked.too_long()),
            Some(Event::Failed { step, errno }) => return Err(refusal(launch, step, errno)),
            Some(Event::Ended { slot, ended }) => inner.early.push((slot, ended)),
            Some(Event::Spawned { .. }) => return Err(inner.lost()),
            None => {}
        }
    }
}

/// What to say of a process that could not become the program.
pub(crate) fn refusal(launch: &Launch, step: Step, errno: i32) -> MeasureError {
    let source = std::io::Error::from_raw_os_error(errno);
    match step {
        Step::Exec => match &launch.view {
            Some(view) => program::refusal(view.file(&launch.program), errno),
            None => program::refusal(&launch.program, errno),
        },
        Step::Folder => MeasureError::Folder {
            cwd: launch.cwd.clone(),
            source,
        },
        Step::Core => MeasureError::Core {
            core: launch.core.unwrap_or(0),
            source,
        },
        Step::Clone => MeasureError::system("cannot create a process")(source),
        Step::Group => MeasureError::system("cannot put a process into its cgroup")(source),
        Step::View => MeasureError::NoView {
            doing: "cannot enter a private view of files".to_owned(),
            source,
        },
        Step::Heap => MeasureError::Heap(source.to_string()),
        Step::Session | Step::Descriptors | Step::Message => {
            MeasureError::system("cannot prepare a process")(source)
        }
    }
}

impl Flight<'_> {
    /// Waits for the end; the end, and whether the run took longer than it may.
    ///
    /// Who stops this process (Ctrl-Z) stops no run: when it goes on, the time may be over although
    /// the run ended long before. So it listens once more before it ends the run, and goes by the
    /// time that the launcher took.
    fn wait(
        &self,
        inner: &mut Inner,
        options: &InstrumentOptions,
    ) -> Result<(Ended, bool), MeasureError> {
        let limit = self.launch.timeout;
        let (mut late, mut killed) = (false, false);
        loop {
            let left = limit.saturating_sub(self.started.elapsed());
            if left.is_zero() && !killed {
                killed = late;
                late = true;
                if killed {
                    inner.launcher.kill(self.slot)?;
                }
            }
            let within = if late { LOOK } else { LOOK.min(left) };
            match inner.launcher.next(Some(within))? {
                Some(Event::Ended { ended, .. }) => {
                    let too_long = killed || ended.wall > limit;
                    return Ok((ended, too_long));
                }
                Some(Event::Spawned { .. } | Event::Failed { .. }) => return Err(inner.lost()),
                None => self.look(options)?,
            }
        }
    }

    /// The stop flag, and the size of the outputs.
    pub(super) fn look(&self, options: &InstrumentOptions) -> Result<(), MeasureError> {
        if options.stop.requested() {
            return Err(MeasureError::Interrupted);
        }
        if self.outputs.exceed(options.output_limit) {
            return Err(MeasureError::TooMuchOutput {
                program: self.launch.program.clone(),
                limit: options.output_limit,
            });
        }
        Ok(())
    }

    /// Everything that is known of a run that has ended.
    pub(super) fn land(
        self,
        inner: &mut Inner,
        ended: Ended,
        timed_out: bool,
    ) -> Result<Outcome, MeasureError> {
        let (stdout, stderr) = self.outputs.read(self.launch.image.as_deref())?;
        let group = inner
            .groups
            .as_mut()
            .and_then(|groups| groups.of(self.slot).ok());
        let of_the_tree = group.and_then(Group::cpu_since_last);
        // Nobody who might still write is left only when the launcher found nobody.
        if ended.children_left == 0 {
            inner.spare.extend(self.outputs.unused());
        }
        let end = if timed_out {
            End::TimedOut
        } else {
            end(ended.status)
        };
        if self.launch.tax.is_some() && ended.tax.is_none() && matches!(end, End::Exited(_)) {
            return Err(MeasureError::Untaxed {
                program: self.launch.program.clone(),
            });
        }
        Ok(Outcome {
            end,
            cpu: of_the_tree.unwrap_or(ended.cpu),
            accounted: match of_the_tree {
                Some(tree) if outside(tree, ended.cpu) => Accounted::Short(Short::LeftGroup),
                Some(_) => Accounted::Group,
                None => ended.accounted,
            },
            wall: ended.wall,
            tax: ended.tax,
            waits: ended.waits,
            peak: ended.peak,
            stdout,
            stderr,
            children_left: ended.children_left,
        })
    }
}

/// Whether a group accounts for clearly less than `wait4` does: what moved to another group is
/// charged there. The group's own account may lag behind by microseconds.
fn outside(group: Duration, waited: Duration) -> bool {
    group + group / 20 + Duration::from_millis(2) < waited
}

fn end(status: i32) -> End {
    if libc::WIFSIGNALED(status) {
        End::Signalled(libc::WTERMSIG(status))
    } else {
        End::Exited(libc::WEXITSTATUS(status))
    }
}

/// Ends the runs of these slots and waits until they are gone; gives `error` back, for it is what
/// the caller wants to know.
pub(super) fn end_all(inner: &mut Inner, slots: &[usize], error: MeasureError) -> MeasureError {
    let mut waiting = slots.len();
    for &slot in slots {
        if inner.launcher.kill(slot).is_err() {
            inner.broken = true;
            return error;
        }
    }
    // A process that even SIGKILL does not end (it waits for a broken disk) is given up after ten
    // seconds, together with its launcher.
    let patience = Instant::now();
    while waiting > 0 && patience.elapsed() < Duration::from_secs(10) {
        match inner.launcher.next(Some(LOOK)) {
            Ok(Some(Event::Ended { .. })) => waiting -= 1,
            Ok(_) => {}
            Err(_) => break,
        }
    }
    inner.broken |= waiting > 0;
    error
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::super::Instrument;
    use super::*;

    #[test]
    fn a_run_that_ended_while_nobody_listened_did_not_take_too_long() {
        let instrument = Instrument::new(InstrumentOptions::default()).unwrap();
        let mut inner = instrument.ready().unwrap();
        let launch = Launch::new("/bin/true", Duration::from_secs(60));
        let mut flight = take_off(&mut inner, &instrument.options, &launch, 0).unwrap();
        let process = PathBuf::from(format!("/proc/{}", flight.pid));
        while process.exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // As if this process had been stopped for an hour.
        let hour = Duration::from_secs(3600);
        flight.started = flight.started.checked_sub(hour).unwrap();
        let (_, too_long) = flight.wait(&mut inner, &instrument.options).unwrap();
        assert!(!too_long);
    }
}

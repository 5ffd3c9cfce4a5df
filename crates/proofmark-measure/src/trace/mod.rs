//! One traced run of a program: what it asks of the system, so that the way to measure it can be
//! chosen and its inputs are known.
//!
//! By ptrace, for a child of one's own and without root. A seccomp filter has the kernel stop the
//! program only at the calls that tell something. Not seen: clocks read without a system call,
//! the program's own name, and what goes through `io_uring` (which is counted). So a trace raises
//! suspicions, and a test decides.

mod about;
mod asked;
mod build;
mod calls;
mod cost;
mod entry;
mod facts;
mod filter;
mod follow;
mod found;
mod memory;
mod outliving;
mod ptrace;
mod start;
mod tells;
mod untraceable;

use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::process::{Signal, pidfd_send_signal};

use crate::instrument::Outputs;
use crate::launcher::Checked;
use crate::{End, Interrupt, Launch, MeasureError, Stretch, input, look_at};
pub use about::About;
pub use asked::{Asked, trace_calls};
pub use build::trace_build;
pub use cost::least_call_ns;
pub use entry::Entry;
use facts::Facts;
use follow::Followed;
pub use found::{
    Before, BuildFiles, Change, Cores, Family, FileRead, FileState, FileWritten, OnChange, Queue,
    Reaping, Sleeps, Spans, Traced, WaitKind, is_for_temporary_files,
};
pub use outliving::Outliving;
use start::{Manners, Streams};
pub use untraceable::Untraceable;

/// How far a traced run may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceLimits {
    /// The run is ended after so long; what was found until then is kept, with [`End::TimedOut`].
    pub time: Duration,
    /// The most entries in each list of files. What is beyond is counted.
    pub entries: usize,
    /// The most that the run may write to each of its outputs, in bytes.
    pub output: u64,
}

impl Default for TraceLimits {
    fn default() -> Self {
        TraceLimits {
            time: Duration::from_secs(10),
            entries: 20_000,
            output: 256 << 20,
        }
    }
}

/// How often the limits are looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Why a run was ended from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    TooLong,
    TooMuchOutput,
    Interrupted,
}

/// Runs a program once under a tracer, with everything that it starts. Its tax is not levied; the
/// shorter of its timeout and `limits.time` holds. Processes that it leaves behind are ended.
///
/// # Errors
///
/// When the program cannot be started, when tracing is not possible here or would change what the
/// program does, and when `stop` is raised. A program that ran and failed is a [`Traced`]: hold its
/// end and its output against a run that was not traced before anything is concluded.
pub fn trace(
    launch: &Launch,
    limits: &TraceLimits,
    stop: &Interrupt,
) -> Result<Traced, Untraceable> {
    let traced = filtered(launch, limits, stop, Otherwise::Not, &filter::program());
    Launch::held_by([launch], traced).map(|(traced, _)| traced)
}

/// How time goes in a run that is hurried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Haste {
    /// Clocks go so many times as fast, and what ends after a time ends as much sooner.
    pub times: f64,
    /// But for what would last longer than this: an undisturbed run does not come to its end.
    pub longest: Duration,
}

/// As [`trace`], with clocks that go faster, of real time and of CPU time, and timers, sleeps and
/// limits of locks that are over sooner: whoever works until one says so does less. Clocks are read
/// by calls, which takes longer; those that the processor has go as ever, and so do timers that
/// repeat and other waits.
///
/// # Errors
///
/// As [`trace`].
pub fn trace_hurried(
    launch: &Launch,
    limits: &TraceLimits,
    stop: &Interrupt,
    haste: Haste,
) -> Result<Traced, Untraceable> {
    let otherwise = Otherwise::Hurried(haste);
    let traced = filtered(launch, limits, stop, otherwise, &filter::with_clocks());
    Launch::held_by([launch], traced).map(|(traced, _)| traced)
}

/// As [`trace`], with pauses in the run: what a program does by the clock, it does more often.
/// Pauses are signals to its process group, which interrupt system calls that sleep.
///
/// # Errors
///
/// As [`trace`].
pub fn trace_stretched(
    launch: &Launch,
    limits: &TraceLimits,
    stop: &Interrupt,
    stretch: &Stretch,
) -> Result<Traced, Untraceable> {
    let otherwise = Otherwise::Stretched(stretch);
    let traced = filtered(launch, limits, stop, otherwise, &filter::program());
    Launch::held_by([launch], traced).map(|(traced, _)| traced)
}

/// What a traced run meets that others do not.
#[derive(Clone, Copy)]
enum Otherwise<'a> {
    /// Nothing.
    Not,
    /// Pauses.
    Stretched(&'a Stretch),
    /// Clocks that go faster.
    Hurried(Haste),
}

/// With this filter. Where the kernel does not take it, the program stops at every call, and only
/// then its calls are counted.
fn filtered(
    launch: &Launch,
    limits: &TraceLimits,
    stop: &Interrupt,
    otherwise: Otherwise<'_>,
    filter: &[libc::sock_filter],
) -> Result<(Traced, Asked), Untraceable> {
    let (stretch, hurry) = match otherwise {
        Otherwise::Not => (None, None),
        Otherwise::Stretched(stretch) => (Some(stretch), None),
        Otherwise::Hurried(haste) => (None, Some(haste)),
    };
    possible(launch)?;
    let checked = Checked::new(launch, true)?;
    let outputs = Outputs::new()?;
    let stdin = match &launch.stdin {
        Some(path) => input::open(path)?,
        None => File::open("/dev/null").map_err(MeasureError::system("cannot open /dev/null"))?,
    };
    let streams = Streams {
        stdin: &stdin,
        stdout: &outputs.stdout,
        stderr: &outputs.stderr,
    };
    let began = Instant::now();
    let until = began + limits.time.min(launch.timeout);
    // The kernel knows one thread as the tracer, which waits for the program and nothing else.
    let (followed, ended) = std::thread::scope(|scope| {
        let (tell, told) = mpsc::channel();
        let tracer = scope.spawn(|| {
            let tell = tell;
            let (started, process) =
                start::start(launch, &checked, &streams, Manners::Apart, filter)?;
            // Somebody listens until this thread is done.
            let _ = tell.send((started.pid, process));
            let facts = Facts::new(limits.entries);
            let facts = facts.begun_in(&launch.cwd).hurried(hurry);
            follow::follow(&started, launch, facts, Duration::ZERO)
        });
        let ended = watch(&told, stretch, || {
            if stop.requested() {
                Some(Ended::Interrupted)
            } else if outputs.exceed(limits.output) {
                Some(Ended::TooMuchOutput)
            } else {
                (Instant::now() >= until).then_some(Ended::TooLong)
            }
        });
        (tracer.join(), ended)
    });
    let followed =
        followed.map_err(|_| Untraceable::Failed("the tracer panicked".to_owned()))??;
    conclude(launch, limits, followed, ended, &outputs)
}

/// What can be told without running it.
fn possible(launch: &Launch) -> Result<(), Untraceable> {
    let program = match &launch.view {
        Some(view) => view.file(&launch.program),
        None => &launch.program,
    };
    if look_at(program)?.set_id || has_capabilities(program) {
        return Err(Untraceable::Privileged {
            program: launch.program.clone(),
        });
    }
    Ok(())
}

/// Whether the file gives its process rights that the user does not have.
fn has_capabilities(program: &Path) -> bool {
    let mut room = [0_u8; 64];
    rustix::fs::getxattr(program, "security.capability", &mut room).is_ok()
}

/// A program on its way, as whoever watches it needs it.
type Watched = (i32, OwnedFd);

/// Ends the program when `over` says so, holds it as `stretch` says, and waits until its tracer is
/// done.
fn watch(
    told: &Receiver<Watched>,
    stretch: Option<&Stretch>,
    mut over: impl FnMut() -> Option<Ended>,
) -> Option<Ended> {
    let (pid, process) = told.recv().ok()?;
    let mut ended = None;
    let mut turns = stretch.map(|stretch| Turns::new(pid, stretch));
    loop {
        let left = turns.as_ref().map_or(LOOK, |turns| turns.left().min(LOOK));
        if let Err(RecvTimeoutError::Disconnected) = told.recv_timeout(left) {
            return ended;
        }
        ended = ended.or_else(&mut over);
        if ended.is_some() {
            turns = None;
            // It may have ended a moment ago.
            let _ = pidfd_send_signal(&process, Signal::KILL);
        } else if let Some(turns) = &mut turns {
            turns.take();
        }
    }
}

/// A process group that runs and is held in turn. Whoever holds it may be late, on a busy machine:
/// a pause is as long as the turn before it asks for, so that the run is stretched as much as said.
struct Turns<'a> {
    group: i32,
    stretch: &'a Stretch,
    held: bool,
    since: Instant,
    /// How long this turn or pause is.
    length: Duration,
}

/// A turn counts for so many slices at most: a machine that did nothing for a while is not made up
/// for.
const LATEST: u32 = 16;

impl<'a> Turns<'a> {
    fn new(group: i32, stretch: &'a Stretch) -> Turns<'a> {
        Turns {
            group,
            stretch,
            held: false,
            since: Instant::now(),
            length: stretch.slice,
        }
    }

    /// What is left of this turn or pause.
    fn left(&self) -> Duration {
        self.length.saturating_sub(self.since.elapsed())
    }

    /// Changes over when it is time.
    fn take(&mut self) {
        if self.left().is_zero() {
            let slice = self.stretch.slice;
            self.length = if self.held {
                slice
            } else {
                let slice = self
                    .since
                    .elapsed()
                    .clamp(slice, slice.saturating_mul(LATEST));
                Stretch {
                    slice,
                    ..*self.stretch
                }
                .pause()
            };
            self.held = !self.held;
            self.since = Instant::now();
            let signal = if self.held {
                libc::SIGSTOP
            } else {
                libc::SIGCONT
            };
            // SAFETY: the group that the program leads, which is alive, or was a moment ago.
            unsafe { libc::kill(-self.group, signal) };
        }
    }
}

fn conclude(
    launch: &Launch,
    limits: &TraceLimits,
    mut followed: Followed,
    ended: Option<Ended>,
    outputs: &Outputs,
) -> Result<(Traced, Asked), Untraceable> {
    let by_itself = if libc::WIFSIGNALED(followed.status) {
        End::Signalled(libc::WTERMSIG(followed.status))
    } else {
        End::Exited(libc::WEXITSTATUS(followed.status))
    };
    let end = match ended.filter(|_| by_itself == End::Signalled(libc::SIGKILL)) {
        None => by_itself,
        Some(Ended::TooLong) => End::TimedOut,
        Some(Ended::Interrupted) => return Err(MeasureError::Interrupted.into()),
        Some(Ended::TooMuchOutput) => {
            return Err(Untraceable::Run(MeasureError::TooMuchOutput {
                program: launch.program.clone(),
                limit: limits.output,
            }));
        }
    };
    let (stdout, stderr) = outputs.read(launch.image.as_deref())?;
    let asked = std::mem::take(&mut followed.facts.asked);
    let traced = Traced {
        end,
        stdout,
        stderr,
        ..followed.facts.traced()
    };
    Ok((traced, asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(filter: &[libc::sock_filter]) -> Traced {
        let mut launch = Launch::new("/bin/sh", Duration::from_secs(60));
        launch.args = vec!["-c".into(), "cat /etc/passwd; ls / | wc -l; exit 3".into()];
        launch.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
        launch.cwd = "/".into();
        filtered(
            &launch,
            &TraceLimits::default(),
            &Interrupt::new(),
            Otherwise::Not,
            filter,
        )
        .unwrap()
        .0
    }

    #[test]
    fn without_a_filter_the_same_is_seen() {
        let (mut with, without) = (by(&filter::program()), by(&[]));
        assert_eq!(with.end, End::Exited(3));
        assert_eq!(with.family.processes, 3);
        assert!(with.read[Path::new("/etc/passwd")].found);
        // How many are alive at a time is a matter of who is quicker.
        with.family.most_at_once = without.family.most_at_once;
        with.queue = without.queue;
        assert_eq!(with, without);
    }
}

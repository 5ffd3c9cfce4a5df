//! The instrument's side of the launcher: start it, ask it for processes, hear how they ended.

mod burner;
mod child;
mod clock;
mod heap;
mod kernel;
mod left_behind;
mod listener;
mod memory;
mod message;
mod process;
mod request;
mod settle;
mod slot;
mod vdso;
mod watched;
mod wire;

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};

use crate::cgroup::{Entry, Groups};
use crate::{Accounted, MeasureError, Peak};
pub(crate) use request::Checked;
use wire::{Area, Command, Report};
pub(crate) use wire::{SLOTS, Step};

/// What the launcher has to say.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    /// The process of this slot is the program now.
    Spawned { slot: usize, pid: i32 },
    /// The process asked for last could not become the program.
    Failed { step: Step, errno: i32 },
    /// It has ended and left nothing behind (any more).
    Ended { slot: usize, ended: Ended },
}

/// As the launcher tells it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) status: i32,
    pub(crate) children_left: u32,
    pub(crate) cpu: Duration,
    pub(crate) peak: Peak,
    pub(crate) waits: u64,
    pub(crate) wall: Duration,
    /// CPU time of the tax, where one was asked for and spent to the end; part of `cpu`.
    pub(crate) tax: Option<Duration>,
    /// Who tells `cpu` where no group does.
    pub(crate) accounted: Accounted,
}

/// A running launcher.
pub(crate) struct Launcher {
    pid: libc::pid_t,
    socket: Option<OwnedFd>,
    area: SharedArea,
}

/// What the kernel's count of the launcher may be off by while a program is started: it counts
/// pages by batches of 32 (`include/linux/percpu_counter.h`).
const FLOOR_SLACK_KIB: u64 = 128;

/// Descriptors for a process; they are copied, the caller keeps its own.
pub(crate) struct Files<'a> {
    pub(crate) stdin: BorrowedFd<'a>,
    pub(crate) stdout: BorrowedFd<'a>,
    pub(crate) stderr: BorrowedFd<'a>,
}

impl Launcher {
    /// Its process, from which all runs descend.
    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    /// Forks the launcher. `groups` are removed by it if this process dies.
    pub(crate) fn start(groups: Option<&Groups>) -> Result<Launcher, MeasureError> {
        let system = || MeasureError::system("cannot start the launcher process");
        let area = SharedArea::new().map_err(system())?;
        let (ours, theirs) = rustix::net::socketpair(
            rustix::net::AddressFamily::UNIX,
            rustix::net::SocketType::SEQPACKET,
            rustix::net::SocketFlags::CLOEXEC,
            None,
        )
        .map_err(|errno| system()(errno.into()))?;
        if let Some(groups) = groups {
            area.write_group_name(groups.name());
        }
        let inherited = settle::Inherited {
            area: area.0,
            socket: theirs.as_raw_fd(),
            groups: groups.map_or(-1, Groups::folder),
            groups_parent: groups.map_or(-1, Groups::parent),
        };
        // SAFETY: the child only calls what is safe after a fork of a process with threads (see
        // `process`), and never returns.
        let pid = unsafe { libc::fork() };
        match pid {
            ..0 => Err(system()(io::Error::last_os_error())),
            0 => process::live(&inherited),
            _ => {
                drop(theirs);
                let mut launcher = Launcher {
                    pid,
                    socket: Some(ours),
                    area,
                };
                launcher
                    .next(Some(Duration::from_secs(10)))?
                    .ok_or(MeasureError::LauncherLost)?;
                Ok(launcher)
            }
        }
    }

    /// Ends the launcher at once; the kernel ends its children with it (PR_SET_PDEATHSIG). For when
    /// it no longer answers as it should.
    pub(crate) fn destroy(self) {
        // SAFETY: our own child, which is reaped when this is dropped.
        unsafe { libc::kill(self.pid, libc::SIGKILL) };
    }

    /// Asks for a process. The answer is an event; until it has come, nothing else may be asked
    /// for.
    pub(crate) fn spawn(
        &mut self,
        slot: usize,
        what: &Checked,
        files: &Files<'_>,
        group: Option<(Entry, RawFd)>,
    ) -> Result<(), MeasureError> {
        // SAFETY: the area is ours, and the launcher only reads it between a command and its
        // answer.
        unsafe { what.write(self.area.0, group.map_or(Entry::None, |group| group.0))? };
        let mut descriptors = vec![
            files.stdin.as_raw_fd(),
            files.stdout.as_raw_fd(),
            files.stderr.as_raw_fd(),
        ];
        descriptors.extend(group.map(|group| group.1));
        descriptors.extend(what.view().into_iter().filter(|&fd| fd >= 0));
        self.command(Command::SPAWN, slot, &descriptors)
    }

    /// Ends the process of a slot and its descendants; an `Ended` follows. Nothing happens when it
    /// has ended already.
    pub(crate) fn kill(&mut self, slot: usize) -> Result<(), MeasureError> {
        self.command(Command::KILL, slot, &[])
    }

    fn command(&self, kind: u32, slot: usize, descriptors: &[RawFd]) -> Result<(), MeasureError> {
        let slot = u32::try_from(slot).map_err(|_| MeasureError::LauncherLost)?;
        let socket = self.socket.as_ref().ok_or(MeasureError::LauncherLost)?;
        let sent = message::send(socket.as_raw_fd(), &Command { kind, slot }, descriptors);
        if sent {
            Ok(())
        } else {
            Err(MeasureError::LauncherLost)
        }
    }

    /// The next event, or none within the time. A signal may end the wait early.
    pub(crate) fn next(&mut self, within: Option<Duration>) -> Result<Option<Event>, MeasureError> {
        let socket = self.socket.as_ref().ok_or(MeasureError::LauncherLost)?;
        let timeout = within.map(|within| Timespec {
            tv_sec: i64::try_from(within.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: within.subsec_nanos().into(),
        });
        let mut watched = [PollFd::new(socket, PollFlags::IN)];
        match rustix::event::poll(&mut watched, timeout.as_ref()) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(errno) => {
                return Err(MeasureError::system("cannot wait for the launcher")(
                    errno.into(),
                ));
            }
        }
        let mut report = Report::default();
        // SAFETY: a plain structure of numbers, as long as said.
        let length = unsafe {
            libc::recv(
                socket.as_raw_fd(),
                std::ptr::from_mut(&mut report).cast(),
                size_of::<Report>(),
                0,
            )
        };
        if length != size_of::<Report>().cast_signed() {
            return Err(MeasureError::LauncherLost);
        }
        event(&report).map(Some)
    }
}

fn event(report: &Report) -> Result<Event, MeasureError> {
    let slot = report.slot as usize;
    match report.kind {
        Report::SPAWNED => Ok(Event::Spawned {
            slot,
            pid: report.number,
        }),
        Report::FAILED => {
            let step = Step::ALL
                .into_iter()
                .find(|step| step.number() == report.detail)
                .unwrap_or(Step::Message);
            Ok(Event::Failed {
                step,
                errno: report.number,
            })
        }
        Report::ENDED => {
            let ended = Ended {
                status: report.number,
                children_left: report.detail,
                cpu: Duration::from_micros(report.cpu_us),
                peak: peak(report),
                waits: report.waits,
                wall: Duration::from_nanos(report.wall_ns),
                accounted: report.accounted,
                tax: (report.taxed == 1).then(|| Duration::from_micros(report.tax_us)),
            };
            Ok(Event::Ended { slot, ended })
        }
        _ => Err(MeasureError::LauncherLost),
    }
}

fn peak(report: &Report) -> Peak {
    let bytes = report.peak_kib * 1024;
    if report.peak_short == 1 {
        Peak::AtLeast(bytes)
    } else if report.peak_kib > report.floor_kib + FLOOR_SLACK_KIB {
        Peak::Bytes(bytes)
    } else {
        Peak::AtMost(bytes)
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        // It ends, and ends whatever still runs, when it sees the socket closed.
        drop(self.socket.take());
        // SAFETY: our own child.
        unsafe { libc::waitpid(self.pid, std::ptr::null_mut(), 0) };
    }
}

/// Memory that this process and its launcher share.
struct SharedArea(*mut Area);

// SAFETY: the area is plain memory; who may write when is settled by the messages.
unsafe impl Send for SharedArea {}

impl SharedArea {
    fn new() -> io::Result<SharedArea> {
        // SAFETY: a fresh mapping; its zeros are a valid area but for the request, which is written
        // before it is read.
        let start = unsafe {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            libc::mmap(
                std::ptr::null_mut(),
                size_of::<Area>(),
                protection,
                libc::MAP_SHARED | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            Err(io::Error::last_os_error())
        } else {
            Ok(SharedArea(start.cast()))
        }
    }

    fn write_group_name(&self, name: &str) {
        // SAFETY: the launcher does not exist yet. What is not written stays zero.
        unsafe {
            let room = &mut (&mut (*self.0).group_name)[..63];
            let length = name.len().min(room.len());
            room[..length].copy_from_slice(&name.as_bytes()[..length]);
        }
    }
}

impl Drop for SharedArea {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this size, and not used after.
        unsafe { libc::munmap(self.0.cast(), size_of::<Area>()) };
    }
}

//! Facts gathered from one call after the other.

mod children;
mod clocks;
mod files;
mod queue;
mod time;

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use libc::{c_int, pid_t};

use super::asked::Asked;
use super::found::{BuildFiles, Cores, Family, OnChange, Queue, Reaping, Sleeps, Traced};
use super::outliving::Outliving;
use super::tells::{Keyed, Tells};
use super::{Haste, memory};
use crate::{End, Output};
use children::Child;
use clocks::{Clocks, Reading, Shortened};
use files::{Changing, Files, Opening};
use time::Timed;

/// Keyrings that go with their thread or process.
const KEYS_OF_THREAD: c_int = -1;
const KEYS_OF_PROCESS: c_int = -2;

/// Advice by which a mapped file leaves memory, or its bytes the file.
const TAKES_OUT: [c_int; 3] = [libc::MADV_COLD, libc::MADV_PAGEOUT, libc::MADV_REMOVE];

/// Who makes a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    pub(super) pid: pid_t,
    pub(super) process: pid_t,
}

/// A call that has begun and whose result is waited for.
#[derive(Clone, Debug)]
pub(super) enum Pending {
    /// A file is being opened.
    Opening(Opening),
    /// A path is being asked about.
    Looking(PathBuf),
    /// Paths are being changed.
    Changing(Changing),
    /// A child is being waited for.
    Child(Child),
    /// A timer is being made: of which clock, and where its number goes (`None`: it is the result).
    Timer { clock: c_int, number: Option<u64> },
    /// A clock is being read.
    Clock(Reading),
    /// A timer is being set to less than it asks for, or a sleep or a wait is as much shorter.
    Shortened(Shortened),
}

/// What is known so far.
pub(super) struct Facts {
    pub(super) family: Family,
    pub(super) reaping: Reaping,
    pub(super) queue: Queue,
    /// Calls, where the program stops at each.
    pub(super) asked: Asked,
    /// Signals that timers sent.
    pub(super) alarms: u64,
    /// Signals that traps in the code sent.
    pub(super) traps: u64,
    timed: Timed,
    files: Files,
    asked_cores: u64,
    set_cores: u64,
    clocks: Clocks,
    rings: u64,
    by_handle: u64,
    listens: bool,
    /// Whether the run may have made it.
    outliving: BTreeMap<Outliving, bool>,
    traces: bool,
    stops_counters: bool,
    elsewhere: bool,
}

/// An argument as the signed number that the kernel takes it for.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the kernel looks at the lower half only, whatever stands above"
)]
fn int(argument: u64) -> c_int {
    argument as u32 as c_int
}

impl Facts {
    /// Of a build: which files, by every name that they were called by, and when first.
    pub(super) fn of_build(writes: OnChange) -> Facts {
        let mut facts = Facts::new(usize::MAX);
        facts.files.writes = Some(writes);
        facts.files.first = Some(BTreeMap::new());
        facts
    }

    /// What was found of a build.
    pub(super) fn build(self, status: i32) -> BuildFiles {
        let files = self.files;
        BuildFiles {
            status: ExitStatus::from_raw(status),
            read: files.read,
            looked_at: files.looked_at,
            listed: files.listed,
            written: files.written,
            in_vain: files.in_vain,
            before: files.before,
            code: files.code,
            first: files.first.unwrap_or_default(),
            traces: self.traces,
            elsewhere: self.elsewhere || self.rings > 0,
        }
    }

    pub(super) fn new(entries: usize) -> Facts {
        Facts {
            family: Family::default(),
            reaping: Reaping::default(),
            queue: Queue::default(),
            asked: Asked::default(),
            alarms: 0,
            traps: 0,
            timed: Timed::default(),
            files: Files::new(entries),
            asked_cores: 0,
            set_cores: 0,
            clocks: Clocks::default(),
            rings: 0,
            by_handle: 0,
            listens: false,
            outliving: BTreeMap::new(),
            traces: false,
            stops_counters: false,
            elsewhere: false,
        }
    }

    /// Of a program that begins in this folder.
    pub(super) fn begun_in(mut self, folder: &Path) -> Facts {
        self.files.begins_in(folder);
        self
    }

    /// Clocks are to go faster.
    pub(super) fn hurried(self, haste: Option<Haste>) -> Facts {
        Facts {
            clocks: Clocks::hurried(haste),
            ..self
        }
    }

    /// A process has become a program.
    pub(super) fn became(&mut self, process: pid_t) {
        if self.clocks.are_hurried() {
            // Where it fails, clocks go as they do, and nothing is learnt.
            memory::hide_clocks(process);
        }
        self.files.became(process);
    }

    /// A file has left memory.
    fn forgotten(&mut self, file: Option<PathBuf>) {
        if let Some(file) = file {
            self.outliving(Outliving::Forgotten(file), true);
        }
    }

    /// A call begins; its result is asked for where it matters.
    pub(super) fn begin(
        &mut self,
        thread: Thread,
        tells: Tells,
        args: &[u64; 6],
    ) -> io::Result<Option<Pending>> {
        match tells {
            Tells::WaitChild
            | Tells::WaitId
            | Tells::SignalAction
            | Tells::Unshare
            | Tells::Clone
            | Tells::CloneHow => {
                let child = self.reaping.begin(thread, tells, args)?;
                return Ok(child.map(Pending::Child));
            }
            Tells::ReadClock
            | Tells::ReadTimeOfDay
            | Tells::ReadUsage
            | Tells::ReadTicks
            | Tells::ReadSeconds => {
                return Ok(self.clocks.begin(tells, args).map(Pending::Clock));
            }
            Tells::SetTimer
            | Tells::SetPosixTimer
            | Tells::SetTimerFile
            | Tells::Sleep
            | Tells::ClockSleep
            | Tells::Futex
                if self.clocks.are_hurried() =>
            {
                let asked = self.timed.asked(thread, tells, args);
                let shortened = asked.map(|asked| self.clocks.shorten(thread, asked));
                return Ok(shortened.transpose()?.flatten().map(Pending::Shortened));
            }
            Tells::AskCores => self.asked_cores += 1,
            Tells::SetCores => self.set_cores += 1,
            Tells::Ring => self.rings += 1,
            Tells::ByHandle => self.by_handle += 1,
            Tells::Filter => {
                let new = int(args[0]) == int(libc::SECCOMP_SET_MODE_FILTER.into());
                let listener = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
                self.listens |= new && args[1] & listener != 0;
            }
            Tells::ByKey(kind) => self.by_key(kind, args),
            Tells::OpenQueue => {
                if let Some(name) = memory::path(thread.pid, args[0])? {
                    self.outliving(Outliving::Queue(name), int(args[1]) & libc::O_CREAT != 0);
                }
            }
            Tells::AddKey => {
                // Those of a thread or a process go with it.
                if int(args[4]) != KEYS_OF_THREAD && int(args[4]) != KEYS_OF_PROCESS {
                    self.outliving(Outliving::Keys, true);
                }
            }
            Tells::Advise if int(args[3]) == libc::POSIX_FADV_DONTNEED => {
                self.forgotten(files::opened(thread.pid, int(args[0])));
            }
            Tells::AdviseMemory if TAKES_OUT.contains(&int(args[2])) => {
                self.forgotten(files::mapped_at(thread.pid, args[0]));
            }
            Tells::Trace => self.traces = true,
            Tells::OwnControl => {
                self.stops_counters |= int(args[0]) == libc::PR_TASK_PERF_EVENTS_DISABLE;
            }
            Tells::Elsewhere => self.elsewhere = true,
            Tells::Open(_)
            | Tells::OpenHow(_)
            | Tells::Creat(_)
            | Tells::Look(_)
            | Tells::LookCloser(_)
            | Tells::Bind
            | Tells::Connect
            | Tells::Changed(..)
            | Tells::Linked { .. }
            | Tells::Renamed { .. }
            | Tells::List
            | Tells::Map
            | Tells::About(_)
            | Tells::AboutOpen
            | Tells::Become(_) => return self.files.begin(thread, tells, args),
            _ => return self.timed.begin(thread, tells, args),
        }
        Ok(None)
    }

    /// A call has ended with this result.
    pub(super) fn end(&mut self, thread: Thread, pending: Pending, result: i64) -> io::Result<()> {
        match pending {
            Pending::Child(child) => self.reaping.end(thread, child, result)?,
            Pending::Timer { clock, number } => self.timed.made(thread, clock, number, result)?,
            Pending::Clock(reading) => self.clocks.end(thread, reading, result)?,
            Pending::Shortened(set) => self.clocks.shortened(thread, &set)?,
            Pending::Opening(_) | Pending::Looking(_) | Pending::Changing(_) => {
                self.files.end(pending, result);
            }
        }
        Ok(())
    }

    fn by_key(&mut self, kind: Keyed, args: &[u64; 6]) {
        let key = int(args[0]);
        let (what, flags) = match kind {
            Keyed::Memory => (Outliving::SharedMemory(key), args[2]),
            Keyed::Semaphores => (Outliving::Semaphores(key), args[2]),
            Keyed::Messages => (Outliving::Messages(key), args[1]),
        };
        if key != libc::IPC_PRIVATE {
            self.outliving(what, int(flags) & libc::IPC_CREAT != 0);
        }
    }

    fn outliving(&mut self, what: Outliving, may_make: bool) {
        *self.outliving.entry(what).or_default() |= may_make;
    }

    /// Everything that was found, but for the end and the outputs, which are others' to tell.
    pub(super) fn traced(self) -> Traced {
        let nothing = || Output {
            digest: blake3::hash(b""),
            length: 0,
            kept: Vec::new(),
        };
        let (timed, sleeps): (_, Sleeps) = self.timed.found();
        let files = self.files;
        let outliving = self.outliving.into_iter();
        Traced {
            end: End::TimedOut,
            stdout: nothing(),
            stderr: nothing(),
            family: self.family,
            reaping: self.reaping,
            queue: self.queue,
            alarms: self.alarms,
            traps: self.traps,
            timed,
            sleeps,
            cores: Cores {
                asked: self.asked_cores,
                set: self.set_cores,
                files: files.of_cores,
            },
            clocks: self.clocks.read,
            read: files.read,
            looked_at: files.looked_at,
            listed: files.listed,
            written: files.written,
            before: files.before,
            code: files.code,
            left_off: files.left_off,
            rings: self.rings,
            by_handle: self.by_handle,
            listens: self.listens,
            outliving: outliving
                .filter(|(each, made)| !made || each.is_there())
                .map(|(each, _)| each)
                .collect(),
            traces: self.traces,
            stops_counters: self.stops_counters,
            elsewhere: self.elsewhere,
        }
    }
}

/// Clocks of the timers that were made, by process and the timer's number.
type TimerClocks = HashMap<(pid_t, i64), c_int>;

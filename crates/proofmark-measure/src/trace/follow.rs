//! The tracer's loop: whoever stops is looked at and goes on, until nobody is left.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use libc::pid_t;

use super::facts::{Facts, Pending, Thread};
use super::filter::is_foreign;
use super::ptrace::{self, Call, Go, Why};
use super::start::{Report, Started};
use super::tells::Tells;
use super::{Untraceable, calls, memory};
use crate::Launch;
use crate::instrument::refusal;

/// A run that has been followed to its end.
pub(super) struct Followed {
    /// As `wait` tells it, of the first process.
    pub(super) status: i32,
    pub(super) facts: Facts,
}

/// A thread that is alive.
struct Task {
    process: pid_t,
    /// It is in a call whose result matters.
    pending: Option<Pending>,
    /// The call that it is in, where the program stops at each.
    number: Option<u64>,
}

struct Tracer<'a> {
    started: &'a Started,
    launch: &'a Launch,
    tasks: HashMap<pid_t, Task>,
    /// Processes and who made them.
    parents: HashMap<pid_t, pid_t>,
    facts: Facts,
    /// How threads go on: without a filter, to every call.
    go: Go,
    became_program: bool,
    /// The end of the first process.
    status: Option<i32>,
    /// How long others than the first process may go on when that has ended.
    patience: Duration,
    /// Whoever is still alive is being ended.
    ending: bool,
}

/// Follows a started program until it and everything that it started has ended.
pub(super) fn follow(
    started: &Started,
    launch: &Launch,
    facts: Facts,
    patience: Duration,
) -> Result<Followed, Untraceable> {
    let mut tracer = Tracer {
        started,
        launch,
        tasks: HashMap::new(),
        parents: HashMap::new(),
        facts,
        patience,
        go: Go::On,
        became_program: false,
        status: None,
        ending: false,
    };
    let result = tracer.run();
    if let Err(error) = result {
        tracer.end_everything();
        return Err(error);
    }
    match tracer.status {
        Some(status) => Ok(Followed {
            status,
            facts: tracer.facts,
        }),
        None => Err(Untraceable::Failed("its end was not seen".to_owned())),
    }
}

impl Tracer<'_> {
    fn run(&mut self) -> Result<(), Untraceable> {
        while let Some((pid, why)) = ptrace::wait(false).map_err(|error| failed(&error))? {
            self.hear(pid, why)?;
            if self.status.is_some() && !self.ending {
                self.hear_the_others()?;
                self.end_left_behind();
            }
        }
        Ok(())
    }

    /// Ends that happened before that of the first process may still wait to be heard, and the last
    /// helpers of a build may have something to write.
    fn hear_the_others(&mut self) -> Result<(), Untraceable> {
        const GLANCE: Duration = Duration::from_millis(1);
        let until = Instant::now() + self.patience;
        loop {
            while let Some((pid, why)) = ptrace::wait(true).map_err(|error| failed(&error))? {
                self.hear(pid, why)?;
            }
            if self.tasks.is_empty() || Instant::now() >= until {
                return Ok(());
            }
            std::thread::sleep(GLANCE);
        }
    }

    fn hear(&mut self, pid: pid_t, why: Why) -> Result<(), Untraceable> {
        if let Why::Gone(status) = why {
            return self.gone(pid, status);
        }
        self.know(pid);
        if self.ending {
            kill(self.process_of(pid));
        }
        match why {
            Why::Call => self.call(pid)?,
            Why::Exec => self.exec(pid)?,
            Why::Ending => self.facts.queue.add(pid),
            Why::Birth => {
                if let Some(born) = ptrace::message(pid) {
                    self.parents.insert(born, self.process_of(pid));
                    self.know(born);
                }
            }
            Why::Stopped => {
                ptrace::leave_stopped(pid);
                return Ok(());
            }
            Why::Signal(_) | Why::Nothing | Why::Gone(_) => {}
        }
        let signal = if let Why::Signal(signal) = why {
            self.facts.alarms += u64::from(ptrace::sent_by_timer(pid));
            self.facts.traps += u64::from(ptrace::sent_by_trap(pid));
            signal
        } else {
            0
        };
        let in_call = self
            .tasks
            .get(&pid)
            .is_some_and(|task| task.pending.is_some());
        ptrace::go(pid, if in_call { Go::ToCall } else { self.go }, signal);
        Ok(())
    }

    fn process_of(&self, pid: pid_t) -> pid_t {
        self.tasks.get(&pid).map_or(pid, |task| task.process)
    }

    /// Takes note of a thread that was not known yet; it may be heard of before its birth is.
    fn know(&mut self, pid: pid_t) {
        if self.tasks.contains_key(&pid) {
            return;
        }
        let process = process_of(pid).unwrap_or(pid);
        let task = Task {
            process,
            pending: None,
            number: None,
        };
        self.tasks.insert(pid, task);
        let family = &mut self.facts.family;
        if pid != process {
            family.threads += 1;
        } else if pid != self.started.pid {
            family.processes += 1;
        }
        family.most_at_once = family.most_at_once.max(self.tasks.len() as u64);
    }

    fn gone(&mut self, pid: pid_t, status: i32) -> Result<(), Untraceable> {
        self.tasks.remove(&pid);
        if pid == self.started.pid {
            if !self.became_program {
                return Err(self.never_began(status));
            }
            self.status = Some(status);
        }
        // A process that outlives the one that made it comes to somebody else.
        let made_by = self.parents.get(&pid);
        if !self.ending && made_by.is_some_and(|parent| !self.tasks.contains_key(parent)) {
            self.facts.reaping.orphans += 1;
        }
        Ok(())
    }

    /// It ended before it was the program.
    fn never_began(&self, status: i32) -> Untraceable {
        loop {
            match self.started.report() {
                Report::Failed(step, errno) => return refusal(self.launch, step, errno).into(),
                Report::Nothing => {
                    return Untraceable::Failed(format!(
                        "the process ended before it became the program (status {status:#x})"
                    ));
                }
                Report::Filtered | Report::Unfiltered => {}
            }
        }
    }

    fn exec(&mut self, pid: pid_t) -> Result<(), Untraceable> {
        if !self.became_program {
            self.became_program = true;
            if self.started.report() == Report::Unfiltered {
                self.go = Go::ToCall;
            }
        }
        // Whichever thread it was: it has the number of its process now, and is alone.
        self.tasks
            .retain(|&task, known| known.process != pid || task == pid);
        if let Some(task) = self.tasks.get_mut(&pid) {
            task.pending = None;
        }
        self.facts.became(pid);
        Ok(())
    }

    fn call(&mut self, pid: pid_t) -> Result<(), Untraceable> {
        let call = ptrace::call(pid).map_err(|_| Untraceable::OldKernel)?;
        let Some(task) = self.tasks.get_mut(&pid) else {
            return Ok(());
        };
        let thread = Thread {
            pid,
            process: task.process,
        };
        match call {
            // What the fork does on its way to the program is not the program's.
            Call::Before { .. } if !self.became_program => {}
            Call::Before { arch, number, .. } if is_foreign(arch, number) => {
                return Err(Untraceable::Foreign);
            }
            // With a filter the same call stops at the filter as well.
            Call::Before { filtered, .. } if !filtered && self.go == Go::On => {}
            Call::Before { number, args, .. } => {
                if self.go == Go::ToCall {
                    task.number = Some(number);
                    self.facts.asked.begin(number);
                }
                if let Some(tells) = calls::tells(number) {
                    if hides(pid, tells, &args).map_err(Untraceable::Memory)? {
                        return Err(Untraceable::Hidden);
                    }
                    let begun = self.facts.begin(thread, tells, &args);
                    task.pending = begun.map_err(Untraceable::Memory)?;
                }
            }
            Call::After(result) => {
                if let Some(number) = task.number.take() {
                    self.facts.asked.end(number, result);
                }
                if let Some(pending) = task.pending.take() {
                    let ended = self.facts.end(thread, pending, result);
                    ended.map_err(Untraceable::Memory)?;
                }
            }
            Call::None => {}
        }
        Ok(())
    }

    /// The program has ended; what it left running is ended too.
    fn end_left_behind(&mut self) {
        self.ending = true;
        let mut processes: Vec<pid_t> = self.tasks.values().map(|task| task.process).collect();
        processes.sort_unstable();
        processes.dedup();
        self.facts.family.left_behind = processes.len() as u64;
        for process in processes {
            kill(process);
        }
    }

    /// Tracing has failed: nobody may be left stopped.
    fn end_everything(&mut self) {
        self.ending = true;
        kill(self.started.pid);
        for task in self.tasks.values() {
            kill(task.process);
        }
        while let Ok(Some((pid, why))) = ptrace::wait(false) {
            if !matches!(why, Why::Gone(_)) {
                kill(pid);
                ptrace::go(pid, Go::On, 0);
            }
        }
    }
}

/// Whether a call makes a process that nobody may trace.
fn hides(pid: pid_t, tells: Tells, args: &[u64; 6]) -> std::io::Result<bool> {
    let flags = match tells {
        Tells::Clone => Some(args[0]),
        // `struct clone_args` begins with the flags.
        // SAFETY: a number.
        Tells::CloneHow => unsafe { memory::value::<u64>(pid, args[0])? },
        _ => None,
    };
    let untraced = u64::from(libc::CLONE_UNTRACED.cast_unsigned());
    Ok(flags.is_some_and(|flags| flags & untraced != 0))
}

fn failed(error: &std::io::Error) -> Untraceable {
    Untraceable::Failed(error.to_string())
}

fn kill(process: pid_t) {
    // SAFETY: a process that this thread traces, so that its number is nobody else's until it has
    // been waited for.
    unsafe { libc::kill(process, libc::SIGKILL) };
}

/// The process that a thread belongs to.
fn process_of(pid: pid_t) -> Option<pid_t> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Tgid:"))?;
    line.trim().parse().ok()
}

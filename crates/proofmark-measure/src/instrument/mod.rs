//! The instrument: what the rest of the project asks for runs.

mod flight;
mod output;
mod stretch;
mod turns;

use std::fs::File;
use std::os::fd::AsFd;
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use crate::cgroup::{self, Groups};
use crate::cores::OffCore;
use crate::launcher::{Checked, Ended, Event, Files, Launcher, SLOTS};
use crate::{Interrupt, Launch, MeasureError, Outcome};
pub(crate) use flight::refusal;
pub(crate) use output::Outputs;
pub use output::cost_of_output;
pub use stretch::Stretch;
pub use turns::Turns;

/// Whether groups of processes are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CgroupUse {
    /// Where they can be had.
    #[default]
    WhereAvailable,
    /// Never: processes are held by signals.
    Never,
}

/// How an instrument is made.
#[derive(Clone, Debug)]
pub struct InstrumentOptions {
    /// Ends whatever runs when it is raised.
    pub stop: Interrupt,
    /// Whether groups of processes are used.
    pub cgroup: CgroupUse,
    /// The most that a run may write to each of its outputs, in bytes: it is kept in memory until
    /// the run has ended.
    pub output_limit: u64,
}

impl Default for InstrumentOptions {
    fn default() -> Self {
        InstrumentOptions {
            stop: Interrupt::new(),
            cgroup: CgroupUse::default(),
            output_limit: 256 << 20,
        }
    }
}

/// What holds processes between their turns, and what accounts for trees of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// A cgroup v2 for each arm: held by its freezer, CPU time of the whole tree.
    CgroupV2,
    /// A cgroup v1 for each arm: held by its freezer, CPU time of the program and the children it
    /// waited for.
    CgroupV1 {
        /// Why v2 could not be had.
        why: String,
    },
    /// SIGSTOP and SIGCONT to the process group. They interrupt system calls that sleep (EINTR).
    Signals {
        /// Why no cgroup could be had.
        why: String,
    },
}

/// Runs programs, one by one or side by side. One measurement at a time: calls from several threads
/// wait for each other.
pub struct Instrument {
    inner: Mutex<Inner>,
    options: InstrumentOptions,
    grouping: Grouping,
}

struct Inner {
    // Before the groups: dropping it ends what is still in them.
    launcher: Launcher,
    groups: Option<Groups>,
    null: File,
    /// Emptied outputs of earlier runs.
    spare: Vec<Outputs>,
    /// Ends that arrived while something else was awaited, by slot.
    early: Vec<(usize, Ended)>,
    /// The launcher did not answer as it should: start another before the next run.
    broken: bool,
}

impl Instrument {
    /// An instrument of its own, with its launcher process. Where cgroups cannot be had,
    /// [`Instrument::grouping`] says why.
    ///
    /// # Errors
    /// When the launcher cannot be started, or the flag is raised already.
    pub fn new(options: InstrumentOptions) -> Result<Instrument, MeasureError> {
        let null =
            File::open("/dev/null").map_err(MeasureError::system("cannot open /dev/null"))?;
        let mut reasons = Vec::new();
        let places = match options.cgroup {
            CgroupUse::Never => {
                reasons.push("not wanted".to_owned());
                Vec::new()
            }
            CgroupUse::WhereAvailable => {
                let read = |path| std::fs::read_to_string(path).unwrap_or_default();
                cgroup::places(&read("/proc/self/mounts"), &read("/proc/self/cgroup"))
            }
        };
        for place in places {
            match Inner::with_groups(&place, &null) {
                Ok(inner) => {
                    let why = reasons.join("; ");
                    let grouping = match place.version {
                        cgroup::Version::V2 => Grouping::CgroupV2,
                        cgroup::Version::V1 => Grouping::CgroupV1 { why },
                    };
                    return Ok(Instrument {
                        inner: Mutex::new(inner),
                        options,
                        grouping,
                    });
                }
                Err(reason) => reasons.push(format!("{}: {reason}", place.path.display())),
            }
        }
        if reasons.is_empty() {
            reasons.push("no cgroup file system with a freezer is mounted".to_owned());
        }
        let inner = Inner::new(Launcher::start(None)?, None, null);
        Ok(Instrument {
            inner: Mutex::new(inner),
            options,
            grouping: Grouping::Signals {
                why: reasons.join("; "),
            },
        })
    }

    /// What holds processes, and why nothing better.
    #[must_use]
    pub fn grouping(&self) -> &Grouping {
        &self.grouping
    }

    /// Runs one program to its end, timeout, or the stop flag.
    ///
    /// # Errors
    /// When it cannot be started, writes too much, or the flag is raised; see [`MeasureError`]. A
    /// program that fails is an [`Outcome`].
    pub fn run(&self, launch: &Launch) -> Result<Outcome, MeasureError> {
        let mut inner = self.ready()?;
        let _off = OffCore::new(launch.core);
        let outcome = flight::run(&mut inner, &self.options, launch);
        Launch::held_by([launch], outcome)
    }

    /// Runs one program by itself with pauses, so that its wall time is about so many times what it
    /// would be. Its CPU time is clean of the pauses.
    ///
    /// # Errors
    /// As [`Instrument::run`].
    pub fn stretched(&self, launch: &Launch, stretch: &Stretch) -> Result<Outcome, MeasureError> {
        let mut inner = self.ready()?;
        let _off = OffCore::new(launch.core);
        let outcome = stretch::stretched(&mut inner, &self.options, launch, stretch);
        Launch::held_by([launch], outcome)
    }

    /// Runs every arm once, side by side as `turns` says; outcomes in the order of `arms`.
    ///
    /// # Errors
    /// As [`Instrument::run`], and when the turns do not fit the arms. Whatever still ran has been
    /// ended.
    pub fn round(&self, arms: &[Launch], turns: &Turns) -> Result<Vec<Outcome>, MeasureError> {
        turns.check(arms.len())?;
        let mut inner = self.ready()?;
        let _off = OffCore::new(arms.first().and_then(|arm| arm.core));
        let outcomes = match turns {
            Turns::Sliced { slices, order_seed } => {
                turns::sliced(&mut inner, &self.options, arms, slices, *order_seed)
            }
            Turns::Interleaved { order } => {
                turns::interleaved(&mut inner, &self.options, arms, order)
            }
        };
        Launch::held_by(arms, outcomes)
    }

    fn ready(&self) -> Result<MutexGuard<'_, Inner>, MeasureError> {
        let mut inner = match self.inner.lock() {
            Ok(inner) => inner,
            Err(poisoned) => {
                // Another thread panicked while something ran.
                let mut inner = poisoned.into_inner();
                inner.broken = true;
                inner
            }
        };
        if inner.broken {
            let fresh = Launcher::start(inner.groups.as_ref())?;
            std::mem::replace(&mut inner.launcher, fresh).destroy();
            inner.early.clear();
            inner.broken = false;
            self.inner.clear_poison();
        }
        Ok(inner)
    }
}

impl Inner {
    fn new(launcher: Launcher, groups: Option<Groups>, null: File) -> Inner {
        Inner {
            launcher,
            groups,
            null,
            spare: Vec::new(),
            early: Vec::new(),
            broken: false,
        }
    }

    /// The launcher does not answer as it should.
    fn lost(&mut self) -> MeasureError {
        self.broken = true;
        MeasureError::LauncherLost
    }

    /// With groups in `place`, if a process can be born there; the reason if not.
    fn with_groups(place: &cgroup::Place, null: &File) -> Result<Inner, String> {
        let mut groups = Groups::create(place).map_err(|error| error.to_string())?;
        let entry = groups.of(0).map_err(|error| error.to_string())?.entry();
        let mut launcher = Launcher::start(Some(&groups)).map_err(|error| error.to_string())?;
        let files = Files {
            stdin: null.as_fd(),
            stdout: null.as_fd(),
            stderr: null.as_fd(),
        };
        launcher
            .spawn(0, &Checked::probe(), &files, Some(entry))
            .map_err(|error| error.to_string())?;
        loop {
            match launcher
                .next(Some(Duration::from_secs(10)))
                .map_err(|error| error.to_string())?
            {
                Some(Event::Spawned { .. }) => {}
                Some(Event::Ended { .. }) => break,
                Some(Event::Failed { errno, .. }) => {
                    return Err(std::io::Error::from_raw_os_error(errno).to_string());
                }
                None => return Err("a trial process did not end".to_owned()),
            }
        }
        let null = null.try_clone().map_err(|error| error.to_string())?;
        Ok(Inner::new(launcher, Some(groups), null))
    }
}

/// Whether the heap of a program can begin elsewhere than at a page ([`Launch::heap`]), tried once
/// with the system's shell.
///
/// # Errors
/// When the kernel refuses, or this is not done on this architecture: the reason.
pub fn moves_heaps() -> Result<(), String> {
    static TRIED: OnceLock<Result<(), String>> = OnceLock::new();
    let tried = || {
        let instrument = Instrument::new(InstrumentOptions {
            cgroup: CgroupUse::Never,
            ..InstrumentOptions::default()
        })?;
        let mut shell = Launch::new("/bin/sh", Duration::from_secs(10));
        shell.args = vec!["-c".into(), "exit 0".into()];
        shell.heap = Some(16);
        instrument.run(&shell)
    };
    let result = TRIED.get_or_init(|| match tried() {
        Ok(outcome) if outcome.end.succeeded() => Ok(()),
        Ok(outcome) => Err(format!("a trial ended with {:?}", outcome.end)),
        Err(MeasureError::Heap(why)) => Err(why),
        Err(error) => Err(error.to_string()),
    });
    result.clone()
}

/// The most arms of a round.
pub const MOST_ARMS: usize = SLOTS;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proportional_slices;

    fn shell(script: &str, core: Option<u32>) -> Launch {
        let mut launch = Launch::new("/bin/sh", Duration::from_secs(120));
        launch.args = vec!["-c".into(), script.into()];
        launch.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
        launch.core = core;
        launch
    }

    /// Every hierarchy that this machine has is tried, not only the one that would be chosen.
    #[test]
    fn every_kind_of_group_holds_ends_and_accounts() {
        let read = |path| std::fs::read_to_string(path).unwrap();
        let null = File::open("/dev/null").unwrap();
        // Asked once: which core is idle changes, and all that take slices must be on the same one.
        let core = crate::idle_core().core();
        let mut versions = Vec::new();
        for place in cgroup::places(&read("/proc/self/mounts"), &read("/proc/self/cgroup")) {
            let Ok(inner) = Inner::with_groups(&place, &null) else {
                continue;
            };
            versions.push(place.version);
            let instrument = Instrument {
                inner: Mutex::new(inner),
                options: InstrumentOptions::default(),
                grouping: Grouping::CgroupV2,
            };
            let counting = shell(
                "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; echo $i",
                core,
            );
            let slices = proportional_slices(Duration::from_micros(500), &[Duration::ZERO; 3]);
            let turns = Turns::Sliced {
                slices,
                order_seed: 1,
            };
            for _ in 0..3 {
                let outcomes = instrument
                    .round(
                        &[counting.clone(), counting.clone(), counting.clone()],
                        &turns,
                    )
                    .unwrap();
                for outcome in outcomes {
                    assert_eq!(outcome.stdout.text(), "30000\n");
                    assert!(outcome.cpu > Duration::from_millis(1) && outcome.wall > outcome.cpu);
                    assert_eq!(outcome.children_left, 0);
                }
            }
            let left = instrument
                .run(&shell("sleep 1000 & setsid sleep 1000 & echo $!", core))
                .unwrap();
            assert!(
                (1..=2).contains(&left.children_left),
                "{}",
                left.children_left
            );
            let mut hanging = shell("sleep 1000", core);
            hanging.timeout = Duration::from_millis(20);
            let pair = Turns::Sliced {
                slices: vec![Duration::from_millis(1); 2],
                order_seed: 1,
            };
            let outcomes = instrument
                .round(&[counting.clone(), hanging], &pair)
                .unwrap();
            assert_eq!(
                (outcomes[0].end, outcomes[1].end),
                (crate::End::Exited(0), crate::End::TimedOut)
            );
        }
        println!("tried: {versions:?}");
    }
}

//! A core with nothing else to do.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use proofmark_tune::Disk;
use rustix::thread::{CpuSet, sched_getaffinity};

use crate::core_lock::{Asked, CoreLock, measured_by_others};
use crate::proc_stat::{Stat, Ticks};

/// How long cores are watched. Twenty ticks.
const WINDOW: Duration = Duration::from_millis(200);
/// A core that is busier than this for its own reasons is not idle.
const BUSY: f64 = 0.1;

/// The core to measure on, or why there is none worth pinning to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoreChoice {
    /// The idlest core; another one remains for everything else.
    Idle {
        /// Its number.
        core: u32,
    },
    /// The least busy core, yet it does other work as well: noise is to be expected.
    Busy {
        /// Its number.
        core: u32,
        /// Per cent of the time that it was not idle.
        busy_percent: u32,
    },
    /// Somebody else measures on each core that may be used; this is the least busy one.
    Taken {
        /// Its number.
        core: u32,
    },
    /// This process may use one core only: the harness shares it with what it measures.
    OnlyOne {
        /// Its number.
        core: u32,
    },
    /// It cannot be told which cores are idle.
    Unknown {
        /// Why.
        why: String,
    },
}

impl CoreChoice {
    /// The core to pin to; none leaves the choice to the kernel.
    #[must_use]
    pub fn core(&self) -> Option<u32> {
        match self {
            CoreChoice::Idle { core }
            | CoreChoice::Busy { core, .. }
            | CoreChoice::Taken { core }
            | CoreChoice::OnlyOne { core } => Some(*core),
            CoreChoice::Unknown { .. } => None,
        }
    }
}

/// Watches the cores that this process may use for a fifth of a second and chooses the idlest; of
/// equals the last, since the first core commonly serves interrupts.
#[must_use]
pub fn idle_core() -> CoreChoice {
    watched(&|_| true)
}

/// As [`idle_core`], of those cores on which nobody else measures; the one that the machine is tuned
/// for where that is idle. The core is held until the lock is dropped; there is none where this
/// machine does not show its cores, or all are taken.
#[must_use]
pub fn claim_core() -> (CoreChoice, Option<CoreLock>) {
    if let Some(tuned) = proofmark_tune::tuned_core(&Disk::of_this_machine())
        && let choice @ CoreChoice::Idle { core } = watched(&|core| core == tuned)
        && let Asked::Held(lock) = CoreLock::ask(core)
    {
        return (choice, Some(lock));
    }
    let taken = RefCell::new(BTreeSet::new());
    loop {
        let choice = watched(&|core| !taken.borrow().contains(&core));
        let Some(core) = choice.core() else {
            let shared = if taken.borrow().is_empty() {
                choice
            } else {
                match idle_core() {
                    CoreChoice::Unknown { why } => CoreChoice::Unknown { why },
                    CoreChoice::Idle { core }
                    | CoreChoice::Busy { core, .. }
                    | CoreChoice::Taken { core }
                    | CoreChoice::OnlyOne { core } => CoreChoice::Taken { core },
                }
            };
            return (shared, None);
        };
        match CoreLock::ask(core) {
            Asked::Held(lock) => return (choice, Some(lock)),
            Asked::Untold => return (choice, None),
            Asked::Taken => drop(taken.borrow_mut().insert(core)),
        }
    }
}

/// Another core that this process may use, to see whether a program is the same there: of those on
/// which nobody measures, where there are such; of these one whose number is odd where that of
/// `core` is even, and the other way round; and of these the nearest.
#[must_use]
pub fn other_core(core: u32) -> Option<u32> {
    let allowed = sched_getaffinity(None).ok()?;
    other_of(&allowed, core, &measured_by_others())
}

fn other_of(allowed: &CpuSet, core: u32, taken: &[u32]) -> Option<u32> {
    let all = (0_u32..).zip(0..CpuSet::MAX_CPU);
    let usable = all.filter(|&(other, place)| other != core && allowed.is_set(place));
    usable.map(|(other, _)| other).min_by_key(|&other| {
        let distance = other.abs_diff(core);
        (taken.contains(&other), distance % 2 == 0, distance)
    })
}

/// The idlest of the cores that are `wanted`.
fn watched(wanted: &dyn Fn(u32) -> bool) -> CoreChoice {
    let Ok(allowed) = sched_getaffinity(None) else {
        return CoreChoice::Unknown {
            why: "the kernel does not say which cores may be used".to_owned(),
        };
    };
    let before = Stat::read();
    std::thread::sleep(WINDOW);
    match before.zip(Stat::read()) {
        Some((before, after)) => choose(&allowed, wanted, &before, &after),
        None => CoreChoice::Unknown {
            why: "/proc/stat cannot be read".to_owned(),
        },
    }
}

fn choose(
    allowed: &CpuSet,
    wanted: &dyn Fn(u32) -> bool,
    before: &Stat,
    after: &Stat,
) -> CoreChoice {
    let may = |core: u32| {
        usize::try_from(core).is_ok_and(|core| core < CpuSet::MAX_CPU && allowed.is_set(core))
    };
    let usable = after.cores.keys().filter(|core| may(**core)).count();
    let free = after
        .cores
        .iter()
        .filter(|(core, _)| may(**core) && wanted(**core));
    let busy: Vec<(u32, f64)> = free
        .map(|(&core, &ticks)| {
            let between = ticks.since(before.cores.get(&core).copied().unwrap_or(Ticks::default()));
            (core, between.share(between.total - between.idle))
        })
        .collect();
    let least = busy
        .iter()
        .rev()
        .min_by(|left, right| left.1.total_cmp(&right.1));
    match (least, usable) {
        (None, _) => CoreChoice::Unknown {
            why: "/proc/stat names none of the cores that may be used".to_owned(),
        },
        (Some(&(core, _)), 1) => CoreChoice::OnlyOne { core },
        (Some(&(core, share)), _) if share > BUSY => CoreChoice::Busy {
            core,
            busy_percent: percent(share),
        },
        (Some(&(core, _)), _) => CoreChoice::Idle { core },
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of 0 to 1"
)]
fn percent(share: f64) -> u32 {
    (share.clamp(0.0, 1.0) * 100.0).round() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(idle: &[u64]) -> Stat {
        let cores = (0..)
            .zip(idle)
            .map(|(core, &idle)| {
                (
                    core,
                    Ticks {
                        total: 100,
                        idle,
                        stolen: 0,
                    },
                )
            })
            .collect();
        Stat {
            all: Ticks::default(),
            cores,
        }
    }

    fn chosen(cores: &[usize], idle: &[u64]) -> CoreChoice {
        let mut allowed = CpuSet::new();
        for &core in cores {
            allowed.set(core);
        }
        let before = Stat {
            all: Ticks::default(),
            cores: stat(idle)
                .cores
                .into_keys()
                .map(|core| (core, Ticks::default()))
                .collect(),
        };
        choose(&allowed, &|_| true, &before, &stat(idle))
    }

    #[test]
    fn the_idlest_allowed_core_and_of_equals_the_last() {
        assert_eq!(
            chosen(&[0, 1, 2], &[100, 95, 99]),
            CoreChoice::Idle { core: 0 }
        );
        assert_eq!(
            chosen(&[0, 1, 2], &[100, 100, 100]),
            CoreChoice::Idle { core: 2 }
        );
        assert_eq!(
            chosen(&[0, 1], &[90, 95, 100]),
            CoreChoice::Idle { core: 1 }
        );
    }

    #[test]
    fn when_there_is_none_it_says_so() {
        assert_eq!(
            chosen(&[0, 1], &[20, 40]),
            CoreChoice::Busy {
                core: 1,
                busy_percent: 60
            }
        );
        assert_eq!(chosen(&[1], &[20, 100]), CoreChoice::OnlyOne { core: 1 });
        assert!(matches!(
            chosen(&[5], &[20, 40]),
            CoreChoice::Unknown { .. }
        ));
        assert_eq!(chosen(&[0, 1], &[100, 40]), CoreChoice::Idle { core: 0 });
    }

    #[test]
    fn the_other_core_is_one_that_nobody_measures_on_and_of_the_other_kind_of_number() {
        let other = |cores: &[usize], core, taken: &[u32]| {
            let mut allowed = CpuSet::new();
            for &core in cores {
                allowed.set(core);
            }
            other_of(&allowed, core, taken)
        };
        assert_eq!(other(&[0, 1], 1, &[]), Some(0));
        assert_eq!(other(&[0, 1, 2, 3], 0, &[]), Some(1));
        assert_eq!(other(&[0, 1, 2, 3], 0, &[1]), Some(3));
        assert_eq!(other(&[0, 2, 4], 0, &[]), Some(2));
        // Somebody measures on each: it is seen there all the same.
        assert_eq!(other(&[0, 1], 1, &[0]), Some(0));
        assert_eq!(other(&[5], 5, &[]), None);
    }

    #[test]
    fn this_machine_has_a_core() {
        let allowed = sched_getaffinity(None).unwrap();
        let core = idle_core().core().unwrap();
        assert!(allowed.is_set(usize::try_from(core).unwrap()));
    }
}

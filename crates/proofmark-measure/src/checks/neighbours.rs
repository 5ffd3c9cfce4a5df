//! Who else uses the machine: other processes, the sibling of a core, other guests of the host.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use rustix::thread::sched_getaffinity;

use super::{Check, CheckStatus};
use crate::machine::read::{file, hypervisor as hypervisor_name};
use crate::proc_stat::{Stat, Ticks};

/// How long other work is watched.
const WINDOW: Duration = Duration::from_millis(500);
/// A share of the time that one can see in results.
const NOTICEABLE: f64 = 0.02;

pub(super) fn hypervisor(root: &Path) -> Check {
    let found = hypervisor_name(root, &file(root, "proc/cpuinfo").unwrap_or_default());
    let virtual_machine = found != "none";
    Check {
        name: "hypervisor",
        status: if virtual_machine { CheckStatus::Hurts } else { CheckStatus::Good },
        found,
        why: "other guests of the host share caches, memory and cores, in bursts that this machine cannot see",
        remedy: virtual_machine.then_some("measure on a machine of your own where small effects matter; here, let slices and more blocks do the work"),
    }
}

pub(super) fn cores() -> Check {
    let count = sched_getaffinity(None).map_or(0, |set| set.count());
    let (status, remedy) = match count {
        0 => (CheckStatus::Unknown, None),
        1 => (
            CheckStatus::Hurts,
            Some("let proofmark use a second core (taskset, cpuset, container limits)"),
        ),
        _ => (CheckStatus::Good, None),
    };
    Check {
        name: "cores",
        status,
        found: format!("{count} may be used"),
        why: "with one core proofmark, the linker and the measured program take turns",
        remedy,
    }
}

pub(super) fn smt(root: &Path) -> Check {
    let active = file(root, "sys/devices/system/cpu/smt/active");
    let (status, found, remedy) = match active.as_deref() {
        Some("0") => (CheckStatus::Good, "off", None),
        Some(_) => (
            CheckStatus::Hurts,
            "on",
            Some(
                "`proofmark tune`, which switches the sibling of the measured core off, or keep the sibling of the measured core idle",
            ),
        ),
        None => (CheckStatus::Unknown, "not told", None),
    };
    Check {
        name: "simultaneous multithreading",
        status,
        found: found.to_owned(),
        why: "two threads of one core share its units: the sibling's work slows this one",
        remedy,
    }
}

pub(super) fn load(root: &Path) -> Check {
    let text = file(root, "proc/loadavg").unwrap_or_default();
    let load: Option<f64> = text.split(' ').next().and_then(|word| word.parse().ok());
    let (status, remedy) = match load {
        None => (CheckStatus::Unknown, None),
        Some(load) if load > 0.5 => (
            CheckStatus::Hurts,
            Some("end other work, or wait until it is done"),
        ),
        Some(_) => (CheckStatus::Good, None),
    };
    let found = load.map_or_else(
        || "not told".to_owned(),
        |load| format!("{load:.2} over the last minute"),
    );
    Check {
        name: "load",
        status,
        found,
        why: "other processes take cores, caches and memory bandwidth",
        remedy,
    }
}

/// The machine's work over a while, in which this process did nothing.
pub(super) struct Watched {
    all: Option<Ticks>,
    /// Name and ticks of the process that did most.
    busiest: Option<(String, u64)>,
}

impl Watched {
    pub(super) fn over_half_a_second() -> Watched {
        let (before, work_before) = (Stat::read(), processes(Path::new("/proc")));
        std::thread::sleep(WINDOW);
        let (after, work_after) = (Stat::read(), processes(Path::new("/proc")));
        let own = std::process::id();
        let grown =
            work_after
                .into_iter()
                .filter(|(pid, _)| *pid != own)
                .map(|(pid, (name, ticks))| {
                    let before = work_before.get(&pid).map_or(ticks, |(_, before)| *before);
                    (name, ticks.saturating_sub(before))
                });
        Watched {
            all: before
                .zip(after)
                .map(|(before, after)| after.all.since(before.all)),
            busiest: grown
                .max_by_key(|(_, ticks)| *ticks)
                .filter(|(_, ticks)| *ticks > 0),
        }
    }

    pub(super) fn findings(&self) -> [Check; 2] {
        [self.steal(), self.other_work()]
    }

    fn steal(&self) -> Check {
        let share = self.all.map(|all| all.share(all.stolen));
        let (status, remedy) = match share {
            None => (CheckStatus::Unknown, None),
            Some(share) if share > NOTICEABLE => (
                CheckStatus::Hurts,
                Some("measure at another time or on another host; sliced rounds suffer least"),
            ),
            Some(_) => (CheckStatus::Good, None),
        };
        Check {
            name: "steal",
            status,
            found: share.map_or_else(
                || "not told".to_owned(),
                |share| format!("{:.1} % of the time", 100.0 * share),
            ),
            why: "the hypervisor gave the core to another guest while a program here wanted it",
            remedy,
        }
    }

    fn other_work(&self) -> Check {
        let share = self
            .all
            .map(|all| all.share(all.total.saturating_sub(all.idle + all.stolen)));
        let (status, remedy) = match share {
            None => (CheckStatus::Unknown, None),
            Some(share) if share > NOTICEABLE => {
                (CheckStatus::Hurts, Some("end it while measuring"))
            }
            Some(_) => (CheckStatus::Good, None),
        };
        let who = self
            .busiest
            .as_ref()
            .map_or_else(String::new, |(name, _)| format!(", most of it by {name}"));
        Check {
            name: "other work",
            status,
            found: share.map_or_else(
                || "not told".to_owned(),
                |share| format!("{:.1} % of all cores{who}", 100.0 * share),
            ),
            why: "a process in the background moves onto the measured core, or fills the cache that it shares",
            remedy,
        }
    }
}

/// Name and ticks of user and system time of every process, by its number. `proc_pid_stat(5)`.
fn processes(proc: &Path) -> BTreeMap<u32, (String, u64)> {
    let entries = std::fs::read_dir(proc).into_iter().flatten().flatten();
    let numbered = entries.filter_map(|entry| {
        entry
            .file_name()
            .to_str()?
            .parse()
            .ok()
            .map(|pid: u32| (pid, entry.path()))
    });
    numbered
        .filter_map(|(pid, path)| Some((pid, name_and_ticks(&file(&path, "stat")?)?)))
        .collect()
}

/// The name stands in brackets and may itself contain some.
fn name_and_ticks(stat: &str) -> Option<(String, u64)> {
    let (before, after) = stat.rsplit_once(") ")?;
    let name = before.split_once('(')?.1;
    let words: Vec<&str> = after.split(' ').collect();
    let ticks = |place: usize| words.get(place)?.parse::<u64>().ok();
    Some((name.to_owned(), ticks(11)? + ticks(12)?))
}

#[cfg(test)]
mod tests {
    use super::super::laid_out;
    use super::*;

    #[test]
    fn names_with_brackets_and_spaces() {
        let stat = "12 (a (b) c) S 1 1 1 0 -1 4194560 1 2 3 4 50 60 7 8 20 0";
        assert_eq!(name_and_ticks(stat), Some(("a (b) c".to_owned(), 110)));
        assert_eq!(name_and_ticks("12"), None);
    }

    #[test]
    fn shares_are_judged() {
        let busy = Watched {
            all: Some(Ticks {
                total: 100,
                idle: 50,
                stolen: 10,
            }),
            busiest: Some(("cc1".into(), 40)),
        };
        let [steal, other] = busy.findings();
        assert_eq!(
            (steal.status, steal.found.as_str()),
            (CheckStatus::Hurts, "10.0 % of the time")
        );
        assert_eq!(
            (other.status, other.found.as_str()),
            (CheckStatus::Hurts, "40.0 % of all cores, most of it by cc1")
        );
        let quiet = Watched {
            all: Some(Ticks {
                total: 1000,
                idle: 999,
                stolen: 0,
            }),
            busiest: None,
        };
        assert!(
            quiet
                .findings()
                .iter()
                .all(|check| check.status == CheckStatus::Good)
        );
        let blind = Watched {
            all: None,
            busiest: None,
        };
        assert!(
            blind
                .findings()
                .iter()
                .all(|check| check.status == CheckStatus::Unknown)
        );
    }

    #[test]
    fn files_are_judged() {
        let root = laid_out(&[
            ("proc/loadavg", "1.50 0 0 1/2 3\n"),
            ("sys/devices/system/cpu/smt/active", "1\n"),
            ("proc/cpuinfo", "flags : fpu hypervisor\n"),
            ("sys/class/dmi/id/sys_vendor", "A Cloud\n"),
        ]);
        assert_eq!(load(root.path()).status, CheckStatus::Hurts);
        assert_eq!(smt(root.path()).status, CheckStatus::Hurts);
        assert_eq!(
            (
                hypervisor(root.path()).status,
                hypervisor(root.path()).found.as_str()
            ),
            (CheckStatus::Hurts, "A Cloud")
        );
        let root = laid_out(&[
            ("proc/loadavg", "0.01 0 0 1/2 3\n"),
            ("sys/devices/system/cpu/smt/active", "0\n"),
        ]);
        for check in [load(root.path()), smt(root.path()), hypervisor(root.path())] {
            assert_eq!(check.status, CheckStatus::Good, "{check:?}");
        }
    }
}

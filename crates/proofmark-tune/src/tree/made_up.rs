//! A tree of files that is made up, behaves like the kernel where that matters, and can be killed
//! at each write.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, ErrorKind};

use proofmark_terms::CoreList;

use super::{About, Kind, Tree};

/// What there is at one moment.
pub(crate) type Files = BTreeMap<String, String>;

/// A machine with four threads on two cores, one of which has its siblings at 0,2 and 1,3.
pub(crate) struct MadeUp {
    files: RefCell<Files>,
    folders: RefCell<BTreeMap<String, About>>,
    owners: RefCell<BTreeMap<String, About>>,
    /// Files of a core that is switched off.
    hidden: RefCell<BTreeMap<u32, Files>>,
    /// Energy preferences that the governor `performance` stands in for.
    preferred: RefCell<BTreeMap<String, String>>,
    refuses: RefCell<BTreeMap<String, ErrorKind>>,
    /// Writes until the process is killed.
    left: Cell<Option<usize>>,
    pub(crate) writes: Cell<usize>,
    /// Every file of settings that was written, in order.
    pub(crate) log: RefCell<Vec<(String, String)>>,
}

const CPU: &str = "sys/devices/system/cpu";
const ROOTS: About = About {
    kind: Kind::Folder,
    owner: 0,
    mode: 0o755,
};

impl MadeUp {
    /// A server with everything that there is to tune.
    pub(crate) fn server() -> MadeUp {
        let made = MadeUp {
            files: RefCell::default(),
            folders: RefCell::default(),
            owners: RefCell::default(),
            hidden: RefCell::default(),
            preferred: RefCell::default(),
            refuses: RefCell::default(),
            left: Cell::new(None),
            writes: Cell::new(0),
            log: RefCell::default(),
        };
        made.folders.borrow_mut().insert("run".to_owned(), ROOTS);
        for (path, text) in [
            ("proc/sys/kernel/random/boot_id", "one-boot"),
            ("proc/sys/kernel/randomize_va_space", "2"),
            ("proc/sys/kernel/perf_event_paranoid", "4"),
            ("proc/sys/kernel/perf_event_max_sample_rate", "2000"),
            ("proc/sys/vm/swappiness", "60"),
            ("proc/swaps", "Filename Type\n/dev/sda2 partition"),
            ("proc/self/cgroup", "0::/user.slice"),
            (
                "sys/kernel/mm/transparent_hugepage/enabled",
                "[always] madvise never",
            ),
            ("sys/devices/system/cpu/intel_pstate/no_turbo", "0"),
            ("sys/devices/system/cpu/online", "0-7"),
            ("sys/fs/cgroup/cgroup.controllers", "cpuset cpu memory"),
            ("sys/fs/cgroup/cgroup.subtree_control", "cpu memory"),
            ("sys/fs/cgroup/cgroup.procs", "1\n2"),
            ("sys/fs/cgroup/user.slice/cgroup.procs", "77"),
            ("dev/cpu_dma_latency", ""),
        ] {
            made.set(path, text);
        }
        for core in 0..8 {
            let sibling = (core + 4) % 8;
            let siblings: CoreList = [core, sibling].into_iter().collect();
            made.set(
                &format!("{CPU}/cpu{core}/topology/thread_siblings_list"),
                &siblings.to_string(),
            );
            let policy = format!("{CPU}/cpufreq/policy{core}");
            made.set(&format!("{policy}/scaling_governor"), "powersave");
            made.set(
                &format!("{policy}/energy_performance_preference"),
                "balance_performance",
            );
            if core > 0 {
                made.set(&format!("{CPU}/cpu{core}/online"), "1");
            }
        }
        for (state, latency) in [("state0", "0"), ("state1", "2"), ("state2", "133")] {
            made.set(&format!("{CPU}/cpu0/cpuidle/{state}/latency"), latency);
        }
        for (number, may) in [(9, "0-7"), (24, "3"), (25, "0-2"), (26, "2-7")] {
            made.set(&format!("proc/irq/{number}/smp_affinity_list"), may);
        }
        made
    }

    /// Somebody else writes a file.
    pub(crate) fn set(&self, path: &str, text: &str) {
        self.files
            .borrow_mut()
            .insert(path.to_owned(), text.to_owned());
    }

    /// Somebody else removes a file, or a device goes.
    pub(crate) fn lose(&self, path: &str) {
        self.files.borrow_mut().remove(path);
    }

    /// From now on a file cannot be written.
    pub(crate) fn refuse(&self, path: &str, kind: ErrorKind) {
        self.refuses.borrow_mut().insert(path.to_owned(), kind);
    }

    /// A file or folder is somebody's.
    pub(crate) fn give(&self, path: &str, about: About) {
        self.owners.borrow_mut().insert(path.to_owned(), about);
    }

    pub(crate) fn is_there(&self, path: &str) -> bool {
        self.files.borrow().contains_key(path) || self.folders.borrow().contains_key(path)
    }

    /// The process is killed before this write, counted from now.
    pub(crate) fn kill_at(&self, write: usize) {
        self.left.set(Some(write));
    }

    /// Another process comes.
    pub(crate) fn revive(&self) {
        self.left.set(None);
    }

    pub(crate) fn is_killed(&self) -> bool {
        self.left.get() == Some(0)
    }

    /// All files but those of tuning itself.
    pub(crate) fn settings(&self) -> Files {
        let files = self.files.borrow();
        let own = |path: &str| path.starts_with("run/proofmark");
        files
            .iter()
            .filter(|(path, _)| !own(path))
            .map(|(path, text)| (path.clone(), text.clone()))
            .collect()
    }

    fn alive(&self) -> io::Result<()> {
        if self.is_killed() {
            return Err(io::Error::other("killed"));
        }
        Ok(())
    }

    /// Before each write.
    fn count(&self) -> io::Result<()> {
        self.alive()?;
        self.writes.set(self.writes.get() + 1);
        if let Some(left) = self.left.get() {
            self.left.set(Some(left - 1));
            self.alive()?;
        }
        Ok(())
    }

    /// What the kernel does with a text.
    fn take(&self, path: &str, text: &str) -> io::Result<()> {
        if path.ends_with("transparent_hugepage/enabled") {
            let words = ["always", "madvise", "never"].map(|word| {
                if word == text {
                    format!("[{word}]")
                } else {
                    word.to_owned()
                }
            });
            self.set(path, &words.join(" "));
        } else if path.ends_with("cgroup.subtree_control") {
            let now = self.read(path)?;
            let words = now.split_whitespace().filter(|word| *word != "cpuset");
            let mut words: Vec<&str> = words.collect();
            if text == "+cpuset" {
                words.insert(0, "cpuset");
            }
            self.set(path, &words.join(" "));
        } else if path.ends_with("cgroup.procs") {
            let mut files = self.files.borrow_mut();
            for (_, inside) in files.iter_mut().filter(|(at, _)| at.ends_with("procs")) {
                let others = inside.lines().filter(|process| *process != text);
                *inside = others.collect::<Vec<_>>().join("\n");
            }
            let inside = files.entry(path.to_owned()).or_default();
            *inside = format!("{inside}\n{text}").trim().to_owned();
        } else if let Some(policy) = path.strip_suffix("/scaling_governor") {
            self.govern(policy, text);
        } else if let Some(core) = path.strip_suffix("/online") {
            self.switch(core, text);
        } else {
            self.set(path, text);
        }
        Ok(())
    }

    /// As `intel_pstate` does: the governor takes the energy preference along.
    fn govern(&self, policy: &str, governor: &str) {
        let path = format!("{policy}/energy_performance_preference");
        let mut preferred = self.preferred.borrow_mut();
        if governor == "performance" {
            if let Ok(now) = self.read(&path) {
                preferred.insert(path.clone(), now);
                self.set(&path, "performance");
            }
        } else if let Some(before) = preferred.remove(&path) {
            self.set(&path, &before);
        }
        self.set(&format!("{policy}/scaling_governor"), governor);
    }

    /// A core that is switched off has no frequency.
    fn switch(&self, folder: &str, text: &str) {
        let core: u32 = folder
            .trim_start_matches(&format!("{CPU}/cpu"))
            .parse()
            .unwrap();
        let policy = format!("{CPU}/cpufreq/policy{core}/");
        let mut online: BTreeSet<u32> = {
            let files = self.files.borrow();
            CoreList::parse(&files[&format!("{CPU}/online")])
                .unwrap()
                .iter()
                .collect()
        };
        let mut files = self.files.borrow_mut();
        if text == "0" {
            online.remove(&core);
            let gone: Files = files
                .extract_if(.., |path, _| path.starts_with(&policy))
                .collect();
            self.hidden
                .borrow_mut()
                .entry(core)
                .or_default()
                .extend(gone);
        } else {
            online.insert(core);
            files.extend(self.hidden.borrow_mut().remove(&core).unwrap_or_default());
        }
        files.insert(format!("{folder}/online"), text.to_owned());
        let online: CoreList = online.into_iter().collect();
        files.insert(format!("{CPU}/online"), online.to_string());
    }
}

fn none() -> io::Error {
    ErrorKind::NotFound.into()
}

impl Tree for MadeUp {
    fn read(&self, path: &str) -> io::Result<String> {
        self.alive()?;
        self.files.borrow().get(path).cloned().ok_or_else(none)
    }

    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        self.count()?;
        if !self.files.borrow().contains_key(path) {
            return Err(none());
        }
        if let Some(kind) = self.refuses.borrow().get(path) {
            return Err((*kind).into());
        }
        let busy = path.ends_with("energy_performance_preference")
            && text != "performance"
            && self.preferred.borrow().contains_key(path);
        if busy {
            return Err(ErrorKind::ResourceBusy.into());
        }
        if !path.starts_with("run/") {
            self.log
                .borrow_mut()
                .push((path.to_owned(), text.to_owned()));
        }
        self.take(path, text)
    }

    fn may_write(&self, path: &str) -> io::Result<()> {
        self.alive()?;
        match self.refuses.borrow().get(path) {
            // What is only found out by writing.
            Some(ErrorKind::Other) | None => Ok(()),
            Some(kind) => Err((*kind).into()),
        }
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let files = self.files.borrow();
        let folders = self.folders.borrow();
        let all = files.keys().chain(folders.keys());
        let inside = all.filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/'));
        let names: BTreeSet<&str> = inside.filter_map(|rest| rest.split('/').next()).collect();
        names.into_iter().map(str::to_owned).collect()
    }

    fn about(&self, path: &str) -> io::Result<About> {
        self.alive()?;
        if let Some(about) = self.owners.borrow().get(path) {
            return Ok(*about);
        }
        if let Some(about) = self.folders.borrow().get(path) {
            return Ok(*about);
        }
        if self.files.borrow().contains_key(path) {
            return Ok(About {
                kind: Kind::File,
                owner: 0,
                mode: 0o644,
            });
        }
        if self.names(path).is_empty() {
            return Err(none());
        }
        Ok(ROOTS)
    }

    fn make_folder(&self, path: &str) -> io::Result<()> {
        self.count()?;
        self.folders.borrow_mut().insert(path.to_owned(), ROOTS);
        if path.starts_with("sys/fs/cgroup") {
            for (name, text) in [
                ("cpuset.cpus", ""),
                ("cpuset.cpus.partition", "member"),
                ("cgroup.procs", ""),
            ] {
                self.set(&format!("{path}/{name}"), text);
            }
        }
        Ok(())
    }

    fn remove_folder(&self, path: &str) -> io::Result<()> {
        self.count()?;
        let inside = self.read(&format!("{path}/cgroup.procs"))?;
        if !inside.is_empty() {
            return Err(ErrorKind::ResourceBusy.into());
        }
        self.folders.borrow_mut().remove(path);
        let mut files = self.files.borrow_mut();
        files.retain(|file, _| !file.starts_with(&format!("{path}/")));
        Ok(())
    }

    fn make_file(&self, path: &str, text: &str) -> io::Result<()> {
        let done = self.count();
        if done.is_err() && self.left.get() == Some(0) {
            // Killed in the middle.
            self.set(path, &text[..text.len() / 2]);
        }
        done?;
        self.set(path, text);
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.count()?;
        let text = self.files.borrow_mut().remove(from).ok_or_else(none)?;
        self.set(to, &text);
        Ok(())
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        if !self.files.borrow().contains_key(path) {
            return Err(none());
        }
        self.count()?;
        self.files.borrow_mut().remove(path);
        Ok(())
    }

    fn hold(&self, _: &str, _: &[u8]) -> io::Result<Option<File>> {
        self.alive()?;
        Ok(None)
    }
}

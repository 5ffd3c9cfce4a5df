//! Groups of processes: one for each arm, so that a whole tree can be held, let go, ended and
//! accounted for.
//!
//! Preferred is cgroup v2 (also where it is mounted beside v1): its freezer does not disturb system
//! calls, its accounting counts every process of the tree, and a process can be born in it. Next is
//! the v1 freezer, which can hold and let go. Kernel: admin-guide/cgroup-v2.

mod entry;
mod place;

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::fs::{Mode, OFlags};

pub(crate) use entry::Entry;
pub(crate) use place::{Place, Version, places};

/// Tells apart the instruments of one process.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// The folder that holds an instrument's groups.
pub(crate) struct Groups {
    version: Version,
    parent: OwnedFd,
    folder: OwnedFd,
    path: PathBuf,
    name: String,
    groups: Vec<Group>,
}

/// The group of one slot.
pub(crate) struct Group {
    version: Version,
    folder: OwnedFd,
    freezer: File,
    cpu: Option<File>,
    /// CPU time when it was last asked for.
    seen: Cell<Duration>,
}

impl Groups {
    /// Makes the folder, and removes those of processes that are no more.
    pub(crate) fn create(place: &Place) -> io::Result<Groups> {
        remove_stale(&place.path);
        let name = format!(
            "proofmark-{}-{}",
            std::process::id(),
            COUNT.fetch_add(1, Ordering::Relaxed)
        );
        let path = place.path.join(&name);
        let parent = open_folder(&place.path)?;
        rustix::fs::mkdirat(&parent, &name, Mode::from_raw_mode(0o755))?;
        let groups = open_folder(&path).map(|folder| Groups {
            version: place.version,
            parent,
            folder,
            path: path.clone(),
            name,
            groups: Vec::new(),
        });
        if groups.is_err() {
            // Empty, a moment old and ours.
            let _ = std::fs::remove_dir(&path);
        }
        groups
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether they account for CPU time.
    pub(crate) fn account(&self) -> bool {
        self.version == Version::V2
    }

    pub(crate) fn folder(&self) -> RawFd {
        self.folder.as_raw_fd()
    }

    pub(crate) fn parent(&self) -> RawFd {
        self.parent.as_raw_fd()
    }

    /// The group of a slot, made on first use.
    pub(crate) fn of(&mut self, slot: usize) -> io::Result<&Group> {
        while self.groups.len() <= slot {
            // Two digits: the launcher removes them by these names.
            let path = self.path.join(format!("{:02}", self.groups.len()));
            std::fs::create_dir(&path)?;
            self.groups.push(Group::open(&path, self.version)?);
        }
        Ok(&self.groups[slot])
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        self.groups.clear();
        remove(&self.path);
    }
}

impl Group {
    fn open(path: &Path, version: Version) -> io::Result<Group> {
        let (freezer, cpu) = match version {
            Version::V2 => ("cgroup.freeze", File::open(path.join("cpu.stat")).ok()),
            Version::V1 => ("freezer.state", None),
        };
        let freezer = File::options().write(true).open(path.join(freezer))?;
        Ok(Group {
            version,
            folder: open_folder(path)?,
            freezer,
            cpu,
            seen: Cell::new(Duration::ZERO),
        })
    }

    /// How a child comes to be in the group.
    pub(crate) fn entry(&self) -> (Entry, RawFd) {
        let entry = match self.version {
            Version::V2 => Entry::CloneInto,
            Version::V1 => Entry::WriteSelf,
        };
        (entry, self.folder.as_raw_fd())
    }

    /// Holds every process of the group. They stop at their next return from the kernel.
    pub(crate) fn hold(&self) -> io::Result<()> {
        self.set(match self.version {
            Version::V2 => "1",
            Version::V1 => "FROZEN",
        })
    }

    /// Lets them go on.
    pub(crate) fn release(&self) -> io::Result<()> {
        self.set(match self.version {
            Version::V2 => "0",
            Version::V1 => "THAWED",
        })
    }

    fn set(&self, word: &str) -> io::Result<()> {
        (&self.freezer).write_all(word.as_bytes())
    }

    /// CPU time of every process that was in the group since the last time that this was asked;
    /// none where the kernel does not account for groups. The last microsecond or two of a process,
    /// spent after its end was announced, may count for the next one.
    pub(crate) fn cpu_since_last(&self) -> Option<Duration> {
        let now = self.cpu()?;
        Some(now.saturating_sub(self.seen.replace(now)))
    }

    fn cpu(&self) -> Option<Duration> {
        let mut text = [0; 512];
        let length = self.cpu.as_ref()?.read_at(&mut text, 0).ok()?;
        let text = std::str::from_utf8(&text[..length]).ok()?;
        let micros = text
            .lines()
            .find_map(|line| line.strip_prefix("usage_usec "))?;
        Some(Duration::from_micros(micros.parse().ok()?))
    }
}

fn open_folder(path: &Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?)
}

/// Folders of instruments whose process was killed together with its launcher.
fn remove_stale(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let pid = name
            .to_str()
            .and_then(|name| name.strip_prefix("proofmark-"))
            .and_then(|rest| rest.split('-').next());
        if let Some(pid) = pid.and_then(|pid| pid.parse::<u32>().ok())
            && !Path::new(&format!("/proc/{pid}")).exists()
        {
            let _ = std::fs::write(entry.path().join("cgroup.kill"), "1");
            remove(&entry.path());
        }
    }
}

/// Removes a folder of groups. One that still has processes stays; it is removed by the next
/// instrument.
fn remove(path: &Path) {
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
    let _ = std::fs::remove_dir(path);
}

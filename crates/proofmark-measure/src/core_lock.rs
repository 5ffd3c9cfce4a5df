//! A core is measured on by one at a time, whoever the user is and wherever the results go: a lock
//! on the folder by which the kernel names the core. It needs no rights and no file of our own, and
//! ends with its process.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use proofmark_terms::CoreList;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

/// What the kernel says of all locks.
const LOCKS: &str = "/proc/locks";

/// The folder of the cores.
const CORES: &str = "/sys/devices/system/cpu";

/// A core, and those that share its execution units, held until this is dropped.
#[derive(Debug)]
pub struct CoreLock {
    /// Open folders; the kernel keeps the lock for as long as they are.
    _held: Vec<File>,
}

/// What came of asking for a core.
#[derive(Debug)]
pub(crate) enum Asked {
    /// It is held now.
    Held(CoreLock),
    /// Somebody else measures on it, or on one that shares its execution units.
    Taken,
    /// It cannot be told: this machine does not show its cores.
    Untold,
}

impl CoreLock {
    /// Asks for a core of this machine.
    pub(crate) fn ask(core: u32) -> Asked {
        ask_in(Path::new(CORES), core)
    }
}

fn ask_in(cores: &Path, core: u32) -> Asked {
    let mut held = Vec::new();
    // In one order for everybody, so that no two wait for each other's half.
    for sibling in siblings(cores, core) {
        let locked = File::open(folder(cores, sibling))
            .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))
            .and_then(|file| flock(&file, FlockOperation::NonBlockingLockExclusive).map(|()| file));
        match locked {
            Ok(file) => held.push(file),
            Err(Errno::WOULDBLOCK) => return Asked::Taken,
            Err(_) => return Asked::Untold,
        }
    }
    Asked::Held(CoreLock { _held: held })
}

/// Cores of this machine on which other processes measure at the moment, in ascending order; those
/// that share their execution units included. Empty where the kernel does not tell.
#[must_use]
pub fn measured_by_others() -> Vec<u32> {
    let locks = fs::read_to_string(LOCKS).unwrap_or_default();
    held_by_others(Path::new(CORES), &locks, std::process::id())
}

/// The cores whose folders are locked, by the kernel's list of locks, by anybody but `own`.
fn held_by_others(cores: &Path, locks: &str, own: u32) -> Vec<u32> {
    let held: BTreeSet<Identity> = locks.lines().filter_map(|line| locked(line, own)).collect();
    if held.is_empty() {
        return Vec::new();
    }
    let folders = fs::read_dir(cores).into_iter().flatten();
    let mut found: Vec<u32> = folders
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let core = entry
                .file_name()
                .to_str()?
                .strip_prefix("cpu")?
                .parse()
                .ok()?;
            held.contains(&identity(&entry.path())?).then_some(core)
        })
        .collect();
    found.sort_unstable();
    found
}

/// A file as the kernel's list of locks names it: the numbers of its device, and its own.
type Identity = (u32, u32, u64);

fn identity(file: &Path) -> Option<Identity> {
    let about = fs::metadata(file).ok()?;
    let device = about.dev();
    Some((
        rustix::fs::major(device),
        rustix::fs::minor(device),
        about.ino(),
    ))
}

/// What a line of the kernel's list says is locked as a whole by anybody but `own`: `1: FLOCK
/// ADVISORY WRITE 15009 00:16:3578 0 EOF`, devices in hexadecimal (proc_locks(5)).
fn locked(line: &str, own: u32) -> Option<Identity> {
    let mut words = line.split_whitespace().skip(1);
    // One that waits has an arrow here.
    if words.next()? != "FLOCK" {
        return None;
    }
    let holder = words.nth(2)?;
    let mut file = words.next()?.split(':');
    let mut device = || u32::from_str_radix(file.next()?, 16).ok();
    let (major, minor) = (device()?, device()?);
    let inode = file.next()?.parse().ok()?;
    (holder != own.to_string()).then_some((major, minor, inode))
}

fn folder(cores: &Path, core: u32) -> PathBuf {
    cores.join(format!("cpu{core}"))
}

/// The core and those that share its execution units, in ascending order.
fn siblings(cores: &Path, core: u32) -> Vec<u32> {
    let list = folder(cores, core).join("topology/thread_siblings_list");
    let list = fs::read_to_string(list).unwrap_or_default();
    let list = CoreList::parse(&list).unwrap_or_default();
    let all: CoreList = list.iter().chain([core]).collect();
    all.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four threads on two cores: 0 and 2, 1 and 3.
    fn machine() -> tempfile::TempDir {
        let machine = tempfile::tempdir().unwrap();
        for (core, siblings) in [(0, "0,2\n"), (1, "1,3\n"), (2, "0,2\n"), (3, "1,3\n")] {
            let topology = machine.path().join(format!("cpu{core}/topology"));
            fs::create_dir_all(&topology).unwrap();
            fs::write(topology.join("thread_siblings_list"), siblings).unwrap();
        }
        machine
    }

    #[test]
    fn a_core_and_its_siblings_are_one_persons_at_a_time() {
        let machine = machine();
        let Asked::Held(first) = ask_in(machine.path(), 2) else {
            unreachable!("nobody had it");
        };
        assert!(matches!(ask_in(machine.path(), 2), Asked::Taken));
        assert!(matches!(ask_in(machine.path(), 0), Asked::Taken));
        assert!(matches!(ask_in(machine.path(), 3), Asked::Held(_)));
        drop(first);
        assert!(matches!(ask_in(machine.path(), 0), Asked::Held(_)));
    }

    #[test]
    fn cores_on_which_others_measure_are_told_by_the_kernel_s_list() {
        let machine = machine();
        let (major, minor, inode) = identity(&folder(machine.path(), 3)).unwrap();
        let line = |kind: &str| {
            format!("7: {kind}  ADVISORY  WRITE 15009 {major:02x}:{minor:02x}:{inode} 0 EOF\n")
        };
        let others = "1: POSIX  ADVISORY  READ 14005 fe:00:5997198 128 128\nnonsense\n";
        let told = |own| held_by_others(machine.path(), &format!("{others}{}", line("FLOCK")), own);
        assert_eq!(told(1), [3]);
        assert!(told(15009).is_empty(), "one's own");
        for other in [line("POSIX"), line("-> FLOCK"), String::new()] {
            assert!(held_by_others(machine.path(), &other, 1).is_empty());
        }
        // As the kernel of this machine writes it, where it shows locks at all.
        let _held = ask_in(machine.path(), 1);
        let now = fs::read_to_string(LOCKS).unwrap_or_default();
        if now.contains(&format!(" {} ", std::process::id())) {
            assert_eq!(held_by_others(machine.path(), &now, 0), [1, 3]);
        }
    }

    #[test]
    fn a_core_that_is_not_shown_cannot_be_told() {
        assert!(matches!(ask_in(machine().path(), 7), Asked::Untold));
    }
}

//! What a traced run tells of a program.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, Metadata};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use super::about::About;
use super::entry::Entry;
use super::outliving::Outliving;
use crate::{End, Output};

/// One traced run.
///
/// Paths are absolute and as the program named them: a relative one is taken from the folder that
/// it was relative to, and links are not resolved. Each list is sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// How it ended. After [`End::TimedOut`] everything else is what was seen until then.
    pub end: End,
    /// Standard output.
    pub stdout: Output,
    /// Standard error.
    pub stderr: Output,
    /// Threads and processes.
    pub family: Family,
    /// Who waits for children.
    pub reaping: Reaping,
    /// How long its threads ran, and waited for a core.
    pub queue: Queue,
    /// Signals that timers sent and the program got.
    pub alarms: u64,
    /// Traps in the code that some process came to, as a debugger sets them.
    pub traps: u64,
    /// Timers and waits that end after a given real time, sleeps apart. Timers of CPU time are not
    /// among them.
    pub timed: BTreeMap<WaitKind, Spans>,
    /// Calls that do nothing but let time pass.
    pub sleeps: Sleeps,
    /// How it asks on how many cores it may run.
    pub cores: Cores,
    /// How often it read a clock, in a run whose clocks went otherwise; they are not seen else. A
    /// timer of CPU time that is set counts as two.
    pub clocks: u64,
    /// Files opened for reading.
    pub read: BTreeMap<PathBuf, FileRead>,
    /// Paths that it asked about (`stat`, `access`, `readlink`) or went into (`chdir`), and whether
    /// there was such a file; a link to nothing counts as there.
    pub looked_at: BTreeMap<PathBuf, bool>,
    /// Folders whose entries it listed.
    pub listed: BTreeSet<PathBuf>,
    /// Files that it wrote to, made, removed or renamed.
    pub written: BTreeMap<PathBuf, FileWritten>,
    /// What files held before they were changed, where that can have been read.
    pub before: Before,
    /// Files mapped as code: the executables, their loaders, their libraries. Links are resolved.
    pub code: BTreeSet<PathBuf>,
    /// Entries that the lists did not take.
    pub left_off: u64,
    /// Files that it opened by a handle, and not by a name.
    pub by_handle: u64,
    /// It has the kernel ask a process of its own about calls (`seccomp` with a listener), of which
    /// there can be one only.
    pub listens: bool,
    /// Rings for input and output without system calls (`io_uring`): what goes through them is not
    /// seen.
    pub rings: u64,
    /// What the kernel keeps longer than the run and every process may ask for; not what the run
    /// made and took away again.
    pub outliving: BTreeSet<Outliving>,
    /// It tried to trace a process itself, which fails under a tracer.
    pub traces: bool,
    /// It stopped the counters of perf that run for it (`prctl`): a task clock is one.
    pub stops_counters: bool,
    /// It changed its root folder or its mounts: paths may mean other files from then on.
    pub elsewhere: bool,
}

/// Threads and processes of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Family {
    /// Threads made, the first one of each process apart.
    pub threads: u64,
    /// Processes made, the first one apart.
    pub processes: u64,
    /// The most threads of all processes together that were alive at a time, 1 at least.
    pub most_at_once: u64,
    /// Processes that were still alive when the program had ended.
    pub left_behind: u64,
}

/// Who waits for the children of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reaping {
    /// Children that a parent waited for until they had ended.
    pub waited: u64,
    /// A process said that it does not want to hear of its children (`SIGCHLD` ignored, or
    /// `SA_NOCLDWAIT`).
    pub ignored: bool,
    /// A process made a namespace of processes: whoever is left in it when its first process ends
    /// is reaped by the kernel.
    pub namespaces: bool,
    /// Processes that outlived the process that made them.
    pub orphans: u64,
}

/// Time that the threads of a run spent on a core and before one, those of all its processes
/// together.
///
/// The first two are zero where the kernel does not keep them (`CONFIG_SCHED_INFO`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// They ran.
    pub ran: Duration,
    /// They could have run, and waited for a core. On one core that nobody else uses, this is how
    /// long threads waited for each other: they would have run at the same time on several.
    pub waited: Duration,
    /// Of the time that they ran, what they spent in their own code, to a clock tick: a tracer
    /// slows the rest.
    pub in_code: Duration,
}

/// What ends a wait after a given real time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitKind {
    /// `setitimer` or `alarm`: a signal.
    IntervalTimer,
    /// `timer_settime`: a signal or a thread.
    PosixTimer,
    /// `timerfd_settime`.
    TimerFile,
    /// `poll`, `ppoll`, with a limit.
    Poll,
    /// `select`, `pselect`, with a limit.
    Select,
    /// `epoll_wait` and its like, with a limit.
    Epoll,
    /// A lock or a condition, with a limit.
    Lock,
    /// A signal, a message, a packet or a semaphore, with a limit.
    Message,
}

impl WaitKind {
    /// Whether it goes off by itself, beside what the program does.
    #[must_use]
    pub fn is_timer(self) -> bool {
        matches!(
            self,
            WaitKind::IntervalTimer | WaitKind::PosixTimer | WaitKind::TimerFile
        )
    }
}

/// The times of one kind that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spans {
    /// How often.
    pub times: u64,
    /// The shortest.
    pub shortest: Duration,
    /// The longest.
    pub longest: Duration,
}

/// Calls that do nothing but let time pass: `nanosleep`, or a `poll` of nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sleeps {
    /// How often.
    pub times: u64,
    /// All of them together.
    pub asked: Duration,
}

/// How a program asks on how many cores it may run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cores {
    /// Calls of `sched_getaffinity`. Many runtimes make one as they start, whatever the program
    /// does.
    pub asked: u64,
    /// Calls of `sched_setaffinity`.
    pub set: u64,
    /// Files that tell the number of cores, or the share of them, and were there.
    pub files: BTreeSet<PathBuf>,
}

impl Cores {
    /// Whether it has to do with cores in any way.
    #[must_use]
    pub fn any(&self) -> bool {
        self.set > 0 || self.are_asked()
    }

    /// Whether it asked how many there are. To set them is not to ask.
    #[must_use]
    pub fn are_asked(&self) -> bool {
        self.asked > 0 || !self.files.is_empty()
    }
}

/// A file that was opened for reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileRead {
    /// Whether there was such a file, at any time of asking.
    pub found: bool,
    /// The run made it, or cut it off, before it read it: it is no input.
    pub own: bool,
}

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It was there, and was opened for writing or cut off.
    Written,
    /// It was not there before. Folders, links and sockets as well.
    Created,
    /// Taken away.
    Removed,
    /// It got another name.
    RenamedFrom,
    /// It got this name.
    RenamedTo,
}

/// A file that a run changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileWritten {
    /// What was done, each once.
    pub changes: BTreeSet<Change>,
    /// It was read, and was there, before, or by the same opening: what it held may decide what the
    /// next run does, where the change is one ([`Before::is_changed`]).
    pub read_before: bool,
    /// What there was of this name before the first change.
    pub before: Entry,
    /// The run could tell so: it had asked, or the change works only with that.
    pub told: bool,
    /// Nothing is left of what it held: it was made, cut off or replaced.
    pub anew: bool,
}

impl FileWritten {
    /// What the run found before the first change, where it could tell: what it leaves instead is
    /// what the next run finds.
    #[must_use]
    pub fn found_before(&self) -> Option<Entry> {
        self.told.then_some(self.before)
    }
}

/// What files held before they were first changed, where that was read or asked about before or
/// could be read after: not where a file was cut off, or replaced, before anybody looked at it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// BLAKE3 of each content, by the file's place: links are resolved.
    pub contents: BTreeMap<PathBuf, [u8; 32]>,
    /// What was told of files beside that, where the run sets it: by their place too. Not of files
    /// that it made.
    pub abouts: BTreeMap<PathBuf, About>,
}

impl Before {
    /// Whether a file holds something else now. One whose content nobody kept has changed.
    #[must_use]
    pub fn is_changed(&self, path: &Path) -> bool {
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        // A device such as `/dev/null` keeps nothing.
        if (place.metadata()).is_ok_and(|about| about.file_type().is_char_device()) {
            return false;
        }
        let before = self.contents.get(&place);
        before.is_none_or(|before| content(&place) != Some(*before))
    }
}

impl Traced {
    /// Files that were there and of which something else is told after the run, such as their
    /// rights or their time, because it set that; and whether it had asked about the file, or read
    /// it: then what it left may decide what the next run does.
    pub fn told_otherwise(&self) -> impl Iterator<Item = (&Path, bool)> {
        let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let asked: BTreeSet<PathBuf> = if self.before.abouts.is_empty() {
            BTreeSet::new()
        } else {
            let looked_at = self.looked_at.iter().filter(|(_, found)| **found);
            let looked_at = looked_at.map(|(path, _)| path.as_path());
            self.inputs().chain(looked_at).map(place).collect()
        };
        let abouts = self.before.abouts.iter();
        abouts
            .filter(|(path, before)| About::of(path).as_ref() != Some(*before))
            .map(move |(path, _)| (path.as_path(), asked.contains(path)))
    }
}

/// Whether a folder is one for temporary files (`/tmp`, or what `TMPDIR` names): what others do
/// there is nobody's business.
#[must_use]
pub fn is_for_temporary_files(folder: &Path) -> bool {
    const FOLDERS: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];
    let named = std::env::var_os("TMPDIR");
    FOLDERS.iter().any(|known| folder == Path::new(known))
        || named.is_some_and(|named| folder == Path::new(&named))
}

/// The BLAKE3 of a file's content; `None` for what is no file, or cannot be read.
pub(super) fn content(path: &Path) -> Option<[u8; 32]> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path).ok()?).ok()?;
    Some(hasher.finalize().into())
}

/// What tells one state of a file from the next; the number of its names does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// The file system that it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// In bytes.
    pub size: u64,
    /// When its content was last changed, in seconds and nanoseconds since 1970-01-01 UTC.
    pub modified: (i64, i64),
}

impl From<&Metadata> for FileState {
    fn from(of: &Metadata) -> FileState {
        FileState {
            device: of.dev(),
            inode: of.ino(),
            size: of.size(),
            modified: (of.mtime(), of.mtime_nsec()),
        }
    }
}

/// Who is told at once of a name that is changed.
pub type OnChange = Box<dyn FnMut(&Path) + Send>;

/// What the processes of a build did to files, in the words of [`Traced`].
#[derive(Clone, Debug)]
pub struct BuildFiles {
    /// How the first process ended.
    pub status: ExitStatus,
    /// Files opened for reading.
    pub read: BTreeMap<PathBuf, FileRead>,
    /// Paths that were asked about or gone into, and whether there was such a file; also those by
    /// which programs were started in vain.
    pub looked_at: BTreeMap<PathBuf, bool>,
    /// Folders whose entries were listed.
    pub listed: BTreeSet<PathBuf>,
    /// Files that were changed.
    pub written: BTreeMap<PathBuf, FileWritten>,
    /// Names that were to be made, removed or moved, and were not, for what there was already; they
    /// are among those that were asked about.
    pub in_vain: BTreeSet<PathBuf>,
    /// What they held before.
    pub before: Before,
    /// Programs that were started, by the names that they were started by and with links resolved,
    /// and their loaders.
    pub code: BTreeSet<PathBuf>,
    /// What each of these was when it was first asked about, opened, listed or started.
    pub first: BTreeMap<PathBuf, FileState>,
    /// A process tried to trace another one, which fails under a tracer.
    pub traces: bool,
    /// A process changed its root folder or its mounts: paths may mean other files from then on.
    pub elsewhere: bool,
}

impl Traced {
    /// Processes that no parent waited for. Their CPU time is in no `rusage` of the program.
    #[must_use]
    pub fn unwaited(&self) -> u64 {
        self.family.processes.saturating_sub(self.reaping.waited)
    }

    /// The shortest real time after which a timer goes off beside what the program does.
    #[must_use]
    pub fn shortest_timer(&self) -> Option<Duration> {
        let timers = self.timed.iter().filter(|(kind, _)| kind.is_timer());
        timers.map(|(_, spans)| spans.shortest).min()
    }

    /// The longest real time that is waited for or after which a timer goes off; sleeps apart.
    #[must_use]
    pub fn longest_timer(&self) -> Option<Duration> {
        self.timed.values().map(|spans| spans.longest).max()
    }

    /// Files that were there, were opened for reading, and that the run did not write before.
    pub fn inputs(&self) -> impl Iterator<Item = &Path> {
        let inputs = self.read.iter().filter(|(_, file)| file.found && !file.own);
        inputs.map(|(path, _)| path.as_path())
    }
}

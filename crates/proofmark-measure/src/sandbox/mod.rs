//! A place in which code of somebody else's runs: no network, no home, no process but its own, and
//! limits of time, memory, processes and disk.
//!
//! It is made of the kernel's namespaces alone (users, mounts, processes, network, IPC), so that no
//! tool has to be installed. What is started in it sees a file system that is put together from
//! what it is given ([`Shown`]), and is a user who may do nothing outside.

mod child;
mod error;
mod message;
mod passed_on;
mod prepared;
mod step;
mod watch;

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::Interrupt;
pub use error::SandboxError;
use message::Message;
use passed_on::PassedOn;
use prepared::Prepared;
use step::Step;
use watch::Watch;

/// How often it is looked at how much is used.
const LOOK: Duration = Duration::from_millis(100);

/// How long what runs has to end by itself once it was asked to.
const GRACE: Duration = Duration::from_secs(20);

/// What runs in a sandbox, and what it gets.
#[derive(Clone, Debug)]
pub struct Sandbox {
    /// A folder of its own, to which nobody else writes: the root is put together in it.
    pub scratch: PathBuf,
    /// What is seen in it, in the order in which it is put there.
    pub shown: Vec<Shown>,
    /// The command: a path in the sandbox, and its arguments.
    pub command: Vec<OsString>,
    /// All variables that it has.
    pub env: Vec<(OsString, OsString)>,
    /// The folder in which it runs, in the sandbox.
    pub cwd: PathBuf,
    /// What it may use.
    pub limits: SandboxLimits,
}

/// A file or a folder that is seen in a sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Outside.
    pub file: PathBuf,
    /// Inside.
    pub at: PathBuf,
    /// Whether it may be written to.
    pub writable: bool,
}

/// What may be used in a sandbox, by all of its processes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SandboxLimits {
    /// By the clock.
    pub time: Duration,
    /// Resident memory in bytes.
    pub memory: u64,
    /// Processes and threads.
    pub processes: u64,
    /// Bytes that have to stay free on the disk that it writes to.
    pub disk_left: u64,
}

/// How what ran in a sandbox ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SandboxEnd {
    /// How.
    pub how: Ended,
    /// How many times something in it looked for a way to the network and found none.
    pub network: u64,
}

/// How the command of a sandbox ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this exit code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It used too much, and was ended with all that it had started.
    Stopped(Excess),
    /// The user ended it.
    Interrupted,
}

/// What was used beyond its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    /// It took longer.
    Time(Duration),
    /// Bytes of memory, and how many were allowed.
    Memory {
        /// What was seen.
        used: u64,
        /// What was allowed.
        limit: u64,
    },
    /// Processes and threads.
    Processes {
        /// How many were seen.
        seen: u64,
        /// How many were allowed.
        limit: u64,
    },
    /// The disk is nearly full.
    Disk {
        /// Bytes that are free.
        free: u64,
        /// Bytes that have to be.
        limit: u64,
    },
}

impl Sandbox {
    /// Whether this user may have sandboxes on this system, tried by having one.
    ///
    /// # Errors
    /// When it may not, and what could be done.
    pub fn usable(scratch: &Path) -> Result<(), SandboxError> {
        let limits = SandboxLimits {
            time: Duration::from_secs(60),
            memory: u64::MAX,
            processes: 64,
            disk_left: 0,
        };
        let program = fs::canonicalize("/proc/self/exe")
            .map_err(|source| SandboxError::file("find", Path::new("/proc/self/exe"), source))?;
        let sandbox = Sandbox {
            scratch: scratch.to_owned(),
            shown: system()
                .into_iter()
                .chain([Shown::to_read(&program)])
                .collect(),
            // Nothing is started: that it would be is known from what is mounted by then.
            command: Vec::new(),
            env: Vec::new(),
            cwd: PathBuf::from("/"),
            limits,
        };
        sandbox.run(&Interrupt::new()).map(|_| ())
    }

    /// Runs the command in it, and ends whatever it leaves running. What it prints goes to standard
    /// error, without control characters.
    ///
    /// # Errors
    /// When the kernel forbids one of the namespaces, or something cannot be put into it.
    pub fn run(&self, stop: &Interrupt) -> Result<SandboxEnd, SandboxError> {
        let root = self.scratch.join("root");
        fs::create_dir_all(&root).map_err(|source| SandboxError::file("make", &root, source))?;
        let (told, tell) = pipe()?;
        let (wait, go) = pipe()?;
        let (said, say) = pipe()?;
        let prepared = Prepared::new(self, &root)?;
        let descriptors = child::Descriptors {
            tell: tell.as_raw_fd(),
            wait: wait.as_raw_fd(),
            say: say.as_raw_fd(),
            outer: [go.as_raw_fd(), told.as_raw_fd(), said.as_raw_fd()],
        };
        // SAFETY: the child makes system calls only, with text that was prepared, and leaves by
        // `_exit`.
        let helper = unsafe { libc::fork() };
        match helper {
            ..0 => return Err(SandboxError::of(Step::Fork, io::Error::last_os_error())),
            0 => child::helper(&prepared, &descriptors),
            _ => {}
        }
        let helper = Helper(helper);
        drop((tell, wait, say));
        let passed_on = PassedOn::begin(said);
        let ended = self.followed(&prepared, &helper, (&told, &go), stop);
        drop(helper);
        passed_on.end();
        ended
    }

    /// What comes of it, told by the processes in it.
    fn followed(
        &self,
        prepared: &Prepared,
        helper: &Helper,
        (told, go): (&OwnedFd, &OwnedFd),
        stop: &Interrupt,
    ) -> Result<SandboxEnd, SandboxError> {
        let began = Instant::now();
        let mut watch: Option<Watch> = None;
        // Until then the processes that are seen through its root are those of outside.
        let mut ready = false;
        // When the user wanted its end, and whether it was asked to end.
        let (mut wanted, mut asked): (Option<Instant>, bool) = (None, false);
        loop {
            let network = |watch: &mut Option<Watch>| watch.as_mut().map_or(0, Watch::network);
            let end = |how, watch: &mut Option<Watch>| SandboxEnd {
                how,
                network: network(watch),
            };
            match message::next(told, LOOK)? {
                Some(Message::Unshared) => {
                    self.numbers(helper.0)?;
                    let _ = rustix::io::write(go, &[0]);
                }
                Some(Message::First(pid)) => watch = Some(Watch::of(pid)),
                Some(Message::Ready) => ready = true,
                Some(Message::Failed { step, index, errno }) => {
                    let source = io::Error::from_raw_os_error(errno);
                    return Err(prepared.failed(step, index, source));
                }
                Some(Message::Ended { status }) => {
                    let how = match (wanted, libc::WIFSIGNALED(status)) {
                        (Some(_), _) => Ended::Interrupted,
                        (None, true) => Ended::Signalled(libc::WTERMSIG(status)),
                        (None, false) => Ended::Exited(libc::WEXITSTATUS(status)),
                    };
                    return Ok(end(how, &mut watch));
                }
                Some(Message::Lost) => {
                    let source = io::Error::from_raw_os_error(libc::ESRCH);
                    return Err(SandboxError::of(Step::Fork, source));
                }
                None => {}
            }
            if stop.requested() && wanted.is_none() {
                wanted = Some(Instant::now());
            }
            if let Some(watch) = watch
                .as_ref()
                .filter(|_| ready && !asked && wanted.is_some())
            {
                watch.ask_to_end();
                asked = true;
            }
            if wanted.is_some_and(|wanted| wanted.elapsed() > GRACE) {
                return Ok(end(Ended::Interrupted, &mut watch));
            }
            let used = watch.as_ref().filter(|_| ready);
            let used = used.and_then(|watch| watch.excess(self));
            let late = (began.elapsed() > self.limits.time).then_some(self.limits.time);
            if let Some(excess) = used.or(late.map(Excess::Time)) {
                return Ok(end(Ended::Stopped(excess), &mut watch));
            }
        }
    }

    /// Who its user is outside: this one; of root nobody, who owns nothing.
    fn numbers(&self, helper: libc::pid_t) -> Result<(), SandboxError> {
        let write = |name: &str, text: &str| {
            let file = PathBuf::from(format!("/proc/{helper}/{name}"));
            fs::write(&file, text).map_err(|source| SandboxError::of(Step::Numbers, source))
        };
        if is_root() {
            let both = format!("0 0 1\n{NOBODY} {NOBODY} 1\n");
            write("uid_map", &both)?;
            return write("gid_map", &both);
        }
        let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
        write("uid_map", &format!("0 {} 1\n", user.as_raw()))?;
        write("setgroups", "deny")?;
        write("gid_map", &format!("0 {} 1\n", group.as_raw()))
    }

    /// Who owns what a sandbox may write to, where that has to be said: the files of root's
    /// sandboxes are nobody's.
    ///
    /// # Errors
    /// When it cannot be given away.
    pub fn give(folder: &Path) -> Result<(), SandboxError> {
        if !is_root() {
            return Ok(());
        }
        let failed = |at: &Path, source| SandboxError::file("give away", at, source);
        std::os::unix::fs::lchown(folder, Some(NOBODY), Some(NOBODY))
            .map_err(|source| failed(folder, source))?;
        let Ok(entries) = fs::read_dir(folder) else {
            return Ok(());
        };
        for entry in entries {
            let entry = entry.map_err(|source| failed(folder, source))?;
            let at = entry.path();
            let kind = entry.file_type().map_err(|source| failed(&at, source))?;
            if kind.is_dir() {
                Sandbox::give(&at)?;
            } else {
                std::os::unix::fs::lchown(&at, Some(NOBODY), Some(NOBODY))
                    .map_err(|source| failed(&at, source))?;
            }
        }
        Ok(())
    }
}

/// The number of the user who is nobody, and of its group.
const NOBODY: u32 = 65534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

impl Shown {
    /// Seen at its own path, and not to be written to.
    #[must_use]
    pub fn to_read(path: &Path) -> Shown {
        Shown {
            file: path.to_owned(),
            at: path.to_owned(),
            writable: false,
        }
    }
}

/// What of the system every sandbox sees, as far as it is there: programs, libraries and headers,
/// what the loader goes by, and what the kernel says of the machine. Nothing of `/etc` beside that,
/// of `/home`, `/root`, `/var`, `/run` or `/srv`.
#[must_use]
pub fn system() -> Vec<Shown> {
    const FOLDERS: &[&str] = &[
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/opt",
        "/etc/alternatives",
        "/etc/ld.so.cache",
        "/etc/ld.so.conf",
        "/etc/ld.so.conf.d",
        "/etc/localtime",
        "/sys",
    ];
    let there = |path: &&&str| Path::new(path).symlink_metadata().is_ok();
    let shown = |path: &&str| Shown::to_read(Path::new(path));
    FOLDERS.iter().filter(there).map(shown).collect()
}

fn pipe() -> Result<(OwnedFd, OwnedFd), SandboxError> {
    rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)
        .map_err(|errno| SandboxError::of(Step::Fork, errno.into()))
}

/// The process outside of the namespaces; with it ends all that is in them.
struct Helper(libc::pid_t);

impl Drop for Helper {
    fn drop(&mut self) {
        // SAFETY: our own child. The first process of the sandbox ends with it, and the kernel ends
        // all others with that.
        unsafe {
            libc::kill(self.0, libc::SIGKILL);
            libc::waitpid(self.0, std::ptr::null_mut(), 0);
        }
    }
}

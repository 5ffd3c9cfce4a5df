//! All text that the processes of a sandbox use, made before the first of them is.

use std::ffi::{CString, OsStr, c_char};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::step::Step;
use super::{Sandbox, SandboxError, SandboxLimits, is_root};

/// Text that the processes use.
pub(super) struct Prepared {
    /// The folder that the root is mounted over.
    pub(super) root: CString,
    /// What is put into it.
    pub(super) steps: Vec<Put>,
    /// What each step is about, for messages.
    about: Vec<PathBuf>,
    /// The command, and its variables; none where nothing is started.
    pub(super) command: Words,
    pub(super) env: Words,
    pub(super) cwd: CString,
    pub(super) limits: SandboxLimits,
    /// The user is root, who gives up being so.
    pub(super) root_user: bool,
}

/// One thing that is put into the root; paths are relative to it.
pub(super) enum Put {
    /// An empty folder; it may be there.
    Folder(CString),
    /// An empty file to mount over; it may be there.
    File(CString),
    /// A short file.
    Text(CString, &'static [u8]),
    /// A symbolic link.
    Link { to: CString, at: CString },
    /// A file or folder of outside, with all that is mounted in it.
    Bind {
        file: CString,
        at: CString,
        writable: bool,
    },
    /// A file system in memory.
    Memory(CString),
}

/// What programs look for in `/etc`, and what it says here: nobody of outside.
const TEXTS: &[(&str, &[u8])] = &[
    (
        "etc/passwd",
        b"root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/sh\n\
          user:x:1000:1000:user:/home:/bin/sh\n",
    ),
    ("etc/group", b"root:x:0:\nnogroup:x:65534:\nuser:x:1000:\n"),
    ("etc/hosts", b"127.0.0.1 localhost\n"),
    (
        "etc/nsswitch.conf",
        b"passwd: files\ngroup: files\nhosts: files\n",
    ),
];

/// Devices that do nothing to anybody.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom"];

impl Prepared {
    pub(super) fn new(sandbox: &Sandbox, root: &Path) -> Result<Prepared, SandboxError> {
        let mut all = Steps::default();
        for folder in ["etc", "dev", "dev/shm", "proc", "tmp", "home"] {
            all.put(Path::new(folder), Put::Folder(text(OsStr::new(folder))?));
        }
        for (at, said) in TEXTS {
            all.put(Path::new(at), Put::Text(text(OsStr::new(at))?, said));
        }
        for name in DEVICES {
            all.bind(
                &Path::new("/dev").join(name),
                &Path::new("dev").join(name),
                true,
            )?;
        }
        for (to, at) in [
            ("/proc/self/fd", "dev/fd"),
            ("/proc/self/fd/0", "dev/stdin"),
            ("/proc/self/fd/1", "dev/stdout"),
            ("/proc/self/fd/2", "dev/stderr"),
        ] {
            let (to, name) = (text(OsStr::new(to))?, text(OsStr::new(at))?);
            all.put(Path::new(at), Put::Link { to, at: name });
        }
        all.put(
            Path::new("dev/shm"),
            Put::Memory(text(OsStr::new("dev/shm"))?),
        );
        for shown in &sandbox.shown {
            let at = shown.at.strip_prefix("/").unwrap_or(&shown.at);
            all.bind(&shown.file, at, shown.writable)?;
        }
        let variable = |(name, value): &(std::ffi::OsString, std::ffi::OsString)| {
            let mut both = name.clone();
            both.push("=");
            both.push(value);
            text(&both)
        };
        Ok(Prepared {
            root: text(root.as_os_str())?,
            steps: all.steps,
            about: all.about,
            command: Words::of(sandbox.command.iter().map(|word| text(word)))?,
            env: Words::of(sandbox.env.iter().map(variable))?,
            cwd: text(sandbox.cwd.as_os_str())?,
            limits: sandbox.limits,
            root_user: is_root(),
        })
    }

    /// What went wrong, in words.
    pub(super) fn failed(&self, step: Step, index: usize, source: io::Error) -> SandboxError {
        match (step, self.about.get(index)) {
            (Step::Put, Some(about)) => {
                SandboxError::file("put this into the sandbox:", about, source)
            }
            (Step::Start, _) => {
                let program = self.command.texts.first().map(|word| word.to_bytes());
                let program = Path::new(OsStr::from_bytes(program.unwrap_or_default()));
                SandboxError::file("start in the sandbox", program, source)
            }
            _ => SandboxError::of(step, source),
        }
    }
}

/// Texts as `execve` takes them.
pub(super) struct Words {
    texts: Vec<CString>,
    /// Where they are, with a null behind the last one.
    pointers: Vec<*const c_char>,
}

impl Words {
    fn of(
        texts: impl Iterator<Item = Result<CString, SandboxError>>,
    ) -> Result<Words, SandboxError> {
        let texts = texts.collect::<Result<Vec<CString>, _>>()?;
        let all = texts.iter().map(|text| text.as_ptr());
        let pointers = all.chain([std::ptr::null()]).collect();
        Ok(Words { texts, pointers })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    pub(super) fn as_ptr(&self) -> *const *const c_char {
        self.pointers.as_ptr()
    }
}

/// Steps, in order.
#[derive(Default)]
struct Steps {
    steps: Vec<Put>,
    about: Vec<PathBuf>,
}

impl Steps {
    fn put(&mut self, about: &Path, put: Put) {
        self.steps.push(put);
        self.about.push(about.to_owned());
    }

    /// The folders above a path of the sandbox.
    fn folders(&mut self, at: &Path) -> Result<(), SandboxError> {
        let above: Vec<&Path> = at.ancestors().skip(1).collect();
        for folder in above
            .into_iter()
            .rev()
            .filter(|one| !one.as_os_str().is_empty())
        {
            self.put(folder, Put::Folder(text(folder.as_os_str())?));
        }
        Ok(())
    }

    /// A file or folder of outside. A link stays a link: what it leads to is shown by itself or is
    /// not there.
    fn bind(&mut self, file: &Path, at: &Path, writable: bool) -> Result<(), SandboxError> {
        let unread = |source| SandboxError::file("look at", file, source);
        let about = fs::symlink_metadata(file).map_err(unread)?;
        self.folders(at)?;
        let name = text(at.as_os_str())?;
        if about.is_symlink() {
            let to = text(fs::read_link(file).map_err(unread)?.as_os_str())?;
            self.put(file, Put::Link { to, at: name });
            return Ok(());
        }
        let place = if about.is_dir() {
            Put::Folder(name.clone())
        } else {
            Put::File(name.clone())
        };
        self.put(file, place);
        let bind = Put::Bind {
            file: text(file.as_os_str())?,
            at: name,
            writable,
        };
        self.put(file, bind);
        Ok(())
    }
}

fn text(text: &OsStr) -> Result<CString, SandboxError> {
    CString::new(text.as_bytes()).map_err(|_| {
        let source = io::Error::from_raw_os_error(libc::EINVAL);
        SandboxError::file("use a name with a zero byte", Path::new(text), source)
    })
}

//! What the kernel keeps for all processes by a key or a name, and longer than a run.

use std::ffi::{CString, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// Something of the kernel's that outlives a run, and that every process may ask for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outliving {
    /// `shmget`, by its key.
    SharedMemory(i32),
    /// `semget`, by its key.
    Semaphores(i32),
    /// `msgget`, by its key.
    Messages(i32),
    /// `mq_open`, by its name, without the slash in front.
    Queue(OsString),
    /// Keys of the user or the session (`add_key`).
    Keys,
    /// A file that the kernel is told to forget (`posix_fadvise`, `madvise`): the next run that
    /// reads it waits for the disk.
    Forgotten(PathBuf),
}

impl Outliving {
    /// Whether it is there, be it that it may not be touched. Keys are taken to be.
    pub(super) fn is_there(&self) -> bool {
        // SAFETY: numbers; what exists is asked for, and nothing is made.
        let found = unsafe {
            match self {
                Outliving::SharedMemory(key) => libc::shmget(*key, 0, 0),
                Outliving::Semaphores(key) => libc::semget(*key, 0, 0),
                Outliving::Messages(key) => libc::msgget(*key, 0),
                Outliving::Queue(name) => return queue_is_there(name),
                Outliving::Keys | Outliving::Forgotten(_) => return true,
            }
        };
        found >= 0 || !is_missing()
    }
}

fn queue_is_there(name: &OsString) -> bool {
    let Ok(name) = CString::new(name.as_bytes()) else {
        return false;
    };
    // SAFETY: a name that ends, and a descriptor of our own.
    unsafe {
        let queue = libc::syscall(libc::SYS_mq_open, name.as_ptr(), libc::O_RDONLY, 0, 0);
        match libc::c_int::try_from(queue) {
            Ok(queue) if queue >= 0 => libc::close(queue) == 0,
            _ => !is_missing(),
        }
    }
}

fn is_missing() -> bool {
    std::io::Error::last_os_error().raw_os_error() == Some(libc::ENOENT)
}

impl fmt::Display for Outliving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outliving::SharedMemory(key) => write!(f, "shared memory 0x{key:x}"),
            Outliving::Semaphores(key) => write!(f, "semaphores 0x{key:x}"),
            Outliving::Messages(key) => write!(f, "messages 0x{key:x}"),
            Outliving::Queue(name) => write!(f, "message queue /{}", name.display()),
            Outliving::Keys => f.write_str("keys that the kernel keeps"),
            Outliving::Forgotten(file) => {
                write!(f, "{} (taken out of memory)", file.display())
            }
        }
    }
}

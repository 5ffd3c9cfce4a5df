//! One tune at a time: a lock on a file that root alone may open, so that nobody else can hold it.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use crate::error::{TuneError, of_file};
use crate::journal;
use crate::tree::Disk;
use crate::tree::disk_flags;

const PATH: &str = "run/proofmark/tune.lock";

/// The right to tune, until it is dropped. The kernel takes it back from a process that is killed;
/// children do not inherit it.
#[derive(Debug)]
pub(crate) struct Lock {
    _held: File,
}

impl Lock {
    /// Takes the lock. `command` is what others are told who come meanwhile.
    pub(crate) fn take(disk: &Disk, owner: u32, command: &str) -> Result<Lock, TuneError> {
        journal::ready(disk, owner)?;
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(disk_flags(OFlags::NOFOLLOW))
            .open(disk.place(PATH))
            .map_err(of_file("open", PATH))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let mut holder = String::new();
                // Who holds it writes his name a moment later.
                let _ = file.read_to_string(&mut holder);
                let named = !holder.trim().is_empty();
                return Err(TuneError::Busy {
                    holder: if named {
                        holder.trim().to_owned()
                    } else {
                        "another process".to_owned()
                    },
                });
            }
            Err(error) => return Err(of_file("lock", PATH)(error.into())),
        }
        file.set_len(0)
            .and_then(|()| writeln!(file, "process {}: {command}", std::process::id()))
            .map_err(of_file("write", PATH))?;
        Ok(Lock { _held: file })
    }
}

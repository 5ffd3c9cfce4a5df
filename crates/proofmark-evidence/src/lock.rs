//! The right to measure: at most one process at a time measures into a store.
//!
//! The lock is the kernel's (`flock`), so it ends with its process however that ends; what the file
//! says is only for people.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::error::StoreError;
use crate::holder::Holder;

/// How long a lock is waited for whose holder has ended, and how often it is looked at.
const LEFT_BEHIND: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(20);

/// The right to measure into a store, given back when dropped or when the process ends.
#[derive(Debug)]
pub(crate) struct MeasuringLock {
    file: File,
}

impl MeasuringLock {
    /// Takes the lock of the store in `folder`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Held`] when another process has it; failures of the file system.
    pub(crate) fn take(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join("measuring.lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| StoreError::io("open", &path, &error))?;
        let began = Instant::now();
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::WOULDBLOCK) => {}
                Err(errno) => return Err(StoreError::io("lock", &path, &errno.into())),
            }
            let holder = holder(&mut file);
            // A child that it was just starting when it was killed has the lock for a moment.
            let ended = holder.as_ref().is_some_and(|holder| !holder.is_alive());
            if !ended || began.elapsed() > LEFT_BEHIND {
                return Err(StoreError::Held { path, holder });
            }
            std::thread::sleep(LOOK);
        }
        write_holder(&mut file, &Holder::this_process())
            .map_err(|error| StoreError::io("write", &path, &error))?;
        Ok(MeasuringLock { file })
    }
}

impl Drop for MeasuringLock {
    fn drop(&mut self) {
        // The file stays: removing it would let a third process lock a new file while a second one
        // waits on the old. Failing to empty it harms nobody, since what it says is read only while
        // the lock is held.
        let _ = self.file.set_len(0);
        // Closing alone would leave it to a child that another thread is just starting, until that
        // child calls `exec`.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// Between taking the lock and writing the name there is a moment without one.
fn holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn write_holder(file: &mut File, holder: &Holder) -> std::io::Result<()> {
    file.set_len(0)?;
    file.seek(SeekFrom::Start(0))?;
    serde_json::to_writer(&mut *file, holder)?;
    file.flush()
}

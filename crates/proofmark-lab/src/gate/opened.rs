//! Whether a gate's run opened the image that it was to judge. A suite that finds results of an
//! earlier run in its folder, as make and `go test` do, tells those of another build.

use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use rustix::fs::inotify::{self, CreateFlags, Reader, WatchFlags};
use rustix::io::Errno;

use crate::error::{LabError, of_file};

/// The kernel's word on who opens some files: to read them, to start them or to load them.
pub(super) struct Opened {
    events: OwnedFd,
    /// By file, in their order.
    watches: Vec<i32>,
}

impl Opened {
    /// Watches these files. Each is opened once, to see that the kernel tells.
    pub(super) fn of(files: &[PathBuf]) -> Result<Opened, LabError> {
        let first = files.first().cloned().unwrap_or_default();
        let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)
            .map_err(|errno| of_file("watch", &first)(errno.into()))?;
        let mut opened = Opened {
            events,
            watches: Vec::new(),
        };
        for file in files {
            let watch = inotify::add_watch(&opened.events, file, WatchFlags::OPEN)
                .map_err(|errno| of_file("watch", file)(errno.into()))?;
            opened.watches.push(watch);
            File::open(file).map_err(of_file("open", file))?;
            if !opened.since_last(opened.watches.len() - 1)? {
                let next = "let the store be on a file system of this machine";
                return Err(LabError::Refused(format!(
                    "the kernel does not tell who opens {}, so that gates cannot know whether a \
                     suite ran it\n  next: {next}",
                    file.display()
                )));
            }
        }
        Ok(opened)
    }

    /// Whether a file was opened since the last question about any.
    pub(super) fn since_last(&self, file: usize) -> Result<bool, LabError> {
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = Reader::new(&self.events, &mut buffer);
        let mut found = false;
        loop {
            match events.next() {
                Ok(event) => found |= self.watches.get(file) == Some(&event.wd()),
                Err(Errno::WOULDBLOCK) => return Ok(found),
                Err(Errno::INTR) => {}
                Err(errno) => {
                    return Err(LabError::Fault(format!(
                        "cannot read who opened a build: {errno}"
                    )));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    use super::*;

    #[test]
    fn a_program_that_is_started_is_told_from_one_that_is_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["one", "two"].map(|name| folder.path().join(name));
        for file in &files {
            fs::copy("/bin/true", file).unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let opened = Opened::of(&files).unwrap();
        assert!(Command::new(&files[0]).status().unwrap().success());
        assert!(opened.since_last(0).unwrap());
        assert!(!opened.since_last(0).unwrap());
        assert!(Command::new(&files[0]).status().unwrap().success());
        fs::metadata(&files[1]).unwrap();
        assert!(!opened.since_last(1).unwrap());
    }
}

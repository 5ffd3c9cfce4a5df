//! A copy of a folder in which a program finds what it would in the folder itself: times, rights,
//! owners, and which names are one file.

use std::collections::HashMap;
use std::fs::{self, File, FileTimes, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _, lchown};
use std::path::{Path, PathBuf};

use rustix::fs::{SeekFrom, seek};

use crate::error::LabError;

/// Runs as the file's owner or group.
const SET_ID: u32 = 0o6000;

/// What a copy has of files with several names.
#[derive(Debug, Default)]
pub(crate) struct Links(HashMap<(u64, u64), PathBuf>);

impl Links {
    /// Writes the copy of a file, or gives the one that is there already another name.
    pub(crate) fn copy(
        &mut self,
        about: &Metadata,
        to: &Path,
        write: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<()> {
        if about.nlink() > 1 {
            let file = (about.dev(), about.ino());
            if let Some(known) = self.0.get(&file) {
                return fs::hard_link(known, to);
            }
            self.0.insert(file, to.to_owned());
        }
        write()?;
        like(to, about, 0)
    }
}

/// Gives a copy the owner, permissions and times of its original, and these rights besides.
pub(crate) fn like(copy: &Path, original: &Metadata, rights: u32) -> io::Result<()> {
    let there = copy.symlink_metadata()?;
    if (there.uid(), there.gid()) != (original.uid(), original.gid()) {
        let changed = lchown(copy, Some(original.uid()), Some(original.gid()));
        // To a group that is not the user's nothing can be given; the user's own rights are the
        // same.
        if there.uid() != original.uid() {
            changed?;
        }
    }
    let times = FileTimes::new()
        .set_accessed(original.accessed()?)
        .set_modified(original.modified()?);
    File::open(copy)?.set_times(times)?;
    let mode = original.permissions().mode() | rights;
    fs::set_permissions(copy, Permissions::from_mode(mode))
}

/// What cannot be copied, or would be something else as a copy.
///
/// # Errors
///
/// With its name.
pub(crate) fn may_be_copied(path: &Path, about: &Metadata) -> Result<(), LabError> {
    let refused = |what: &str| {
        Err(LabError::Refused(format!(
            "{} {what}\n  next: take it out of the folder, or name a smaller one",
            path.display()
        )))
    };
    let kind = about.file_type();
    if kind.is_fifo() || kind.is_socket() || kind.is_block_device() || kind.is_char_device() {
        return refused("is a pipe, a socket or a device, which no copy can have");
    }
    if about.permissions().mode() & SET_ID != 0 && about.is_file() {
        return refused("runs with the rights of its owner or group, which no copy of it has");
    }
    let own = rustix::process::geteuid();
    if !own.is_root() && about.uid() != own.as_raw() {
        return refused("belongs to another user, and a copy of it would be yours");
    }
    if about.is_file() && has_holes(path, about.len()) {
        return refused("has holes, which a copy of it fills");
    }
    Ok(())
}

/// Whether nothing was ever written to some of a file; not where it cannot be looked at.
fn has_holes(path: &Path, length: u64) -> bool {
    let hole = File::open(path).map(|file| seek(file, SeekFrom::Hole(0)));
    hole.is_ok_and(|hole| hole.is_ok_and(|hole| hole < length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_file_are_names_of_one_copy() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a"), "1").unwrap();
        fs::hard_link(at("a"), at("b")).unwrap();
        fs::write(at("c"), "1").unwrap();
        fs::create_dir(at("copy")).unwrap();
        let mut links = Links::default();
        for name in ["a", "b", "c"] {
            let about = at(name).symlink_metadata().unwrap();
            let to = at("copy").join(name);
            let write = || fs::copy(at(name), &to).map(drop);
            links.copy(&about, &to, write).unwrap();
        }
        let inode = |name: &str| at("copy").join(name).metadata().unwrap().ino();
        assert_eq!(inode("a"), inode("b"));
        assert_ne!(inode("a"), inode("c"));
        let time = |path: &Path| path.metadata().unwrap().modified().unwrap();
        assert_eq!(time(&at("c")), time(&at("copy/c")));
    }

    #[test]
    fn what_would_be_another_thing_as_a_copy_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("full"), vec![1; 1 << 20]).unwrap();
        File::create(at("sparse"))
            .unwrap()
            .set_len(1 << 20)
            .unwrap();
        let _listening = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
        let why = |name: &str| {
            let about = at(name).symlink_metadata().unwrap();
            may_be_copied(&at(name), &about)
                .err()
                .map(|error| error.to_string())
        };
        assert_eq!(why("full"), None);
        assert!(why("socket").unwrap().contains("a socket"));
        // Some file systems know of no holes.
        if fs::metadata(at("sparse")).unwrap().blocks() == 0 {
            assert!(why("sparse").unwrap().contains("holes"));
        }
    }
}

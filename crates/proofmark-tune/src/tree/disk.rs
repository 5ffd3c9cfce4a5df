//! The files of the machine that this runs on.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, OFlags};

use super::{About, Kind, Tree};

/// Files below a folder: `/`, or a folder of a test.
#[derive(Clone, Debug)]
pub struct Disk {
    root: PathBuf,
}

impl Disk {
    /// The files of this machine.
    #[must_use]
    pub fn of_this_machine() -> Disk {
        Disk::below("/")
    }

    /// The files below a folder.
    pub(crate) fn below(root: impl Into<PathBuf>) -> Disk {
        Disk { root: root.into() }
    }

    /// Where a path of the tree is on the machine.
    pub(crate) fn place(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }
}

impl Tree for Disk {
    fn read(&self, path: &str) -> io::Result<String> {
        Ok(fs::read_to_string(self.place(path))?.trim().to_owned())
    }

    fn write(&self, path: &str, text: &str) -> io::Result<()> {
        OpenOptions::new()
            .write(true)
            .open(self.place(path))?
            .write_all(text.as_bytes())
    }

    fn may_write(&self, path: &str) -> io::Result<()> {
        // As the user by whom files are opened, which need not be the one who called.
        let found = rustix::fs::accessat(CWD, self.place(path), Access::WRITE_OK, AtFlags::EACCESS);
        Ok(found?)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.place(folder)).into_iter().flatten();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    fn about(&self, path: &str) -> io::Result<About> {
        let about = fs::symlink_metadata(self.place(path))?;
        Ok(About {
            kind: match about.file_type() {
                kind if kind.is_file() => Kind::File,
                kind if kind.is_dir() => Kind::Folder,
                _ => Kind::Other,
            },
            owner: about.uid(),
            mode: about.mode() & 0o7777,
        })
    }

    fn make_folder(&self, path: &str) -> io::Result<()> {
        fs::DirBuilder::new().mode(0o755).create(self.place(path))
    }

    fn remove_folder(&self, path: &str) -> io::Result<()> {
        fs::remove_dir(self.place(path))
    }

    fn make_file(&self, path: &str, text: &str) -> io::Result<()> {
        let path = self.place(path);
        remove_if_there(&path)?;
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o644)
            .custom_flags(flags(OFlags::NOFOLLOW))
            .open(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.place(from), self.place(to))
    }

    fn remove_file(&self, path: &str) -> io::Result<()> {
        fs::remove_file(self.place(path))
    }

    fn hold(&self, path: &str, bytes: &[u8]) -> io::Result<Option<File>> {
        let mut file = OpenOptions::new().write(true).open(self.place(path))?;
        file.write_all(bytes)?;
        Ok(Some(file))
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Flags of `open` as the standard library takes them.
pub(crate) fn flags(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}

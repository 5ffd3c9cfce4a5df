//! The files of a machine, as far as tuning reads and writes them: a trait, so that all of it is
//! tested on a tree that is made up, and killed at each write.

mod disk;
#[cfg(test)]
pub(crate) mod made_up;

use std::fs::File;
use std::io;

pub use disk::Disk;
pub(crate) use disk::flags as disk_flags;

/// What kind of file there is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file with text in it.
    File,
    /// A folder.
    Folder,
    /// A link, or a special file.
    Other,
}

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// What kind of file; a link is not followed.
    pub kind: Kind,
    /// The user that it belongs to.
    pub owner: u32,
    /// The permission bits.
    pub mode: u32,
}

/// A tree of files. Paths have no `/` in front: `proc/sys/vm/swappiness`.
pub trait Tree {
    /// The text of a file, without white space around it.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, path: &str) -> io::Result<String>;

    /// Writes a file that is there, in one call.
    ///
    /// # Errors
    /// When it is not there, or the kernel refuses the text.
    fn write(&self, path: &str, text: &str) -> io::Result<()>;

    /// Whether a file could be opened for writing; nothing is written.
    ///
    /// # Errors
    /// Why it could not.
    fn may_write(&self, path: &str) -> io::Result<()>;

    /// The names in a folder, sorted; none where it is not there.
    fn names(&self, folder: &str) -> Vec<String>;

    /// Whose a file is.
    ///
    /// # Errors
    /// When it is not there, or cannot be looked at.
    fn about(&self, path: &str) -> io::Result<About>;

    /// Makes a folder that everybody may read.
    ///
    /// # Errors
    /// When it is there already, or cannot be made.
    fn make_folder(&self, path: &str) -> io::Result<()>;

    /// Removes an empty folder; for a cgroup, one without processes.
    ///
    /// # Errors
    /// When it is not there, or not empty.
    fn remove_folder(&self, path: &str) -> io::Result<()>;

    /// Makes a new file with this text, which everybody may read. What is there is no longer.
    ///
    /// # Errors
    /// When it cannot be made.
    fn make_file(&self, path: &str, text: &str) -> io::Result<()>;

    /// Gives a file another name in one step.
    ///
    /// # Errors
    /// When that cannot be done.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// When it is not there, or cannot be removed.
    fn remove_file(&self, path: &str) -> io::Result<()>;

    /// Opens a file, writes these bytes and keeps it open until what is given back is dropped.
    ///
    /// # Errors
    /// When it cannot be opened or written.
    fn hold(&self, path: &str, bytes: &[u8]) -> io::Result<Option<File>>;
}

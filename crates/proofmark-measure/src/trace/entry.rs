//! What there is of a name.

use std::path::Path;

/// What there is of a name; a link is one wherever it leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entry {
    /// Nothing.
    #[default]
    Nothing,
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl Entry {
    /// What there is now.
    #[must_use]
    pub fn of(path: &Path) -> Entry {
        match path.symlink_metadata() {
            Err(_) => Entry::Nothing,
            Ok(about) if about.is_file() => Entry::File,
            Ok(about) if about.is_dir() => Entry::Folder,
            Ok(about) if about.is_symlink() => Entry::Link,
            Ok(_) => Entry::Other,
        }
    }

    /// In words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Entry::Nothing => "nothing",
            Entry::File => "a file",
            Entry::Folder => "a folder",
            Entry::Link => "a link",
            Entry::Other => "a pipe, a socket or a device",
        }
    }
}

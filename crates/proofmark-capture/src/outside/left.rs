//! What a build has left of a name outside of its own folder, as it is written down.

use std::fs;
use std::io;
use std::path::Path;

use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};

use super::{content, is_there};
use crate::objects::hash_bytes;
use crate::stamp::Stamp;

/// A build, as others know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Maker {
    /// A digest of its key.
    pub(super) key: String,
    /// What it is called.
    pub(super) name: String,
}

impl Maker {
    /// The build of a key, and what it is called.
    #[must_use]
    pub fn new(key: &str, name: &str) -> Maker {
        Maker {
            key: digest(key),
            name: name.to_owned(),
        }
    }
}

/// What one of them noted.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Note {
    pub(super) maker: Maker,
    pub(super) left: Vec<Left>,
}

/// A name that a build left.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Left {
    pub(super) place: OsText,
    pub(super) what: What,
    /// Who did, where it is another one than who notes it: that one has given it another time, or
    /// other rights, and what it is has stayed.
    pub(super) by: Option<Maker>,
}

/// What was left of a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum What {
    File {
        stamp: Stamp,
        content: String,
    },
    /// With where it leads.
    Link {
        stamp: Stamp,
        target: OsText,
    },
    Folder,
    /// There was something before.
    Nothing,
}

impl What {
    pub(super) fn of(place: &Path) -> io::Result<What> {
        let Ok(about) = place.symlink_metadata() else {
            return Ok(What::Nothing);
        };
        let stamp = Stamp::from(&about);
        if about.is_symlink() {
            let target = fs::read_link(place)?.into();
            return Ok(What::Link { stamp, target });
        }
        if about.is_file() {
            let content = content(place)?;
            return Ok(What::File { stamp, content });
        }
        Ok(What::Folder)
    }

    /// Whether nobody has made it anew since. Of a folder its entries tell more. The copy of a
    /// build may have held another name of a file, and is gone.
    fn is_untouched(&self, place: &Path) -> bool {
        let now = || Some(Stamp::from(&place.symlink_metadata().ok()?));
        match self {
            What::Link { stamp, .. } => now().is_some_and(|now| now.is_as_written(stamp)),
            What::File { stamp, content: of } => now().is_some_and(|now| {
                now == *stamp
                    || (now.is_as_written(stamp) && content(place).is_ok_and(|now| now == *of))
            }),
            What::Folder => place.symlink_metadata().is_ok_and(|about| about.is_dir()),
            What::Nothing => !is_there(place),
        }
    }

    /// Whether two say the same, whatever their times.
    pub(super) fn is_like(&self, other: &What) -> bool {
        match (self, other) {
            (What::File { content: one, .. }, What::File { content: other, .. }) => one == other,
            (What::Link { target: one, .. }, What::Link { target: other, .. }) => one == other,
            (one, other) => one == other,
        }
    }
}

impl Note {
    pub(super) fn read(place: &Path) -> Option<Note> {
        serde_json::from_slice(&fs::read(place).ok()?).ok()
    }

    /// What nobody has changed since.
    pub(super) fn still(self) -> impl Iterator<Item = Left> {
        let left = self.left.into_iter();
        left.filter(|left| left.what.is_untouched(Path::new(&left.place)))
    }
}

pub(super) fn digest(key: &str) -> String {
    hash_bytes(key.as_bytes()).into()
}

//! Which build left a file outside of its own folder: another one that reads it is made from the
//! flags and the sources of that one, and nobody asked for that.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};

use super::{Outside, Touched};
use crate::objects::hash_bytes;
use crate::stamp::Stamp;

/// What builds left outside of their own folders, by who did.
#[derive(Clone, Debug)]
pub struct Makers {
    folder: PathBuf,
}

/// What one of them left.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Left {
    /// What it is called.
    name: String,
    files: Vec<(OsText, Stamp)>,
}

impl Left {
    fn read(place: &Path) -> Option<Left> {
        serde_json::from_slice(&fs::read(place).ok()?).ok()
    }

    /// Files that nobody has changed since.
    fn still(&self) -> impl Iterator<Item = &(OsText, Stamp)> {
        let same = |file: &Path, stamp: &Stamp| Stamp::of(file).is_ok_and(|now| now == *stamp);
        let files = self.files.iter();
        files.filter(move |(file, stamp)| same(Path::new(file), stamp))
    }
}

impl Makers {
    /// Kept in this folder.
    #[must_use]
    pub fn new(folder: PathBuf) -> Makers {
        Makers { folder }
    }

    /// Takes down what a build has left. It is known by `key`, and called `name`.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note(&self, key: &str, name: &str, touched: &Touched) -> io::Result<()> {
        let before = Left::read(&self.place(key));
        let mut files: Vec<(OsText, Stamp)> = Vec::new();
        if let Some(left) = &before {
            files.extend(left.still().cloned());
        }
        for file in touched.written.iter().filter(|file| file.is_file()) {
            if let Ok(stamp) = Stamp::of(file) {
                files.push((file.clone().into(), stamp));
            }
        }
        if files.is_empty() && before.is_none() {
            return Ok(());
        }
        let name = name.to_owned();
        fs::create_dir_all(&self.folder)?;
        let mut beside = tempfile::NamedTempFile::new_in(&self.folder)?;
        beside.write_all(&serde_json::to_vec(&Left { name, files })?)?;
        beside
            .persist(self.place(key))
            .map_err(|error| error.error)?;
        Ok(())
    }

    /// A file that a build read, and that another one than `key` left there; with what that one is
    /// called.
    #[must_use]
    pub fn other(&self, key: &str, outside: &Outside) -> Option<(PathBuf, String)> {
        let own = self.place(key);
        let entries = fs::read_dir(&self.folder).ok()?.flatten();
        let places = entries
            .map(|entry| entry.path())
            .filter(|place| *place != own);
        let mut of_others: HashMap<PathBuf, String> = HashMap::new();
        for left in places.filter_map(|place| Left::read(&place)) {
            for (file, _) in left.still() {
                of_others.insert(PathBuf::from(file.as_ref()), left.name.clone());
            }
        }
        if of_others.is_empty() {
            return None;
        }
        outside.files().find_map(|file| {
            let place = file.canonicalize().ok()?;
            let name = of_others.remove(&place)?;
            Some((file.to_owned(), name))
        })
    }

    fn place(&self, key: &str) -> PathBuf {
        self.folder
            .join(format!("{}.json", hash_bytes(key.as_bytes())))
    }
}

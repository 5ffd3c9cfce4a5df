//! What was found out before, in small JSON files, each of which says what it is about. Losing one
//! only costs time.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use proofmark_capture::hash_bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A folder of remembered answers.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    folder: PathBuf,
}

impl Memory {
    pub(crate) fn new(folder: PathBuf) -> Memory {
        Memory { folder }
    }

    /// What was remembered under `key`.
    pub(crate) fn get<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let text = fs::read(self.place(key)).ok()?;
        let (about, what): (String, T) = serde_json::from_slice(&text).ok()?;
        (about == key).then_some(what)
    }

    /// Remembers, if it can be written.
    pub(crate) fn put<T: Serialize>(&self, key: &str, what: &T) {
        let _ = write_json(&self.place(key), &(key, what));
    }

    fn place(&self, key: &str) -> PathBuf {
        let hash = hash_bytes(key.as_bytes());
        self.folder
            .join(format!("{}.json", hash.get(..32).unwrap_or(&hash)))
    }
}

/// Writes JSON beside the file and renames it, so that nobody reads a half of it.
pub(crate) fn write_json<T: Serialize>(file: &Path, what: &T) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(&serde_json::to_vec(what)?)?;
    beside.persist(file).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_in_the_place_of_another_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::new(folder.path().to_owned());
        memory.put("one", &1);
        memory.put("two", &2);
        assert_eq!((memory.get("one"), memory.get("two")), (Some(1), Some(2)));
        fs::copy(memory.place("one"), memory.place("two")).unwrap();
        assert_eq!(
            (memory.get("one"), memory.get::<i32>("two")),
            (Some(1), None)
        );
    }
}

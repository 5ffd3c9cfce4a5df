//! Images already made, kept within a size limit, so that a resumed or repeated experiment links
//! less.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::LabError;

/// Most bytes that the cache may hold: some fifty images of a large interpreter.
const LIMIT: u64 = 512 << 20;

/// A folder of images by key.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens the cache in `folder`, which is made when it is not there.
    pub(crate) fn open(folder: PathBuf) -> Result<Self, LabError> {
        fs::create_dir_all(&folder).map_err(|source| LabError::File {
            action: "make",
            path: folder.clone(),
            source,
        })?;
        Ok(Cache { folder })
    }

    /// Copies a kept image to `place`; false when there is none.
    pub(crate) fn fetch(&self, key: &str, place: &Path) -> Result<bool, LabError> {
        match fs::copy(self.folder.join(key), place) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(LabError::File {
                action: "copy an image to",
                path: place.to_owned(),
                source,
            }),
        }
    }

    /// Keeps a copy of an image. A cache that cannot is only a slower one, so failures are passed
    /// over.
    pub(crate) fn keep(&self, key: &str, image: &Path) {
        let half = self
            .folder
            .join(format!("{key}.part-{}", std::process::id()));
        if fs::copy(image, &half)
            .and_then(|_| fs::rename(&half, self.folder.join(key)))
            .is_err()
        {
            let _ = fs::remove_file(&half);
        }
        self.evict();
    }

    /// Removes the oldest images beyond the limit.
    fn evict(&self) {
        let Ok(entries) = fs::read_dir(&self.folder) else {
            return;
        };
        let mut kept: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|entry| {
                let entry = entry.ok()?;
                let meta = entry.metadata().ok()?;
                Some((meta.modified().ok()?, meta.len(), entry.path()))
            })
            .collect();
        kept.sort();
        let mut total: u64 = kept.iter().map(|(_, size, _)| size).sum();
        for (_, size, path) in kept {
            if total <= LIMIT {
                break;
            }
            if fs::remove_file(path).is_ok() {
                total -= size;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_is_fetched_and_what_was_not_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(folder.path().join("cache")).unwrap();
        let (image, copy) = (folder.path().join("image"), folder.path().join("copy"));
        fs::write(&image, b"an image").unwrap();
        cache.keep("key", &image);
        assert!(cache.fetch("key", &copy).unwrap());
        assert_eq!(fs::read(&copy).unwrap(), b"an image");
        assert!(!cache.fetch("other", &copy).unwrap());
    }
}

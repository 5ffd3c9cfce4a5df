//! What the laboratory keeps in a project's folder and can do without: images of layouts, which can
//! be linked again, and what runs left that were killed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use walkdir::WalkDir;

use crate::error::LabError;

/// What the laboratory can do without, as it lies there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spare {
    /// Images of layouts, the oldest first.
    images: Vec<CachedImage>,
    /// The folders that commands that have ended left, each with its bytes.
    left: Vec<(PathBuf, u64)>,
}

/// What commands leave: what they worked in, and the trees of cells, which are put together anew.
/// Each is reached through no link.
const LEFT: [&[&str]; 2] = [&["work"], &["matrix", "trees"]];

/// An image of a layout, kept for later.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CachedImage {
    written: SystemTime,
    bytes: u64,
    path: PathBuf,
}

/// What of it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpareGarbage {
    /// Images of layouts that go.
    pub images: usize,
    /// Bytes of them.
    pub image_bytes: u64,
    /// Bytes that commands that have ended left, which all go.
    pub left_bytes: u64,
    /// Bytes of the images that stay.
    pub kept_bytes: u64,
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Spare {
    /// Looks into a project's `.proofmark` folder. Where one of the folders in it is a link, what
    /// it leads to is left alone.
    ///
    /// # Errors
    ///
    /// When the folder cannot be read.
    pub fn of(folder: &Path) -> Result<Spare, LabError> {
        let mut images = Vec::new();
        let cache = folder.join("cache");
        if is_folder(&cache)? {
            for entry in fs::read_dir(&cache).map_err(unreadable(&cache))? {
                let entry = entry.map_err(unreadable(&cache))?;
                let about = entry.metadata().map_err(unreadable(&cache))?;
                if about.is_file() {
                    images.push(CachedImage {
                        written: about.modified().map_err(unreadable(&cache))?,
                        bytes: about.len(),
                        path: entry.path(),
                    });
                }
            }
        }
        images.sort();
        let mut left = Vec::new();
        for names in LEFT {
            let mut place = folder.to_owned();
            let mut is_there = true;
            for name in names {
                place.push(name);
                is_there = is_there && is_folder(&place)?;
            }
            if is_there {
                let bytes = bytes_below(&place);
                left.push((place, bytes));
            }
        }
        Ok(Spare { images, left })
    }

    /// What has to go so that images of layouts take at most so many bytes, the oldest first; all
    /// stay where there is no limit.
    #[must_use]
    pub fn beyond(&self, most_bytes: Option<u64>) -> SpareGarbage {
        let whole: u64 = self.images.iter().map(|image| image.bytes).sum();
        let mut kept_bytes = whole;
        let mut files = Vec::new();
        for image in &self.images {
            if most_bytes.is_none_or(|most| kept_bytes <= most) {
                break;
            }
            kept_bytes -= image.bytes;
            files.push(image.path.clone());
        }
        SpareGarbage {
            images: files.len(),
            image_bytes: whole - kept_bytes,
            left_bytes: self.left.iter().map(|(_, bytes)| *bytes).sum(),
            kept_bytes,
            files,
            folders: self.left.iter().map(|(folder, _)| folder.clone()).collect(),
        }
    }
}

impl SpareGarbage {
    /// Removes it. Nothing may be measured in this project meanwhile.
    ///
    /// # Errors
    ///
    /// When something cannot be removed.
    pub fn carry_out(&self) -> Result<(), LabError> {
        let gone = |path: &Path, done: io::Result<()>| match done {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done.map_err(|source| LabError::File {
                action: "remove",
                path: path.to_owned(),
                source,
            }),
        };
        for file in &self.files {
            gone(file, fs::remove_file(file))?;
        }
        // It removes links, and does not follow them.
        self.folders
            .iter()
            .try_for_each(|folder| gone(folder, fs::remove_dir_all(folder)))
    }
}

/// Whether there is a folder of this name, and no link.
fn is_folder(path: &Path) -> Result<bool, LabError> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        about => Ok(about.map_err(unreadable(path))?.is_dir()),
    }
}

/// Bytes of the files below a folder, links not followed; of what cannot be read none.
fn bytes_below(folder: &Path) -> u64 {
    let files = WalkDir::new(folder).into_iter().flatten();
    files
        .filter_map(|entry| entry.metadata().ok())
        .filter(fs::Metadata::is_file)
        .map(|about| about.len())
        .sum()
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> LabError + use<> {
    let path = path.to_owned();
    move |source| LabError::File {
        action: "read",
        path,
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::time::Duration;

    use super::*;

    /// Images of 10, 20 and 30 bytes, the first one the oldest.
    fn images(folder: &Path) {
        fs::create_dir_all(folder.join("cache")).unwrap();
        for number in 1..=3_u8 {
            let file = folder.join(format!("cache/{number}"));
            fs::write(&file, vec![number; usize::from(number) * 10]).unwrap();
            let written = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(number));
            let file = fs::File::options().append(true).open(&file).unwrap();
            file.set_modified(written).unwrap();
        }
    }

    #[test]
    fn the_oldest_images_go_until_the_others_fit() {
        let folder = tempfile::tempdir().unwrap();
        images(folder.path());
        let spare = Spare::of(folder.path()).unwrap();
        let all = spare.beyond(None);
        assert_eq!((all.images, all.kept_bytes, all.left_bytes), (0, 60, 0));
        for (most, gone, bytes) in [
            (60, 0, 0),
            (59, 1, 10),
            (30, 2, 30),
            (29, 3, 60),
            (0, 3, 60),
        ] {
            let garbage = spare.beyond(Some(most));
            assert_eq!(
                (garbage.images, garbage.image_bytes),
                (gone, bytes),
                "{most}"
            );
            assert_eq!(garbage.image_bytes + garbage.kept_bytes, 60);
        }
        spare.beyond(Some(30)).carry_out().unwrap();
        assert!(!folder.path().join("cache/2").exists());
        assert!(folder.path().join("cache/3").exists());
    }

    #[test]
    fn what_killed_runs_left_goes_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("another's"), "kept").unwrap();
        fs::create_dir_all(folder.path().join("work/run")).unwrap();
        fs::write(folder.path().join("work/run/image"), "12345").unwrap();
        fs::create_dir_all(folder.path().join("matrix/trees/1")).unwrap();
        fs::write(folder.path().join("matrix/trees/1/script"), "1").unwrap();
        fs::write(folder.path().join("matrix/lock"), "").unwrap();
        symlink(outside.path(), folder.path().join("work/run/link")).unwrap();
        symlink(outside.path(), folder.path().join("cache")).unwrap();
        let garbage = Spare::of(folder.path()).unwrap().beyond(Some(0));
        assert_eq!((garbage.left_bytes, garbage.images), (6, 0));
        garbage.carry_out().unwrap();
        garbage.carry_out().unwrap();
        assert!(!folder.path().join("work").exists());
        assert!(!folder.path().join("matrix/trees").exists());
        assert!(folder.path().join("matrix/lock").exists());
        symlink(outside.path(), folder.path().join("work")).unwrap();
        let of_link = Spare::of(folder.path()).unwrap().beyond(Some(0));
        of_link.carry_out().unwrap();
        assert_eq!(
            fs::read_to_string(outside.path().join("another's")).unwrap(),
            "kept"
        );
        let nothing = Spare::of(&folder.path().join("none")).unwrap();
        assert_eq!(nothing.beyond(None).kept_bytes, 0);
    }
}

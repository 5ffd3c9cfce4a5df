//! What a build read outside of its own folder, whichever of its processes did, and what it looked
//! for there in vain: looked at again before the build is taken for what it was.

mod follower;
mod places;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use proofmark_measure::trace::FileState;
use proofmark_terms::{Digest, OsText};
use serde::{Deserialize, Serialize};

use crate::objects::hash_file;
use crate::shim::follow::{self, Seen, State};
use places::{Places, is_everybodys, is_of_a_cache};

pub use follower::{Follower, Following};

/// Files outside of a build's own folder, each by its name as the build called it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    /// What was read or run, by content.
    files: Vec<(OsText, String)>,
    /// What was there and was not read.
    there: Vec<OsText>,
    /// What was not there.
    absent: Vec<OsText>,
    listed: Vec<Listed>,
}

/// A folder by the names in it, without those that the build made there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Listed {
    folder: OsText,
    own: BTreeSet<OsText>,
    hash: Digest,
}

/// What is known of a build that was to be followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Known {
    /// All that it read.
    All(Outside),
    /// Nobody followed it, for this reason.
    Nothing(String),
}

impl Known {
    /// Writes it into a file, as a whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut beside = tempfile::NamedTempFile::new_in(folder)?;
        beside.write_all(&serde_json::to_vec(self)?)?;
        beside.persist(file).map_err(|error| error.error)?;
        Ok(())
    }

    /// What was written; none where that is lost or was never there.
    #[must_use]
    pub fn read(file: &Path) -> Option<Known> {
        serde_json::from_slice(&fs::read(file).ok()?).ok()
    }
}

impl Outside {
    fn of(seen: &Seen, mut places: Places) -> Result<Outside, String> {
        let written: BTreeSet<PathBuf> = seen
            .written
            .iter()
            .map(|(name, _)| places.settled(Path::new(name)))
            .collect();
        for (name, read_before) in &seen.written {
            let place = places.settled(Path::new(name));
            if *read_before && !places.leaves_out(&place) && !is_of_a_cache(&place) {
                return Err(format!(
                    "{} was read and then changed by the build, so that the next build of the same would read something else\n  next: let builds write into their own folder only",
                    place.display()
                ));
            }
        }
        let mut outside = Outside::default();
        for (name, first) in &seen.read {
            let Some((name, place)) = places.outside(name, &written) else {
                continue;
            };
            let about = fs::metadata(&place).map_err(|_| changed(&place))?;
            if !about.is_file() {
                continue;
            }
            if is_other(&about, *first) {
                return Err(changed(&name));
            }
            let content = content(&place).map_err(|_| changed(&place))?;
            outside.files.push((name.into(), content));
        }
        for name in &seen.there {
            if let Some((name, _)) = places.outside(name, &written)
                && name.exists()
            {
                outside.there.push(name.into());
            }
        }
        for name in &seen.absent {
            if let Some((name, _)) = places.outside(name, &written)
                && !name.exists()
            {
                outside.absent.push(name.into());
            }
        }
        for (folder, first) in &seen.listed {
            let place = places.settled(Path::new(folder));
            let Some((folder, _)) = places.outside(folder, &BTreeSet::new()) else {
                continue;
            };
            // A folder for everybody's temporary files changes all the time.
            let about = fs::metadata(&folder).map_err(|_| changed(&folder))?;
            if is_everybodys(&folder) {
                continue;
            }
            let made = written.iter().filter(|file| file.parent() == Some(&place));
            let own: BTreeSet<OsText> = made
                .filter_map(|file| Some(OsText::from(file.file_name()?.to_owned())))
                .collect();
            if own.is_empty() && is_other(&about, *first) {
                return Err(changed(&folder));
            }
            let hash = names_in(&folder, &own).map_err(|_| changed(&folder))?;
            let folder = folder.into();
            outside.listed.push(Listed { folder, own, hash });
        }
        for names in [&mut outside.there, &mut outside.absent] {
            names.sort_unstable();
            names.dedup();
        }
        outside.files.sort_unstable();
        outside.files.dedup();
        Ok(outside)
    }

    /// The first that is not as it was; `hash` tells a file's content, [`content`] where nothing is
    /// remembered of it.
    pub fn changed(&self, mut hash: impl FnMut(&Path) -> io::Result<String>) -> Option<PathBuf> {
        let differs = |listed: &&Listed| {
            let folder = Path::new(&listed.folder);
            names_in(folder, &listed.own).map_or(true, |now| now != listed.hash)
        };
        let file = |(name, _): &(OsText, String)| PathBuf::from(name.as_ref());
        let name = |name: &OsText| PathBuf::from(name.as_ref());
        let there = self.there.iter().find(|name| !Path::new(*name).exists());
        let come = self.absent.iter().find(|name| Path::new(*name).exists());
        let listed = self.listed.iter().find(differs);
        there
            .map(name)
            .or_else(|| come.map(name))
            .or_else(|| listed.map(|listed| name(&listed.folder)))
            .or_else(|| {
                let files = self.files.iter();
                let mut changed = files.filter(|(name, known)| {
                    hash(Path::new(name)).map_or(true, |now| now != *known)
                });
                changed.next().map(file)
            })
    }
}

/// A file's content as a text: its hash, or what is known of it where only its owner may read it.
///
/// # Errors
/// When there is no such file.
pub fn content(file: &Path) -> io::Result<String> {
    hash_file(file).map(String::from).or_else(|_| {
        let about = fs::metadata(file)?;
        Ok(format!(
            "{} bytes of {}.{:09}",
            about.len(),
            about.mtime(),
            about.mtime_nsec()
        ))
    })
}

fn changed(file: &Path) -> String {
    format!(
        "{} changed while it was built, which reads it\n  next: give the command again; a build writes into its own folder only",
        file.display()
    )
}

fn is_other(about: &fs::Metadata, first: State) -> bool {
    follow::state(FileState::from(about)) != first
}

/// A hash over the names in a folder.
fn names_in(folder: &Path, without: &BTreeSet<OsText>) -> io::Result<Digest> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if !without.contains(&OsText::from(name.clone())) {
            names.push(name);
        }
    }
    names.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for name in names {
        hasher.update(name.as_bytes()).update(b"\0");
    }
    Ok(hasher.finalize().to_hex().as_str().into())
}

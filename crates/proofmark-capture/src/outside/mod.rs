//! What a build read outside of its own folder, whichever of its processes did, and what it looked
//! for there in vain: looked at again before the build is taken for what it was.

mod answers;
mod follower;
mod places;

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use proofmark_measure::trace::{FileState, is_for_temporary_files};
use proofmark_terms::{Digest, OsText};
use serde::{Deserialize, Serialize};

use crate::shim::follow::{self, Seen, State};
pub use answers::{answer, content, entries_of};
pub use follower::{Follower, Following};
use places::{Places, is_of_a_cache};

/// Files outside of a build's own folder, each by its name as the build called it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    /// What was read or run, by content.
    files: Vec<(OsText, String)>,
    /// What was asked about and was there, each with the answer ([`answer`]).
    asked: Vec<(OsText, String)>,
    /// What was not there.
    absent: Vec<OsText>,
    listed: Vec<Listed>,
}

/// Places outside of a build's own folder that it had to do with: what another build changes at the
/// same time, and this one reads, is nobody's.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// Files that it left with another content, or made, or removed; without those of caches.
    pub written: BTreeSet<PathBuf>,
    /// What it read, asked about or looked for in vain, be it its own.
    pub read: BTreeSet<PathBuf>,
}

/// A folder by the names in it and what they are, without those that the build made there.
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
    fn of(seen: &Seen, mut places: Places) -> Result<(Outside, Touched), String> {
        let written = Writing::of(seen, &mut places)?;
        let mut outside = Outside::default();
        let mut touched = Touched::default();
        let mut known: HashMap<PathBuf, String> = HashMap::new();
        for (name, first) in &seen.read {
            let Some((name, place)) = places.outside(name, &written.changed) else {
                continue;
            };
            let about = fs::metadata(&place).map_err(|_| changed(&place))?;
            if about.is_dir() {
                // It may be listed, or be where other names start from: where does it lead?
                outside.asked.push((name.clone().into(), String::new()));
                continue;
            }
            if !about.is_file() {
                continue;
            }
            if is_other(&about, *first) && !written.unchanged.contains(&place) {
                return Err(changed(&name));
            }
            let content = content(&place).map_err(|_| changed(&place))?;
            known.insert(name.clone(), content.clone());
            touched.read.insert(place);
            outside.files.push((name.into(), content));
        }
        for (name, first) in &seen.asked {
            let Some((name, place)) = places.outside(name, &written.changed) else {
                continue;
            };
            // What was read is known by content.
            if known.contains_key(&name) && !name.is_symlink() {
                continue;
            }
            let temporary = place.parent().is_some_and(is_for_temporary_files);
            match fs::metadata(&place) {
                Ok(about) if about.is_file() => {
                    let held = is_other(&about, *first) && !written.unchanged.contains(&place);
                    if held && !temporary {
                        return Err(changed(&name));
                    }
                    touched.read.insert(place);
                }
                Ok(_) => {}
                Err(_) if name.is_symlink() => {}
                // Others come and go there.
                Err(_) if temporary => continue,
                Err(_) => return Err(changed(&name)),
            }
            outside.asked.push((name.into(), String::new()));
        }
        for name in &seen.absent {
            let Some((name, place)) = places.outside(name, &written.changed) else {
                continue;
            };
            touched.read.insert(place);
            // One that has come since was found later, and is known by that.
            if !name.exists() {
                outside.absent.push(name.into());
            }
        }
        for (folder, first) in &seen.listed {
            let place = places.settled(Path::new(folder));
            let Some((folder, _)) = places.outside(folder, &BTreeSet::new()) else {
                continue;
            };
            // It changes all the time.
            if is_for_temporary_files(&folder) {
                continue;
            }
            let about = fs::metadata(&folder).map_err(|_| changed(&folder))?;
            let made = written.changed.iter();
            let made = made.filter(|file| file.parent() == Some(&place));
            let own: BTreeSet<OsText> = made
                .filter_map(|file| Some(OsText::from(file.file_name()?.to_owned())))
                .collect();
            if own.is_empty() && is_other(&about, *first) {
                return Err(changed(&folder));
            }
            let hash = entries_of(&folder, &own).map_err(|_| changed(&folder))?;
            let folder = folder.into();
            outside.listed.push(Listed { folder, own, hash });
        }
        outside.absent.sort_unstable();
        outside.absent.dedup();
        outside.asked.sort_unstable();
        outside.asked.dedup();
        let mut hash = |file: &Path| {
            let found = known.get(file).cloned();
            found.map_or_else(|| content(file), Ok)
        };
        for (name, told) in &mut outside.asked {
            *told = answer(Path::new(name), &mut hash);
        }
        outside.files.sort_unstable();
        outside.files.dedup();
        touched.read.extend(written.read_again);
        touched.written = written.changed;
        touched
            .written
            .retain(|place| !places.leaves_out(place) && !is_of_a_cache(place) && !place.is_dir());
        Ok((outside, touched))
    }

    /// The first that is not as it was; `hash` tells a file's content, [`content`] where nothing is
    /// remembered of it.
    pub fn changed(&self, mut hash: impl FnMut(&Path) -> io::Result<String>) -> Option<PathBuf> {
        let differs = |listed: &&Listed| {
            let folder = Path::new(&listed.folder);
            entries_of(folder, &listed.own).map_or(true, |now| now != listed.hash)
        };
        let name = |name: &OsText| PathBuf::from(name.as_ref());
        let come = self.absent.iter().find(|name| Path::new(*name).exists());
        let listed = self.listed.iter().find(differs);
        come.map(name)
            .or_else(|| listed.map(|listed| name(&listed.folder)))
            .or_else(|| {
                let mut files = self.files.iter();
                let changed = files
                    .find(|(name, known)| hash(Path::new(name)).map_or(true, |now| now != *known));
                changed.map(|(file, _)| name(file))
            })
            .or_else(|| {
                let mut asked = self.asked.iter();
                let changed =
                    asked.find(|(name, told)| answer(Path::new(name), &mut hash) != *told);
                changed.map(|(asked, _)| name(asked))
            })
    }
}

/// What a build wrote, by its place.
struct Writing {
    /// What it made, removed, or left with another content.
    changed: BTreeSet<PathBuf>,
    /// What it opened for writing, and left as it was.
    unchanged: BTreeSet<PathBuf>,
    /// What it changed and read as well.
    read_again: Vec<PathBuf>,
}

impl Writing {
    /// # Errors
    /// When something was read as it was before, and then changed: the next build of the same finds
    /// something else.
    fn of(seen: &Seen, places: &mut Places) -> Result<Writing, String> {
        let mut writing = Writing {
            changed: BTreeSet::new(),
            unchanged: BTreeSet::new(),
            read_again: Vec::new(),
        };
        for written in &seen.written {
            let place = places.settled(Path::new(&written.name));
            if written.read {
                writing.read_again.push(place.clone());
            }
            let of = if written.changed {
                &mut writing.changed
            } else {
                &mut writing.unchanged
            };
            of.insert(place);
        }
        let changed = &writing.changed;
        writing.unchanged.retain(|place| !changed.contains(place));
        for (name, _) in &seen.read {
            let place = places.settled(Path::new(name));
            if changed.contains(&place) && !places.leaves_out(&place) && !is_of_a_cache(&place) {
                return Err(format!(
                    "{} was read and then changed by the build, so that the next build of the same \
                     would read something else\n  next: let builds write into their own folder only",
                    place.display()
                ));
            }
        }
        Ok(writing)
    }
}

fn changed(file: &Path) -> String {
    format!(
        "{} changed while it was built, which reads it\n  \
         next: give the command again; a build writes into its own folder only",
        file.display()
    )
}

fn is_other(about: &fs::Metadata, first: State) -> bool {
    follow::state(FileState::from(about)) != first
}

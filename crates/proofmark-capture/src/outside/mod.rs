//! What a build read outside of its own folder, whichever of its processes did, and what it looked
//! for there in vain: looked at again before the build is taken for what it was.

mod answers;
mod follower;
mod gather;
mod left;
mod makers;
mod not_copied;
mod original;
mod places;
mod ways;
mod writing;

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use proofmark_measure::trace::Entry;
use proofmark_terms::{Digest, OsText};
use serde::{Deserialize, Serialize};

pub use answers::{answer, content, entries_of};
use answers::{is_there, rights_of};
pub use follower::{Follower, Following, LeftOutside, Sought};
pub use left::Maker;
pub use makers::{Held, Makers, OfAnother};
pub use original::{Bypass, Original, Tools};
pub use ways::Ways;

/// Files outside of a build's own folder, each by its name as the build called it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outside {
    /// What was read or run.
    files: Vec<FileRead>,
    /// What was asked about and was there, each with the answer ([`answer`]).
    asked: Vec<(OsText, String)>,
    /// What was not there.
    absent: Vec<OsText>,
    listed: Vec<Listed>,
    /// What there was of a name before the build changed it, where it could tell, in a word: what
    /// it leaves is what the next build finds.
    before: Vec<(OsText, String)>,
}

/// A file by its content and by who may do what with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct FileRead {
    name: OsText,
    content: String,
    rights: u32,
}

/// Places outside of a build's own folder that it had to do with: what another build changes at the
/// same time, and this one reads, is nobody's.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// What it left with another content, or made, or removed, folders too; without caches.
    pub written: BTreeSet<PathBuf>,
    /// What it read, asked about or looked for in vain, be it its own; and links by which it came
    /// there.
    pub read: BTreeSet<PathBuf>,
    /// What of that it opened, or came through as a link.
    pub opened: BTreeSet<PathBuf>,
    /// Folders whose entries it listed.
    pub listed: BTreeSet<PathBuf>,
    /// What of `written` was there before and is gone.
    pub removed: BTreeSet<PathBuf>,
    /// What it would have made, changed or removed, had it not been so already.
    pub made_sure: BTreeSet<PathBuf>,
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

impl Touched {
    /// With what the same build had to do with when it ran before.
    #[must_use]
    pub fn and(mut self, before: &Touched) -> Touched {
        let sets = [
            (&mut self.written, &before.written),
            (&mut self.read, &before.read),
            (&mut self.opened, &before.opened),
            (&mut self.listed, &before.listed),
            (&mut self.removed, &before.removed),
            (&mut self.made_sure, &before.made_sure),
        ];
        for (all, more) in sets {
            all.extend(more.iter().cloned());
        }
        self
    }
}

impl Known {
    /// Writes it into a file that has the build's name, as a whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, file: &Path) -> io::Result<()> {
        let folder = file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut beside = tempfile::NamedTempFile::new_in(folder)?;
        beside.write_all(&serde_json::to_vec(&(named_by(file), self))?)?;
        beside.persist(file).map_err(|error| error.error)?;
        Ok(())
    }

    /// What was written; none where that is lost, was never there, or is of another build.
    #[must_use]
    pub fn read(file: &Path) -> Option<Known> {
        let (name, known): (OsText, Known) = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
        (Some(name) == named_by(file)).then_some(known)
    }
}

/// The build's name, by which a file is called.
fn named_by(file: &Path) -> Option<OsText> {
    Some(file.file_stem()?.to_owned().into())
}

impl Outside {
    /// The first that is not as it was; `hash` tells a file's content, [`content`] where nothing is
    /// remembered of it.
    pub fn changed(&self, mut hash: impl FnMut(&Path) -> io::Result<String>) -> Option<PathBuf> {
        let differs = |listed: &&Listed| {
            let folder = Path::new(&listed.folder);
            entries_of(folder, &listed.own).map_or(true, |now| now != listed.hash)
        };
        let name = |name: &OsText| PathBuf::from(name.as_ref());
        let come = self.absent.iter().find(|name| is_there(Path::new(*name)));
        let listed = self.listed.iter().find(differs);
        come.map(name)
            .or_else(|| listed.map(|listed| name(&listed.folder)))
            .or_else(|| {
                let mut files = self.files.iter();
                let changed = files.find(|file| !file.is_as_it_was(&mut hash));
                changed.map(|file| name(&file.name))
            })
            .or_else(|| self.left_otherwise())
            .or_else(|| {
                let mut asked = self.asked.iter();
                let changed =
                    asked.find(|(name, told)| answer(Path::new(name), &mut hash) != *told);
                changed.map(|(asked, _)| name(asked))
            })
    }

    /// A name of which the build found something else than there is now, once it has changed it:
    /// right after the build, one that makes the next build of the same another one.
    #[must_use]
    pub fn left_otherwise(&self) -> Option<PathBuf> {
        let mut before = self.before.iter();
        let other = before.find(|(name, found)| Entry::of(Path::new(name)).word() != *found)?;
        Some(PathBuf::from(other.0.as_ref()))
    }
}

impl FileRead {
    fn is_as_it_was(&self, hash: &mut impl FnMut(&Path) -> io::Result<String>) -> bool {
        let name = Path::new(&self.name);
        let rights = fs::metadata(name).map(|about| rights_of(&about));
        rights.is_ok_and(|rights| rights == self.rights)
            && hash(name).is_ok_and(|content| content == self.content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_build_read_is_not_taken_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = ["one.json", "other.json"].map(|name| folder.path().join(name));
        let known = Known::Nothing("nobody followed it".to_owned());
        known.write(&one).unwrap();
        assert_eq!(Known::read(&one), Some(known));
        fs::copy(&one, &other).unwrap();
        assert_eq!(Known::read(&other), None);
    }
}

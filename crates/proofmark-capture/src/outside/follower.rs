//! A build that is followed: what is started in front of it, and what came of it.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use proofmark_terms::OsText;
use tempfile::TempDir;

use super::gather::gather;
use super::places::{Places, is_hidden_at_home, is_of_a_cache};
use super::{Known, Maker, Touched};
use crate::shim::follow::{self, Followed};

/// The name of the file that says which build it is.
const OF: &str = "of";

/// Which build was followed here, by which program, as far as that was said.
pub(super) fn followed_in(folder: &Path) -> Option<(Maker, PathBuf)> {
    serde_json::from_slice(&fs::read(folder.join(OF)).ok()?).ok()
}

/// What a build that was killed had changed until then: of the names that it opened for writing
/// those that are newer than it.
pub(super) fn until_killed(folder: &Path, mut places: Places) -> Touched {
    let Some((began, names)) = follow::journalled(folder) else {
        return Touched::default();
    };
    let is_newer = |place: &PathBuf| {
        let about = place.symlink_metadata();
        about.is_ok_and(|about| (about.ctime(), about.ctime_nsec()) >= began)
    };
    let written = names.iter().map(|name| places.settled(Path::new(name)));
    let written: BTreeSet<PathBuf> = written.filter(is_newer).collect();
    let written = written.into_iter();
    Touched {
        written: written.filter(|place| places.is_counted(place)).collect(),
        ..Touched::default()
    }
}

/// A build that is followed.
#[derive(Debug)]
pub struct Follower {
    folder: TempDir,
    program: PathBuf,
    shim_program: PathBuf,
}

/// A [`Follower`] as a capture knows it.
#[derive(Clone, Debug)]
pub struct Following {
    program: PathBuf,
    shim_program: PathBuf,
    folder: PathBuf,
    own: Vec<PathBuf>,
}

/// What a build has left outside of its own folders.
#[derive(Clone, Debug, Default)]
pub struct LeftOutside {
    /// Files of its own, without links and detours.
    pub files: BTreeSet<PathBuf>,
    /// Files that are kept for more than one build, links, and folders with nothing in them: a run
    /// may find them, and they are no part of the build.
    pub others: BTreeSet<PathBuf>,
}

/// Names that a build had to do with, its own folders among them.
#[derive(Clone, Debug, Default)]
pub struct Sought {
    /// Looked for in vain.
    pub absent: BTreeSet<PathBuf>,
    /// Read, or asked about and there.
    pub found: BTreeSet<PathBuf>,
    /// Those of them that were read.
    pub read: BTreeSet<PathBuf>,
    /// Folders whose entries were listed.
    pub listed: Vec<PathBuf>,
    /// Left with another content, made, moved or removed.
    pub written: BTreeSet<PathBuf>,
}

impl Following {
    /// What starts the build's command: a program with that command as its words.
    #[must_use]
    pub fn started_by(&self) -> &Path {
        &self.program
    }

    /// What the build wrote or made outside of its own folders and left there, once it has ended;
    /// `None` where nobody could follow it. Caches are left out.
    #[must_use]
    pub fn left(&self) -> Option<LeftOutside> {
        let Some(Followed::Seen(seen)) = follow::note(&self.folder) else {
            return None;
        };
        let own: Vec<&Path> = self.own.iter().map(PathBuf::as_path).collect();
        let mut places = Places::new(&own, &self.shim_program);
        let mut left = LeftOutside::default();
        for written in seen.written.iter().filter(|written| written.changed) {
            let name = places.settled(Path::new(&written.name));
            if !places.leaves_out(&name) && !is_of_a_cache(&name) && is_empty(&name) {
                left.others.insert(name.clone());
            }
            let Ok(place) = name.canonicalize() else {
                continue;
            };
            if place.is_file() && !places.leaves_out(&place) && !is_of_a_cache(&place) {
                let kind = if is_hidden_at_home(&place) {
                    &mut left.others
                } else {
                    &mut left.files
                };
                kind.insert(place);
            }
        }
        Some(left)
    }
}

/// Whether a name is that of a link, or of a folder with nothing in it.
fn is_empty(name: &Path) -> bool {
    name.is_symlink() || fs::read_dir(name).is_ok_and(|mut entries| entries.next().is_none())
}

impl Follower {
    /// Makes a folder of its own in `place`; `program` is the one that acts as the shims.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn begin(place: &Path, prefix: &str, program: &Path) -> io::Result<Follower> {
        fs::create_dir_all(place)?;
        let folder = TempDir::with_prefix_in(prefix, place)?;
        Ok(Follower {
            program: follow::prepare(folder.path(), program)?,
            shim_program: program.canonicalize()?,
            folder,
        })
    }

    /// What a capture has to know of it ([`crate::CaptureRequest::followed`]). In `own` folders the
    /// build, or proofmark, works.
    #[must_use]
    pub fn following(&self, own: &[&Path]) -> Following {
        Following {
            program: self.program.clone(),
            shim_program: self.shim_program.clone(),
            folder: self.folder.path().to_owned(),
            own: own.iter().map(|&folder| folder.to_owned()).collect(),
        }
    }

    /// Why the build has to run again without being followed: it could not bear it.
    #[must_use]
    pub fn disturbed(&self) -> Option<String> {
        match follow::note(self.folder.path()) {
            Some(Followed::Disturbed(why)) => Some(why),
            _ => None,
        }
    }

    /// What the build had to do with, wherever it is; nothing of a build that nobody followed.
    #[must_use]
    pub fn sought(&self) -> Sought {
        let Some(Followed::Seen(seen)) = follow::note(self.folder.path()) else {
            return Sought::default();
        };
        let place = |name: &OsText| Path::new(name).to_owned();
        Sought {
            absent: seen.absent.iter().map(place).collect(),
            found: (seen.read.iter().chain(&seen.asked))
                .map(|(name, _)| place(name))
                .collect(),
            read: seen.read.iter().map(|(name, _)| place(name)).collect(),
            listed: seen.listed.iter().map(|(name, _)| place(name)).collect(),
            written: (seen.written.iter().filter(|written| written.changed))
                .map(|written| place(&written.name))
                .collect(),
        }
    }

    /// What was read, once the build has ended, or why nobody knows: something was changed after it
    /// was read. And what it had to do with, in any case. In `own` folders the build, or proofmark,
    /// works.
    pub fn end(&self, own: &[&Path]) -> (Result<Known, String>, Touched) {
        let nothing = |why| (Ok(Known::Nothing(why)), Touched::default());
        match follow::note(self.folder.path()) {
            Some(Followed::Seen(seen)) => {
                let places = Places::new(own, &self.shim_program);
                let began = follow::began(self.folder.path()).unwrap_or_default();
                let (outside, touched) = gather(&seen, places, began);
                (outside.map(Known::All), touched)
            }
            Some(Followed::Unseen(why) | Followed::Disturbed(why)) => nothing(why),
            None => {
                let places = Places::new(own, &self.shim_program);
                let touched = until_killed(self.folder.path(), places);
                let why = "whoever followed it was killed".to_owned();
                (Ok(Known::Nothing(why)), touched)
            }
        }
    }

    /// Says which build it follows, should nobody be there at its end ([`Makers::left_by_killed`]).
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn is_of(&self, maker: &Maker) -> io::Result<()> {
        let text = serde_json::to_vec(&(maker, &self.shim_program))?;
        fs::write(self.folder.path().join(OF), text)
    }
}

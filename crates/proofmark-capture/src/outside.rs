//! What a build read outside of its own folder, whichever of its processes did, and what it looked
//! for there in vain: looked at again before the build is taken for what it was.

use std::collections::{BTreeSet, HashMap};
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

use proofmark_measure::trace::FileState;
use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::objects::hash_file;
use crate::shim::follow::{self, Followed, Seen, State};

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
    hash: String,
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

/// A build that is followed.
#[derive(Debug)]
pub struct Follower {
    folder: TempDir,
    program: PathBuf,
    shim_program: PathBuf,
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

    /// What starts the build's command ([`crate::CaptureRequest::started_by`]).
    #[must_use]
    pub fn started_by(&self) -> Vec<OsString> {
        vec![self.program.clone().into()]
    }

    /// Why the build has to run again without being followed: it could not bear it.
    #[must_use]
    pub fn disturbed(&self) -> Option<String> {
        match follow::note(self.folder.path()) {
            Some(Followed::Disturbed(why)) => Some(why),
            _ => None,
        }
    }

    /// What was read, once the build has ended. In `own` folders the build, or proofmark, works.
    ///
    /// # Errors
    /// When something was changed after it was read: nobody knows which content it was.
    pub fn end(&self, own: &[&Path]) -> Result<Known, String> {
        match follow::note(self.folder.path()) {
            Some(Followed::Seen(seen)) => {
                let places = Places::new(own, &self.shim_program);
                Outside::of(&seen, places).map(Known::All)
            }
            Some(Followed::Unseen(why) | Followed::Disturbed(why)) => Ok(Known::Nothing(why)),
            None => Ok(Known::Nothing("it left no note".to_owned())),
        }
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
    hash_file(file).or_else(|_| {
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
fn names_in(folder: &Path, without: &BTreeSet<OsText>) -> io::Result<String> {
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
    Ok(hasher.finalize().to_hex().to_string())
}

/// What the running system makes up, and what says only where its libraries and the network are:
/// the libraries themselves are known by content.
const OF_THE_SYSTEM: [&str; 8] = [
    "/proc",
    "/sys",
    "/dev",
    "/run",
    "/etc/ld.so.cache",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/mtab",
];

/// Files in memory lie among the devices, and are files all the same.
const IN_MEMORY: &str = "/dev/shm";

fn is_of_the_system(place: &Path) -> bool {
    !place.starts_with(IN_MEMORY) && OF_THE_SYSTEM.iter().any(|known| place.starts_with(known))
}

/// Whether a folder is for everybody's temporary files, as `/tmp`: what others do there is none of
/// the build's business.
fn is_everybodys(folder: &Path) -> bool {
    const STICKY: u32 = 0o1000;
    fs::metadata(folder).is_ok_and(|about| about.permissions().mode() & STICKY != 0)
}

/// Where something may be read, written anew and still say the same: what python compiled, git's
/// index, and whatever programs keep at home and among temporary files.
fn is_of_a_cache(place: &Path) -> bool {
    let named = |name: &str| place.components().any(|part| part.as_os_str() == name);
    let below = |folder: &Path| place.starts_with(folder);
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let hidden = place
        .strip_prefix(&home)
        .is_ok_and(|rest| rest.as_os_str().as_bytes().starts_with(b"."));
    let folders = ["CARGO_HOME", "RUSTUP_HOME", "XDG_CACHE_HOME"];
    let folders = folders.iter().filter_map(env::var_os).map(PathBuf::from);
    hidden
        || named("__pycache__")
        || named(".git")
        || folders.into_iter().any(|folder| below(&folder))
        || place.parent().is_some_and(is_everybodys)
}

/// Where the build works, and where names lead to.
struct Places {
    own: Vec<PathBuf>,
    program: PathBuf,
    /// Folders by their names, with links resolved.
    folders: HashMap<PathBuf, PathBuf>,
}

impl Places {
    fn new(own: &[&Path], program: &Path) -> Places {
        let plain = |folder: &&Path| folder.canonicalize().unwrap_or_else(|_| (*folder).into());
        Places {
            own: own.iter().map(plain).collect(),
            program: program.to_owned(),
            folders: HashMap::new(),
        }
    }

    /// The name by which a file is looked at again, and where it leads; `None` where it is the
    /// build's own, the system's, or made by the build.
    fn outside(
        &mut self,
        name: &OsText,
        written: &BTreeSet<PathBuf>,
    ) -> Option<(PathBuf, PathBuf)> {
        let name = Path::new(name);
        // Links there lead elsewhere for every process: to its own descriptors.
        if is_of_the_system(name) {
            return None;
        }
        let place = self.settled(name);
        let leads = place.canonicalize().unwrap_or_else(|_| place.clone());
        if self.leaves_out(&leads) || written.contains(&leads) || written.contains(&place) {
            return None;
        }
        // A link of the build's own is gone with it.
        let own = self.leaves_out(&place) || self.own.iter().any(|own| name.starts_with(own));
        let kept = if own { leads.clone() } else { name.to_owned() };
        Some((kept, leads))
    }

    fn leaves_out(&self, place: &Path) -> bool {
        is_of_the_system(place)
            || *place == *self.program
            || self.own.iter().any(|own| place.starts_with(own))
    }

    /// A name without the links of its folder and without detours; what is not there is taken as it
    /// is spelt.
    fn settled(&mut self, name: &Path) -> PathBuf {
        let (folder, last) = match (name.parent(), name.components().next_back()) {
            (Some(folder), Some(Component::Normal(last))) => (folder, last),
            _ => (name, OsStr::new("")),
        };
        if !self.folders.contains_key(folder) {
            let place = folder.canonicalize().unwrap_or_else(|_| spelt(folder));
            self.folders.insert(folder.to_owned(), place);
        }
        match self.folders.get(folder) {
            Some(place) if last.is_empty() => place.clone(),
            Some(place) => place.join(last),
            None => name.to_owned(),
        }
    }
}

/// The longest part of a name that is there, with links resolved, and the rest of it as it is
/// spelt.
fn spelt(name: &Path) -> PathBuf {
    let mut place = PathBuf::new();
    for part in name.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(place.pop()),
            part => {
                place.push(part);
                place = place.canonicalize().unwrap_or(place);
            }
        }
    }
    place
}

//! Captured builds on disk: `builds/NAME.json` beside `objects/`, in a project's `.proofmark`
//! folder.

mod lock;
mod sweep;
mod written;

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use proofmark_layout::Lto;
use rustix::fs::FlockOperation;
use serde::Deserialize;

use crate::error::BuildError;
use crate::model::{Capture, CapturedLink};
use crate::objects::{Mode, Objects, hash_file};

use written::{FORMAT, Reference};

pub(crate) use lock::Lock;
pub use sweep::{KeptBuild, KeptFor, LockedBuilds, Sweep, SweepRules, SweptBuild, SweptFor};
pub use written::Keep;

/// The captured builds of a project.
#[derive(Debug)]
pub struct Builds {
    root: PathBuf,
    objects: Objects,
    /// What is found here stays as long as this is held; none for the one that holds all alone, and
    /// where nothing can be written.
    _in_use: Option<Lock>,
}

/// What was freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Bytes of stored files that no other build needs.
    pub bytes: u64,
    /// How many files they were.
    pub files: u64,
    /// How many other builds cannot be read; where there is one, nothing is freed.
    pub unreadable: usize,
}

/// The captured builds of a project.
#[derive(Debug, Default)]
pub struct Listing {
    /// By name.
    pub builds: Vec<Capture>,
    /// Why others cannot be read, one for each.
    pub unreadable: Vec<BuildError>,
}

/// A build that is named, as it is at hand.
#[derive(Debug)]
struct Entry {
    name: String,
    /// The file that names it.
    file: PathBuf,
    /// Digest of its record.
    record: String,
    keep: Keep,
    capture: Capture,
}

impl Builds {
    /// The builds in a project's `.proofmark` folder, which is made where it does not exist. What
    /// interrupted captures left is removed. As long as this lives no garbage is collected.
    ///
    /// # Errors
    /// When the folder cannot be made or is not readable.
    pub fn open(proofmark_dir: &Path) -> Result<Builds, BuildError> {
        let root = Builds::made(proofmark_dir)?;
        let in_use = Lock::in_use(&root)?;
        let builds = Builds::new(root, in_use);
        builds.sweep_interrupted();
        Ok(builds)
    }

    fn new(root: PathBuf, in_use: Option<Lock>) -> Builds {
        Builds {
            objects: Objects::new(root.join("objects")),
            root,
            _in_use: in_use,
        }
    }

    /// The `.proofmark` folder, made where it does not exist.
    fn made(proofmark_dir: &Path) -> Result<PathBuf, BuildError> {
        fs::create_dir_all(proofmark_dir.join("builds"))
            .map_err(BuildError::file("create", proofmark_dir))?;
        let root = proofmark_dir
            .canonicalize()
            .map_err(BuildError::file("open", proofmark_dir))?;
        let ignore = root.join(".gitignore");
        if !ignore.exists() {
            fs::write(&ignore, "*\n").map_err(BuildError::file("write", &ignore))?;
        }
        Ok(root)
    }

    /// The `.proofmark` folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.root
    }

    /// Bytes of everything that a captured build needs; other builds may need some of it too.
    #[must_use]
    pub fn stored_bytes(&self, capture: &Capture) -> u64 {
        let sizes = hashes(capture)
            .into_iter()
            .filter_map(|hash| fs::metadata(self.objects.path(&hash)).ok());
        sizes.map(|about| about.len()).sum()
    }

    /// Where the stored file with this BLAKE3, in hexadecimal, lies, or would lie.
    #[must_use]
    pub fn object(&self, hash: &str) -> PathBuf {
        self.objects.path(hash)
    }

    pub(crate) fn objects(&self) -> &Objects {
        &self.objects
    }

    /// Every captured build, by name; and why the others cannot be read.
    ///
    /// # Errors
    /// When the folder of the builds cannot be read.
    pub fn list(&self) -> Result<Listing, BuildError> {
        let mut names = self.names()?;
        names.sort();
        let mut listing = Listing::default();
        for name in names {
            match self.read(&self.file(&name)) {
                Ok(capture) => listing.builds.push(capture),
                Err(error) => listing.unreadable.push(error),
            }
        }
        Ok(listing)
    }

    /// The captured build with this name, or with an id that starts so.
    ///
    /// # Errors
    /// When there is none (names that are much like it are given), when it is damaged, newer than
    /// this version, or has lost a stored file.
    pub fn find(&self, name: &str) -> Result<Capture, BuildError> {
        let file = self.file(name);
        let capture = if file.is_file() {
            self.read(&file)?
        } else {
            match self.by_id(name)? {
                Some(capture) => capture,
                None => return Err(self.no_such(name)?),
            }
        };
        self.complete(&capture)?;
        Ok(capture)
    }

    /// The build whose id starts with these digits; of several that are equal, any.
    fn by_id(&self, start: &str) -> Result<Option<Capture>, BuildError> {
        const FEWEST: usize = 8;
        if start.len() < FEWEST || !start.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let mut found = self.list()?.builds;
        found.retain(|capture| capture.id.starts_with(start));
        let same = found.windows(2).all(|two| match two {
            [one, other] => one.id == other.id,
            _ => true,
        });
        Ok(found.pop().filter(|_| same))
    }

    /// Whether a build of this name is listed. What it needs may be gone all the same:
    /// [`Builds::find`] looks.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.file(name).is_file()
    }

    /// Removes a captured build, and the stored files that no other build needs. Where another
    /// build cannot be read, nobody knows what it needs, and no file is removed.
    ///
    /// # Errors
    /// When there is none with this name, another process uses the store, or a file cannot be
    /// removed.
    pub fn remove(&self, name: &str) -> Result<Removed, BuildError> {
        let _lock = self.lock(FlockOperation::NonBlockingLockExclusive)?;
        let file = self.file(name);
        if !file.is_file() {
            return Err(self.no_such(name)?);
        }
        fs::remove_file(&file).map_err(BuildError::file("remove", &file))?;
        self.collect_garbage()
    }

    /// Writes a capture down. Its record and its stored files are on the disk before its name is.
    pub(crate) fn publish(&self, capture: &Capture, keep: Keep) -> Result<(), BuildError> {
        let file = self.file(&capture.name);
        let failed = |source| BuildError::File {
            doing: "write",
            path: file.clone(),
            source,
        };
        let record = written::record(capture).map_err(failed)?;
        let record = self.objects.put(record.as_bytes(), Mode::Data);
        let reference = Reference {
            format: FORMAT,
            capture: record.map_err(failed)?,
            keep,
        };
        let folder = self.names_folder();
        let mut beside = tempfile::NamedTempFile::new_in(&folder).map_err(failed)?;
        let text = serde_json::to_vec(&reference).map_err(|error| failed(error.into()))?;
        beside.write_all(&text).map_err(failed)?;
        let opened = File::open(&folder).map_err(failed)?;
        rustix::fs::syncfs(&opened).map_err(|error| failed(error.into()))?;
        beside.persist(&file).map_err(|error| failed(error.error))?;
        opened.sync_all().map_err(failed)
    }

    /// Removes stored files that no capture needs, if that can be told.
    pub(crate) fn collect_garbage(&self) -> Result<Removed, BuildError> {
        let mut removed = Removed {
            bytes: 0,
            files: 0,
            unreadable: 0,
        };
        let mut needed: HashSet<String> = HashSet::new();
        for entry in self.entries()? {
            match entry {
                Ok(entry) => {
                    needed.extend(hashes(&entry.capture));
                    needed.insert(entry.record);
                }
                Err(_) => removed.unreadable += 1,
            }
        }
        if removed.unreadable > 0 {
            return Ok(removed);
        }
        let all = self
            .objects
            .all()
            .map_err(BuildError::file("read", self.objects.root()))?;
        for (hash, bytes) in all.into_iter().filter(|(hash, _)| !needed.contains(hash)) {
            self.objects
                .remove(&hash)
                .map_err(BuildError::file("remove", &self.objects.path(&hash)))?;
            removed.bytes += bytes;
            removed.files += 1;
        }
        Ok(removed)
    }

    /// Captures share the store; removing wants it alone.
    pub(crate) fn lock(&self, operation: FlockOperation) -> Result<Lock, BuildError> {
        Lock::of_captures(&self.root, operation)
    }

    /// Where captures in progress keep their sessions.
    pub(crate) fn sessions(&self) -> PathBuf {
        self.root.join("capturing")
    }

    /// Sessions whose capture has ended without removing them. While a capture runs it shares the
    /// lock, and nothing is swept.
    fn sweep_interrupted(&self) {
        if self.sessions().exists() && self.lock(FlockOperation::NonBlockingLockExclusive).is_ok() {
            let _ = fs::remove_dir_all(self.sessions());
        }
    }

    fn names_folder(&self) -> PathBuf {
        self.root.join("builds")
    }

    fn names(&self) -> Result<Vec<String>, BuildError> {
        let folder = self.names_folder();
        let entries = fs::read_dir(&folder).map_err(BuildError::file("read", &folder))?;
        let files = entries
            .filter_map(Result::ok)
            .map(|entry| entry.file_name().to_string_lossy().into_owned());
        Ok(files
            .filter_map(|file| Some(decode(file.strip_suffix(".json")?)))
            .collect())
    }

    fn file(&self, name: &str) -> PathBuf {
        self.names_folder().join(format!("{}.json", encode(name)))
    }

    fn no_such(&self, name: &str) -> Result<BuildError, BuildError> {
        let names = self.names()?;
        let any = !names.is_empty();
        let mut near: Vec<(f64, String)> = names
            .into_iter()
            .map(|known| (strsim::jaro_winkler(name, &known), known))
            .collect();
        near.retain(|(likeness, _)| *likeness > 0.75);
        near.sort_by(|one, other| other.0.total_cmp(&one.0));
        let near = near.into_iter().take(3).map(|(_, known)| known).collect();
        Ok(BuildError::NoSuchBuild {
            name: name.to_owned(),
            near,
            any,
        })
    }

    fn read(&self, file: &Path) -> Result<Capture, BuildError> {
        Ok(self.entry(file)?.capture)
    }

    /// Every build that is named, or why it cannot be read.
    fn entries(&self) -> Result<Vec<Result<Entry, BuildError>>, BuildError> {
        let names = self.names()?;
        let entry = |name: &String| self.entry(&self.file(name));
        Ok(names.iter().map(entry).collect())
    }

    fn entry(&self, file: &Path) -> Result<Entry, BuildError> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let text = fs::read(file).map_err(BuildError::file("read", file))?;
        let damaged = |problem: String| BuildError::Damaged {
            name: name_of(file),
            path: file.to_owned(),
            problem,
        };
        let told = |error: serde_json::Error| damaged(error.to_string());
        let Format { format } = serde_json::from_slice(&text).map_err(told)?;
        if format > FORMAT {
            return Err(BuildError::Newer {
                path: file.to_owned(),
                found: format,
                known: FORMAT,
            });
        }
        let reference: Reference = serde_json::from_slice(&text).map_err(told)?;
        let record = fs::read(self.objects.path(&reference.capture))
            .map_err(|error| damaged(format!("its record cannot be read: {error}")))?;
        let capture = written::capture(&reference.capture, &record, &self.objects);
        Ok(Entry {
            name: name_of(file),
            file: file.to_owned(),
            record: reference.capture,
            keep: reference.keep,
            capture: capture.map_err(damaged)?,
        })
    }

    fn complete(&self, capture: &Capture) -> Result<(), BuildError> {
        each_file(capture, |what, blob| {
            if blob.is_file() {
                Ok(())
            } else {
                Err(lost(capture, what, blob))
            }
        })
    }

    /// Reads every stored file of a captured build and compares it with its hash.
    ///
    /// # Errors
    /// When one is gone, unreadable or not what was stored.
    pub fn verify(&self, capture: &Capture) -> Result<(), BuildError> {
        each_file(capture, |what, blob| {
            let hash = hash_file(blob).ok();
            if hash.is_some() && hash == Objects::hash_of(blob) {
                Ok(())
            } else {
                Err(lost(capture, what, blob))
            }
        })
    }
}

fn lost(capture: &Capture, what: &Path, blob: &Path) -> BuildError {
    BuildError::Lost {
        name: capture.name.clone(),
        what: what.to_owned(),
        blob: blob.to_owned(),
    }
}

/// Every stored file of a capture, with what it was in the build.
fn each_file(
    capture: &Capture,
    mut check: impl FnMut(&Path, &Path) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    for link in capture.links.iter().chain(capture.repeats.iter().flatten()) {
        for recipe in recipes(link) {
            for input in &recipe.inputs {
                check(&input.given, &input.blob)?;
                for member in &input.members {
                    check(&member.given, &member.blob)?;
                }
            }
            let made = match &recipe.lto {
                Some(Lto::Gcc { objects } | Lto::Clang { objects }) => objects.as_slice(),
                None => &[],
            };
            for object in made {
                check(&link.output, object)?;
            }
        }
        let images = [&link.image]
            .into_iter()
            .chain(link.pristine.iter().map(|pristine| &pristine.image));
        for image in images {
            check(&link.output, image)?;
        }
        for companion in &link.companions {
            if let Some(blob) = &companion.blob {
                check(&companion.path, blob)?;
            }
        }
    }
    Ok(())
}

/// How a link is linked for layouts, and how the build linked it.
fn recipes(link: &CapturedLink) -> impl Iterator<Item = &proofmark_layout::Recipe> {
    let own = link.twice.as_ref().and_then(|twice| twice.own.as_ref());
    std::iter::once(&link.recipe).chain(own)
}

/// Every stored file of a link.
fn blobs(link: &mut CapturedLink) -> Vec<&mut PathBuf> {
    let mut found = vec![&mut link.image];
    found.extend(link.pristine.as_mut().map(|pristine| &mut pristine.image));
    let own = link.twice.as_mut().and_then(|twice| twice.own.as_mut());
    for recipe in [&mut link.recipe].into_iter().chain(own) {
        for input in &mut recipe.inputs {
            found.push(&mut input.blob);
            found.extend(input.members.iter_mut().map(|member| &mut member.blob));
        }
        match &mut recipe.lto {
            Some(Lto::Gcc { objects } | Lto::Clang { objects }) => {
                found.extend(objects);
            }
            None => {}
        }
    }
    let companions = link.companions.iter_mut();
    found.extend(companions.filter_map(|companion| companion.blob.as_mut()));
    found
}

/// Every stored hash that a capture needs.
fn hashes(capture: &Capture) -> HashSet<String> {
    let mut capture = capture.clone();
    let links = capture
        .links
        .iter_mut()
        .chain(capture.repeats.iter_mut().flatten());
    let stored = links
        .flat_map(blobs)
        .filter_map(|blob| Objects::hash_of(blob));
    // A later build may link the object again without compiling it, in another archive.
    let second = (capture.objects.iter()).filter_map(|object| object.second.clone());
    stored.chain(second).collect()
}

/// What may not stand in a build's name.
pub(crate) fn check_name(name: &str) -> Result<(), BuildError> {
    let bad = |why| {
        Err(BuildError::BadName {
            name: name.to_owned(),
            why,
        })
    };
    match name {
        "" => bad("it is empty"),
        _ if name.len() > 80 => bad("it is longer than 80 bytes"),
        _ if name.starts_with('-') => bad("it starts with `-` and would be read as an option"),
        _ if name.chars().any(char::is_control) => bad("it holds control characters"),
        _ => Ok(()),
    }
}

/// A name as a file name: everything but letters, digits, `-`, `_`, `+` and inner dots as `%XX`.
fn encode(name: &str) -> String {
    let mut encoded = String::new();
    for (at, byte) in name.bytes().enumerate() {
        let plain =
            byte.is_ascii_alphanumeric() || b"-_+".contains(&byte) || (byte == b'.' && at > 0);
        if plain {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// The name that a file stands for.
fn name_of(file: &Path) -> String {
    decode(&file.file_stem().unwrap_or_default().to_string_lossy())
}

fn decode(encoded: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = encoded.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let hex = after
            .get(..2)
            .and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        match (byte, hex) {
            (b'%', Some(value)) => {
                bytes.push(value);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_the_file_system() {
        for name in [
            "base",
            "feature/x",
            "..",
            ".hidden",
            "größer 50%",
            "a.b-c_d+e",
        ] {
            let encoded = encode(name);
            assert!(
                !encoded.contains('/') && !encoded.starts_with('.'),
                "{encoded}"
            );
            assert_eq!(decode(&encoded), name);
        }
    }

    #[test]
    fn names_that_cannot_be_typed_are_refused() {
        for name in ["", "-x", "a\nb", &"x".repeat(81)] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
        assert!(check_name("feature/x").is_ok());
    }
}

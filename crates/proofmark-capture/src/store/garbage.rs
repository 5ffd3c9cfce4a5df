//! Garbage: builds that can be made again and that nothing refers to, and the files that no build
//! needs. What would go is a value first, that can be shown; and it goes name by name and file by
//! file, in an order in which every build that is still named is whole.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use proofmark_terms::{CaptureId, Digest};

use super::builds::Builds;
use super::files::hashes;
use super::find::Entry;
use super::lock::Lock;
use super::written::Keep;
use crate::error::BuildError;

/// What must stay, of the builds that can be made again.
#[derive(Clone, Debug, Default)]
pub struct GarbageRules {
    /// Ids of captures that pinned experiments rest on.
    pub pinned: HashSet<CaptureId>,
    /// Ids of captures that recent experiments rest on: they go only where there is no room.
    pub recent: HashSet<CaptureId>,
    /// Digests that records of a later version name: of captures, of stored files, of whatever
    /// else. What goes by one of them stays in any case.
    pub later: HashSet<Digest>,
    /// Builds captured since then count as recent, in milliseconds since 1970-01-01 UTC.
    pub since_ms: u64,
    /// Most bytes that stored files may take; no limit where absent.
    pub most_bytes: Option<u64>,
}

/// What goes, and what stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Garbage {
    /// Builds that go, the oldest first.
    pub builds: Vec<CollectedBuild>,
    /// Stored files that go: how many.
    pub files: usize,
    /// Bytes of them.
    pub bytes: u64,
    /// Builds that stay, by name.
    pub kept: Vec<KeptBuild>,
    /// Bytes of the stored files that stay.
    pub kept_bytes: u64,
    steps: Vec<Step>,
}

/// A build that goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectedBuild {
    /// Its name.
    pub name: String,
    /// When it was captured: milliseconds since 1970-01-01 UTC.
    pub created_ms: u64,
    /// Why.
    pub why: CollectedFor,
}

/// Why a build goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectedFor {
    /// Nothing refers to it.
    Unused,
    /// It is young, or a recent experiment rests on it; but there is no room for it.
    Room,
}

/// A build that stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptBuild {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: KeptFor,
}

/// Why a build stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptFor {
    /// A user gave it its name.
    Name,
    /// A pinned experiment rests on it.
    Pin,
    /// It is young, or a recent experiment rests on it.
    Recent,
    /// A record of a later version refers to it.
    Later,
}

/// One change to the disk. Done in order and stopped after any, they leave a store in which every
/// build that is named is whole.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Takes a build's name away.
    Forget(PathBuf),
    /// Has the names on the disk before what they stood for goes.
    WriteNames,
    /// Removes a stored file by its digest.
    Object(Digest),
    /// Removes what a killed capture has left unfinished.
    Unfinished(PathBuf),
}

/// The captured builds of a project, held by the one process that works with them.
#[derive(Debug)]
pub struct LockedBuilds {
    builds: Builds,
    _alone: Lock,
}

impl Deref for LockedBuilds {
    type Target = Builds;

    fn deref(&self) -> &Builds {
        &self.builds
    }
}

impl LockedBuilds {
    /// The builds in a project's `.proofmark` folder, held until this is dropped: no other command
    /// works with them meanwhile.
    ///
    /// # Errors
    /// [`BuildError::Busy`] when another command does; when the folder cannot be written.
    pub fn open(proofmark_dir: &Path) -> Result<LockedBuilds, BuildError> {
        let root = Builds::made(proofmark_dir)?;
        let alone = Lock::alone(&root)?;
        Ok(LockedBuilds {
            builds: Builds::new(root, None),
            _alone: alone,
        })
    }

    /// Removes what was planned.
    ///
    /// # Errors
    /// When something cannot be removed; what was removed before is gone, and every build that is
    /// still listed is whole.
    pub fn carry_out(&self, garbage: &Garbage) -> Result<(), BuildError> {
        garbage.steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&self, step: &Step) -> Result<(), BuildError> {
        let (path, done) = match step {
            Step::Forget(file) | Step::Unfinished(file) => (file.clone(), fs::remove_file(file)),
            Step::WriteNames => {
                let folder = self.names_folder();
                let written = File::open(&folder).and_then(|folder| folder.sync_all());
                (folder, written)
            }
            Step::Object(hash) => (self.objects().path(hash), self.objects().remove(hash)),
        };
        match done {
            // Somebody else removed it: that is what was wanted.
            Err(gone) if gone.kind() == io::ErrorKind::NotFound => Ok(()),
            done => done.map_err(BuildError::file("remove", &path)),
        }
    }
}

impl Builds {
    /// What goes by these rules.
    ///
    /// # Errors
    /// When a build cannot be read: nobody knows then what it needs, and nothing can be removed.
    /// [`BuildError::LeadsOut`] where a folder of the store is a link.
    pub fn garbage(&self, rules: &GarbageRules) -> Result<Garbage, BuildError> {
        not_a_link(&self.names_folder())?;
        not_a_link(self.objects().root())?;
        let mut entries = self.entries()?.into_iter().collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(|entry| entry.capture.created_ms);
        let sizes: HashMap<Digest, u64> = self
            .objects()
            .all()
            .map_err(BuildError::file("read", self.objects().root()))?
            .into_iter()
            .collect();
        let mut needed = Needed::new(&sizes);
        needed.hold(&rules.later);
        let (mut gone, mut stay) = (Vec::new(), Vec::new());
        for entry in entries {
            match rules.kept_for(&entry) {
                Some(why) => stay.push((needed.add(&entry), entry, why)),
                None => gone.push((entry, CollectedFor::Unused)),
            }
        }
        let mut kept = Vec::new();
        for (needs, entry, why) in stay {
            let too_much = rules.most_bytes.is_some_and(|most| needed.bytes > most);
            if why == KeptFor::Recent && too_much {
                needed.take_out(&needs);
                gone.push((entry, CollectedFor::Room));
            } else {
                let name = entry.name;
                kept.push(KeptBuild { name, why });
            }
        }
        gone.sort_by_key(|(entry, _)| entry.capture.created_ms);
        kept.sort_by(|one, other| one.name.cmp(&other.name));
        let unfinished = self.unfinished()?;
        let of_unfinished: u64 = unfinished.iter().map(|(_, bytes)| bytes).sum();
        let needless = needed.needless();
        let whole: u64 = sizes.values().sum();
        Ok(Garbage {
            files: needless.len() + unfinished.len(),
            bytes: whole - needed.bytes + of_unfinished,
            kept,
            kept_bytes: needed.bytes,
            steps: steps(&gone, needless, unfinished),
            builds: gone.into_iter().map(collected).collect(),
        })
    }

    /// Files that captures were writing when they were killed, with their sizes in bytes.
    fn unfinished(&self) -> Result<Vec<(PathBuf, u64)>, BuildError> {
        let mut found = Vec::new();
        for folder in [self.names_folder(), self.objects().root().to_owned()] {
            let failed = || BuildError::file("read", &folder);
            let entries = match fs::read_dir(&folder) {
                Err(gone) if gone.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.map_err(failed())?,
            };
            for entry in entries {
                let entry = entry.map_err(failed())?;
                let about = entry.metadata().map_err(failed())?;
                let temporary = entry.file_name().to_string_lossy().starts_with(".tmp");
                if temporary && about.is_file() {
                    found.push((entry.path(), about.len()));
                }
            }
        }
        found.sort();
        Ok(found)
    }
}

/// Names first: what a name stands for goes only once the name is off the disk.
fn steps(
    gone: &[(Entry, CollectedFor)],
    needless: Vec<Digest>,
    unfinished: Vec<(PathBuf, u64)>,
) -> Vec<Step> {
    let forgotten = gone
        .iter()
        .map(|(entry, _)| Step::Forget(entry.file.clone()));
    let unfinished = unfinished.into_iter().map(|(file, _)| file);
    forgotten
        .chain([Step::WriteNames])
        .chain(needless.into_iter().map(Step::Object))
        .chain(unfinished.map(Step::Unfinished))
        .collect()
}

fn collected((entry, why): (Entry, CollectedFor)) -> CollectedBuild {
    CollectedBuild {
        name: entry.name,
        created_ms: entry.capture.created_ms,
        why,
    }
}

/// What a link leads to is not the store's to clear.
fn not_a_link(folder: &Path) -> Result<(), BuildError> {
    match fs::symlink_metadata(folder) {
        Ok(about) if about.is_symlink() => Err(BuildError::LeadsOut {
            path: folder.to_owned(),
        }),
        _ => Ok(()),
    }
}

impl GarbageRules {
    fn kept_for(&self, entry: &Entry) -> Option<KeptFor> {
        let Entry { capture, keep, .. } = entry;
        if *keep == Keep::ByName {
            Some(KeptFor::Name)
        } else if self.pinned.contains(&capture.id) {
            Some(KeptFor::Pin)
        } else if self.later.contains(capture.id.as_str()) {
            Some(KeptFor::Later)
        } else if self.recent.contains(&capture.id) || capture.created_ms >= self.since_ms {
            Some(KeptFor::Recent)
        } else {
            None
        }
    }
}

/// The stored files that the builds that stay need.
struct Needed<'a> {
    sizes: &'a HashMap<Digest, u64>,
    /// By how many builds each is needed.
    by: HashMap<Digest, usize>,
    bytes: u64,
}

impl<'a> Needed<'a> {
    fn new(sizes: &'a HashMap<Digest, u64>) -> Self {
        Needed {
            sizes,
            by: HashMap::new(),
            bytes: 0,
        }
    }

    /// Adds a build; what it needs.
    fn add(&mut self, entry: &Entry) -> HashSet<Digest> {
        let mut needs = hashes(&entry.capture);
        needs.insert(entry.record.clone());
        self.hold(&needs);
        needs
    }

    /// Adds what is needed.
    fn hold(&mut self, needs: &HashSet<Digest>) {
        for hash in needs {
            let needed = self.by.entry(hash.clone()).or_default();
            *needed += 1;
            if *needed == 1 {
                self.bytes += self.sizes.get(hash).copied().unwrap_or(0);
            }
        }
    }

    fn take_out(&mut self, needs: &HashSet<Digest>) {
        for hash in needs {
            if let Some(builds) = self.by.get_mut(hash) {
                *builds -= 1;
                if *builds == 0 {
                    self.by.remove(hash);
                    self.bytes -= self.sizes.get(hash).copied().unwrap_or(0);
                }
            }
        }
    }

    /// The stored files that none of them needs.
    fn needless(&self) -> Vec<Digest> {
        let all = self.sizes.keys();
        let mut needless: Vec<Digest> = all
            .filter(|hash| !self.by.contains_key(*hash))
            .cloned()
            .collect();
        needless.sort();
        needless
    }
}

#[cfg(test)]
mod tests;

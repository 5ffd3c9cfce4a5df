//! Where each build runs: under its own name, at its own place, with its own libraries and the
//! files that its build put beside it.
//!
//! Builds of one program claim the same paths, so each arm of a block sees a file system in which
//! its own files lie there (a [`View`]). They are fresh copies in every block. Where views cannot
//! be had, image and companions lie in a copy of their folders' shape, and builds whose libraries
//! are looked for elsewhere are not compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use proofmark_build::{CapturedLink, Companion, CompanionKind};
use proofmark_measure::{Binding, View};

use crate::LabError;
use crate::fresh::{Fresh, Original};
use crate::request::{Source, Subject};

/// The places of all builds of an experiment.
#[derive(Debug)]
pub(crate) struct Places {
    builds: Vec<Vec<Own>>,
    /// Why each arm cannot see its own files at its own place; `None` where it can.
    unusable: Option<String>,
    /// Companions that are not the same in all builds, or not what lies on the disk.
    different: BTreeSet<PathBuf>,
    /// What was made so that files could be bound over it; removed in the end.
    made: Vec<PathBuf>,
    /// The working folder, where each run sees a copy of it.
    original: Option<Original>,
}

/// The place of one build, of one of its captures.
#[derive(Clone, Debug)]
struct Own {
    /// Where its image lies, the path that it is started by first.
    image: Vec<PathBuf>,
    /// Whether the image is the file at that path itself, which nobody captured.
    uncaptured: bool,
    /// Its companions that are not what lies on the disk for all builds.
    files: Vec<Companion>,
    /// Files of other builds that it does not have, and that it would see all the same.
    foreign: BTreeSet<PathBuf>,
}

/// An image put where it runs.
#[derive(Clone, Debug)]
pub(crate) struct Staged {
    /// The path that it is started by.
    pub(crate) path: PathBuf,
    /// The copy that is started.
    pub(crate) file: PathBuf,
    /// What it sees.
    pub(crate) view: Option<Arc<View>>,
    /// BLAKE3 of the image.
    pub(crate) hash: String,
    /// Its copy of the working folder.
    pub(crate) fresh: Option<Arc<Fresh>>,
}

impl Places {
    /// The places of these builds; what has to lie on the disk so that files can be bound over it
    /// is made.
    ///
    /// # Errors
    ///
    /// When a place cannot be made.
    pub(crate) fn of(subjects: &[Subject], original: Option<Original>) -> Result<Self, LabError> {
        let unusable = View::usable().err();
        let mut builds: Vec<Vec<Own>> = subjects.iter().map(own).collect();
        let different = only_different(&mut builds, unusable.is_none());
        let mut places = Places {
            builds,
            different,
            unusable,
            made: Vec::new(),
            original,
        };
        if places.unusable.is_none() {
            places.make()?;
        }
        Ok(places)
    }

    /// Why the arms do not run at their own places.
    pub(crate) fn unusable(&self) -> Option<&str> {
        self.unusable.as_deref()
    }

    /// Files that a build would see though only others have them.
    pub(crate) fn foreign(&self, build: usize) -> BTreeSet<PathBuf> {
        let all = self.builds.get(build).into_iter().flatten();
        all.flat_map(|own| own.foreign.iter().cloned()).collect()
    }

    /// Files that are put into a build's view.
    pub(crate) fn bound(&self, build: usize, repeat: usize) -> BTreeSet<PathBuf> {
        let own = self.own(build, repeat);
        let files = own.into_iter().flat_map(|own| {
            let kept = own.files.iter().filter(|file| file.blob.is_some());
            kept.map(|file| file.path.clone())
                .chain(own.image.iter().cloned())
        });
        files.collect()
    }

    /// The paths of a build's image.
    pub(crate) fn image(&self, build: usize, repeat: usize) -> &[PathBuf] {
        self.own(build, repeat).map_or(&[], |own| &own.image)
    }

    /// Files of a build that are not on the disk as it left them, and of which no copy was kept.
    pub(crate) fn unkept(&self, build: usize, repeat: usize) -> Vec<PathBuf> {
        let own = self.own(build, repeat).into_iter();
        own.flat_map(|own| &own.files)
            .filter(|file| file.blob.is_none() && hash(&file.path).as_ref() != Some(&file.hash))
            .map(|file| file.path.clone())
            .collect()
    }

    /// Companions that are not the same in all builds, or not what lies on the disk: libraries
    /// first, plain files last.
    pub(crate) fn different(&self) -> Vec<&Path> {
        let plain = |path: &PathBuf| {
            let mut files = self.builds.iter().flatten().flat_map(|own| &own.files);
            files.any(|file| file.path == *path && file.kind == CompanionKind::File)
        };
        let mut all: Vec<&PathBuf> = self.different.iter().collect();
        all.sort_by_key(|path| plain(path));
        all.into_iter().map(PathBuf::as_path).collect()
    }

    fn own(&self, build: usize, repeat: usize) -> Option<&Own> {
        self.builds.get(build)?.get(repeat)
    }

    /// Puts fresh copies of an image and of what belongs to it below `folder`, and makes the view
    /// in which it runs.
    pub(crate) fn stage(
        &self,
        (build, repeat): (usize, usize),
        image: &Path,
        folder: &Path,
    ) -> Result<Staged, LabError> {
        let lacking = || LabError::Fault(format!("build {build} has no place"));
        let own = self.own(build, repeat).ok_or_else(lacking)?;
        let path = own.image.first().ok_or_else(lacking)?;
        if self.unusable.is_some() {
            return self.stage_without_view(own, path, image, folder);
        }
        let file = folder.join(path.file_name().unwrap_or_default());
        let hash = copy_afresh(image, &file, 0o755).map_err(of_file("copy an image to", &file))?;
        let file = file.canonicalize().map_err(of_file("find", &file))?;
        let mut bindings: Vec<Binding> = own
            .image
            .iter()
            .map(|at| Binding {
                file: file.clone(),
                at: at.clone(),
            })
            .collect();
        let beside = folder.join("beside");
        for (index, companion) in own.files.iter().enumerate() {
            if let Some(blob) = &companion.blob {
                bindings.push(companion_at(
                    companion,
                    blob,
                    &beside.join(index.to_string()),
                )?);
            }
        }
        let (fresh, view) = match &self.original {
            None => (None, View::of(&bindings)?),
            Some(original) => {
                let (fresh, view) = original.seen(&folder.join("cwd"), bindings)?;
                (Some(Arc::new(fresh)), view)
            }
        };
        Ok(Staged {
            view: Some(Arc::new(view)),
            path: path.clone(),
            file,
            hash,
            fresh,
        })
    }

    /// As [`Places::stage`], where there are no views: a file that is not captured runs where it
    /// lies, unless two builds are that file; of a captured build the shape of its folders is
    /// copied.
    fn stage_without_view(
        &self,
        own: &Own,
        path: &Path,
        image: &Path,
        folder: &Path,
    ) -> Result<Staged, LabError> {
        let others = self.builds.iter().flatten();
        let alone = others.filter(|other| other.image.first() == own.image.first());
        if own.uncaptured && alone.count() == 1 {
            let hash = hash(path).ok_or_else(|| {
                LabError::Refused(format!("{} can no longer be read", path.display()))
            })?;
            return Ok(Staged {
                path: path.to_owned(),
                file: path.to_owned(),
                view: None,
                hash,
                fresh: None,
            });
        }
        let below = |path: &Path| folder.join(path.strip_prefix("/").unwrap_or(path));
        let file = below(path);
        let hash = copy_afresh(image, &file, 0o755).map_err(of_file("copy an image to", &file))?;
        for companion in &own.files {
            if let Some(blob) = &companion.blob {
                let copy = below(&companion.path);
                copy_afresh(blob, &copy, companion.mode)
                    .map_err(of_file("copy a file to", &copy))?;
            }
        }
        Ok(Staged {
            path: file.clone(),
            file,
            view: None,
            hash,
            fresh: None,
        })
    }

    /// Makes an empty file wherever something is to be seen and nothing lies.
    fn make(&mut self) -> Result<(), LabError> {
        let all: BTreeSet<PathBuf> = self
            .builds
            .iter()
            .flatten()
            .flat_map(|own| {
                let files = own.files.iter().filter(|file| file.blob.is_some());
                own.image.iter().chain(files.map(|file| &file.path))
            })
            .cloned()
            .collect();
        for path in all {
            if !path.exists() {
                self.make_one(&path)
                    .map_err(of_file("make a place for the build at", &path))?;
            }
        }
        Ok(())
    }

    fn make_one(&mut self, path: &Path) -> std::io::Result<()> {
        let mut missing: Vec<&Path> = path
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.exists())
            .collect();
        while let Some(folder) = missing.pop() {
            fs::create_dir(folder)?;
            self.made.push(folder.to_owned());
        }
        let file = File::options().write(true).create_new(true).open(path)?;
        self.made.push(path.to_owned());
        // Should it be left behind, no build takes it for something new.
        file.set_modified(SystemTime::UNIX_EPOCH)
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        for path in self.made.iter().rev() {
            // Only what is still empty: a build may have begun to use it.
            let empty = fs::metadata(path).is_ok_and(|about| about.is_file() && about.len() == 0);
            let _ = if empty {
                fs::remove_file(path)
            } else {
                fs::remove_dir(path)
            };
        }
    }
}

/// The places of one build, one for each of its captures.
fn own(subject: &Subject) -> Vec<Own> {
    match &subject.source {
        Source::Captured { links, .. } => links.iter().map(captured).collect(),
        Source::Executable { path, .. } => vec![Own {
            image: vec![path.clone()],
            uncaptured: true,
            files: Vec::new(),
            foreign: BTreeSet::new(),
        }],
    }
}

fn captured(link: &CapturedLink) -> Own {
    let mut image = vec![link.output.clone()];
    image.extend(link.aliases.iter().cloned());
    // cargo links `deps/name-hash` and gives it its name by a hard link in the folder above.
    let deps = link
        .output
        .parent()
        .filter(|folder| folder.ends_with("deps"));
    let named = deps
        .and_then(Path::parent)
        .and_then(|above| image.iter().position(|path| path.parent() == Some(above)));
    image.swap(0, named.unwrap_or(0));
    Own {
        image,
        uncaptured: false,
        files: link.companions.clone(),
        foreign: BTreeSet::new(),
    }
}

/// Finds the companions that others have; leaves out, where views can be had, those that are the
/// same in all builds and on the disk.
fn only_different(builds: &mut [Vec<Own>], leave_out: bool) -> BTreeSet<PathBuf> {
    let mut all: BTreeMap<PathBuf, BTreeSet<String>> = BTreeMap::new();
    let every = || builds.iter().flatten();
    for file in every().flat_map(|own| &own.files) {
        let known = all.entry(file.path.clone()).or_default();
        known.insert(file.hash.clone());
    }
    let captured: Vec<&Own> = every().filter(|own| !own.uncaptured).collect();
    let mut different: BTreeSet<PathBuf> = BTreeSet::new();
    for (path, hashes) in &all {
        let on_disk = hash(path);
        let one = hashes.len() == 1 && hashes.first() == on_disk.as_ref();
        let everywhere = captured
            .iter()
            .all(|own| own.files.iter().any(|file| file.path == *path) || own.image.contains(path));
        if !one || !everywhere {
            different.insert(path.clone());
        }
    }
    for own in builds.iter_mut().flatten() {
        let has = |path: &PathBuf| {
            own.image.contains(path) || own.files.iter().any(|file| file.path == *path)
        };
        own.foreign = different
            .iter()
            .filter(|path| !has(path) && path.exists())
            .cloned()
            .collect();
        own.files
            .retain(|file| !leave_out || different.contains(&file.path));
    }
    different
}

/// A fresh copy of a companion, to be seen at its own place.
fn companion_at(companion: &Companion, blob: &Path, copy: &Path) -> Result<Binding, LabError> {
    // What is only started, if at all, has pages of its own as soon as it is: large programs beside
    // the image are not copied each time.
    let binding = |file: PathBuf| Binding {
        file,
        at: companion.path.clone(),
    };
    if companion.kind == CompanionKind::LinkedExecutable {
        return Ok(binding(blob.to_owned()));
    }
    copy_afresh(blob, copy, companion.mode).map_err(of_file("copy a file to", copy))?;
    let copy = copy.canonicalize().map_err(of_file("find", copy))?;
    Ok(binding(copy))
}

/// Writes a new file with a file's content, so that no two arms share an inode or its physical
/// pages; gives the content's BLAKE3.
fn copy_afresh(from: &Path, to: &Path, mode: u32) -> std::io::Result<String> {
    let content = fs::read(from)?;
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(to, &content)?;
    fs::set_permissions(to, fs::Permissions::from_mode(mode))?;
    Ok(blake3::hash(&content).to_hex().to_string())
}

/// BLAKE3 of a file, where it can be read.
pub(crate) fn hash(path: &Path) -> Option<String> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path).ok()?).ok()?;
    Some(hasher.finalize().to_hex().to_string())
}

fn of_file(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> LabError {
    let path = path.to_owned();
    move |source| LabError::File {
        action,
        path,
        source,
    }
}

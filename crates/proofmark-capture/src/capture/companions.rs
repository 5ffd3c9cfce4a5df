//! What belongs to an image when its build has ended, and is no part of it: the libraries that its
//! loader finds, the other images that the build linked (it may open or start them), and the files
//! that the build put beside it (it may read them).

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use walkdir::WalkDir;

use super::elsewhere::{Elsewhere, MOST_BYTES, MOST_FILES};
use super::files::{changed_ns, modified_ns};
use super::found::{FoundLink, is_store};
use super::request::CaptureRequest;
use super::run::Run;
use crate::captured::{Capture, Companion, CompanionKind, LinkKind, Modified};
use crate::elf;
use crate::error::BuildError;
use crate::libraries;
use crate::objects::{Mode, hash_entry};
use crate::of_tools::{is_of_builders, is_of_compilers};
use crate::store::Builds;

/// How far below an image's folder its files are looked for.
const DEPTH: usize = 3;

/// What the links of one run left for each other.
pub(super) struct Left<'a> {
    builds: &'a Builds,
    request: &'a CaptureRequest,
    started_ns: i64,
    /// Where the build's images lie, and what they are.
    images: Vec<(PathBuf, CompanionKind)>,
    /// The files that it put elsewhere.
    elsewhere: &'a Elsewhere,
    /// What was captured before.
    earlier: &'a [Capture],
    /// The files in a folder, once they have been looked for.
    folders: RefCell<HashMap<PathBuf, Vec<Companion>>>,
}

impl<'a> Left<'a> {
    pub(super) fn by(
        builds: &'a Builds,
        request: &'a CaptureRequest,
        run: &Run,
        links: &[FoundLink],
        elsewhere: &'a Elsewhere,
        earlier: &'a [Capture],
    ) -> Self {
        let mut images = Vec::new();
        for link in links {
            let kind = match link.kind(run) {
                LinkKind::SharedLibrary => CompanionKind::LinkedLibrary,
                LinkKind::Executable => CompanionKind::LinkedExecutable,
                LinkKind::Relocatable => continue,
            };
            let places = link.aliases.iter().chain([&link.output]);
            images.extend(
                places
                    .filter_map(|path| path.canonicalize().ok())
                    .filter(|path| elf::is_image(path))
                    .map(|path| (path, kind)),
            );
        }
        Left {
            builds,
            request,
            started_ns: run.started_ns,
            images,
            elsewhere,
            earlier,
            folders: RefCell::default(),
        }
    }

    /// The companions of the image of a link.
    pub(super) fn companions(&self, link: &FoundLink) -> Result<Vec<Companion>, BuildError> {
        let own: HashSet<PathBuf> = link
            .aliases
            .iter()
            .chain([&link.output])
            .filter_map(|path| path.canonicalize().ok())
            .collect();
        let loaded = libraries::loaded(&link.output, |loader| {
            loader.envs(self.request.env.iter().cloned());
        });
        let mut known = own.clone();
        // The image's own names are bound with it, whether they are files or links.
        let is_own = |path: &Path| path.canonicalize().is_ok_and(|path| own.contains(&path));
        let mut all = Vec::new();
        for path in loaded {
            let made = self.images.iter().any(|(image, _)| *image == path) || self.is_new(&path);
            if (made || !libraries::is_of_the_system(&path)) && known.insert(path.clone()) {
                all.push(self.companion(path, CompanionKind::Library, made)?);
            }
        }
        for (path, kind) in &self.images {
            if known.insert(path.clone()) {
                all.push(self.companion(path.clone(), *kind, true)?);
            }
        }
        let folders: HashSet<PathBuf> = (all.iter())
            .filter_map(|file| Some(file.path.parent()?.to_owned()))
            .collect();
        for link in folders.iter().flat_map(|folder| links_in(folder)) {
            // By these a loader comes to them.
            if self.request.copy.is_none() && !is_own(&link) && known.insert(link.clone()) {
                all.push(self.companion(link, CompanionKind::Link, false)?);
            }
        }
        for folder in own.iter().filter_map(|path| path.parent()) {
            for file in self.files(folder)? {
                if !is_own(&file.path) && known.insert(file.path.clone()) {
                    all.push(file);
                }
            }
        }
        for (path, keep) in &self.elsewhere.files {
            if known.insert(path.clone()) {
                let kind = if path.is_symlink() {
                    CompanionKind::Link
                } else {
                    CompanionKind::File
                };
                let found = self.companion(path.clone(), kind, *keep);
                // What others keep there comes and goes.
                all.extend(if *keep { Some(found?) } else { found.ok() });
            }
        }
        for (path, kind) in self.left_alone(&link.output) {
            if known.insert(path.clone()) {
                all.push(self.companion(path, kind, true)?);
            }
        }
        all.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(all)
    }

    /// What an earlier build of the image at this place put there, and this one found to be up to
    /// date: it lies there as it was left.
    fn left_alone(&self, output: &Path) -> Vec<(PathBuf, CompanionKind)> {
        if self.request.copy.is_some() {
            return Vec::new();
        }
        let links = self.earlier.iter().flat_map(|capture| &capture.links);
        let files = links
            .filter(|link| link.output == *output)
            .flat_map(|link| &link.companions)
            .filter(|file| file.blob.is_some());
        let is_there = |file: &&Companion| {
            let about = file.path.symlink_metadata();
            about.is_ok_and(|about| Modified::of(&about) == file.modified)
                && hash_entry(&file.path).is_ok_and(|now| now == file.hash)
        };
        files
            .filter(is_there)
            .map(|file| (file.path.clone(), file.kind))
            .collect()
    }

    /// The files that the build put into a folder, compilers' and build systems' own apart, and the
    /// links and folders in it.
    fn files(&self, folder: &Path) -> Result<Vec<Companion>, BuildError> {
        if let Some(known) = self.folders.borrow().get(folder) {
            return Ok(known.clone());
        }
        let store = self.builds.folder();
        let is_of_no_program = |path: &Path| is_of_builders(path) || is_store(path, store);
        let entries = WalkDir::new(folder)
            .max_depth(DEPTH)
            .sort_by_file_name()
            .into_iter()
            .filter_entry(|entry| !(entry.file_type().is_dir() && is_of_no_program(entry.path())))
            .filter_map(Result::ok);
        let (mut new, mut moved_here) = (Vec::new(), Vec::new());
        let (mut moved, mut others) = (Vec::new(), Vec::new());
        for entry in entries {
            let (kind, depth) = (entry.file_type(), entry.depth());
            let path = entry.into_path();
            if kind.is_dir() {
                let was_moved = self.was_moved(&path);
                let other =
                    (depth > 0).then(|| (path.clone(), self.kind_of_folder(&path, was_moved)));
                others.extend(other);
                moved.extend(was_moved.then_some(path));
            } else if kind.is_symlink() {
                others.push((path, CompanionKind::Link));
            } else if kind.is_file() && !is_of_compilers(&path) {
                if self.is_new(&path) {
                    new.push(path);
                } else if moved.iter().any(|folder| path.starts_with(folder)) {
                    moved_here.push(path);
                }
            }
        }
        let mut files = self.links_and_folders(others)?;
        let (mut kept_files, mut bytes) = (0, 0);
        for path in new.into_iter().chain(moved_here) {
            bytes += fs::metadata(&path).map_or(0, |about| about.len());
            let kept = kept_files < MOST_FILES && bytes <= MOST_BYTES;
            kept_files += 1;
            let known = self.images.iter().find(|(image, _)| *image == path);
            let kind = known.map_or(CompanionKind::File, |(_, kind)| *kind);
            files.push(self.companion(path, kind, kept)?);
        }
        let mut folders = self.folders.borrow_mut();
        folders.insert(folder.to_owned(), files.clone());
        Ok(files)
    }

    /// Links and folders beside an image, as they are now. Those in a copy of the sources are gone
    /// with it: a run that looks for them there is refused by their names.
    fn links_and_folders(
        &self,
        found: Vec<(PathBuf, CompanionKind)>,
    ) -> Result<Vec<Companion>, BuildError> {
        if self.request.copy.is_some() {
            return Ok(Vec::new());
        }
        let (before, others): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|(_, kind)| *kind == CompanionKind::FoundFolder);
        let all = others
            .into_iter()
            .chain(before.into_iter().take(MOST_FILES));
        all.map(|(path, kind)| self.companion(path, kind, false))
            .collect()
    }

    fn kind_of_folder(&self, path: &Path, was_moved: bool) -> CompanionKind {
        let about = fs::metadata(path).ok();
        let made = about.and_then(|about| about.created().ok());
        let made = made.and_then(|made| made.duration_since(UNIX_EPOCH).ok());
        let is_made = match made {
            Some(made) => made
                .as_nanos()
                .try_into()
                .is_ok_and(|made: i64| made >= self.started_ns),
            // Where the file system does not say so, it may have been.
            None => self.is_new(path),
        };
        if is_made || was_moved {
            CompanionKind::MadeFolder
        } else {
            CompanionKind::FoundFolder
        }
    }

    /// Whether a folder was moved to its place while the build ran, or got other rights, which
    /// looks the same: it has changed, and what is in it has not. The times of its files are old
    /// ones, though the build has put them there.
    fn was_moved(&self, folder: &Path) -> bool {
        fs::metadata(folder).is_ok_and(|about| {
            changed_ns(&about) >= self.started_ns && changed_ns(&about) > modified_ns(&about)
        })
    }

    /// A file as it is now, with a copy in the store where it is the build's own.
    fn companion(
        &self,
        path: PathBuf,
        kind: CompanionKind,
        kept: bool,
    ) -> Result<Companion, BuildError> {
        let mode = match kind {
            CompanionKind::Library
            | CompanionKind::LinkedLibrary
            | CompanionKind::LinkedExecutable => Mode::Program,
            _ => Mode::Data,
        };
        let objects = self.builds.objects();
        let hash = if kept {
            objects.keep(&path, mode, &[])
        } else {
            hash_entry(&path)
        }
        .map_err(BuildError::file("keep", &path))?;
        let about = fs::symlink_metadata(&path).map_err(BuildError::file("read", &path))?;
        Ok(Companion {
            blob: kept.then(|| objects.path(&hash)),
            mode: about.permissions().mode() & 0o777,
            modified: Modified::of(&about),
            path,
            hash,
            kind,
        })
    }

    fn is_new(&self, path: &Path) -> bool {
        fs::metadata(path)
            .is_ok_and(|about| modified_ns(&about).max(changed_ns(&about)) >= self.started_ns)
    }
}

/// The links in a folder.
fn links_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    paths.filter(|path| path.is_symlink()).collect()
}

//! The shared libraries that an image may load when its build has ended: those that its loader finds, and those that the build linked
//! beside it, which it may open by itself (plugins, extension modules).

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::found::FoundLink;
use super::request::CaptureRequest;
use super::run::{Run, modified_ns};
use crate::elf;
use crate::libraries::{self, LoadedLibrary};
use crate::model::LinkKind;
use crate::objects::hash_file;

/// What the links of one run left for each other.
pub(super) struct Beside<'a> {
    request: &'a CaptureRequest,
    started_ns: i64,
    /// Where the build's links lie.
    linked: HashSet<PathBuf>,
    /// The shared libraries among them.
    shared: Vec<PathBuf>,
}

impl<'a> Beside<'a> {
    pub(super) fn of(request: &'a CaptureRequest, run: &Run, links: &[FoundLink]) -> Self {
        let is_library = |link: &&FoundLink| {
            super::finish::kind(run, link) == LinkKind::SharedLibrary && elf::is_image(&link.output)
        };
        Beside {
            request,
            started_ns: run.started_ns,
            linked: links
                .iter()
                .flat_map(|link| link.aliases.iter().chain([&link.output]))
                .filter_map(|path| path.canonicalize().ok())
                .collect(),
            shared: links
                .iter()
                .filter(is_library)
                .filter_map(|link| link.output.canonicalize().ok())
                .collect(),
        }
    }

    /// The libraries of one image; none where it loads nothing at all.
    pub(super) fn libraries(&self, image: &Path) -> Vec<LoadedLibrary> {
        let loaded = libraries::loaded(image, |loader| {
            loader.envs(self.request.env.iter().cloned());
        });
        if loaded.is_empty() {
            return Vec::new();
        }
        let own = image.canonicalize().ok();
        let mut all: Vec<PathBuf> = loaded;
        for library in &self.shared {
            if !all.contains(library) && own.as_ref() != Some(library) {
                all.push(library.clone());
            }
        }
        all.into_iter()
            .filter_map(|path| self.library(path))
            .collect()
    }

    fn library(&self, path: PathBuf) -> Option<LoadedLibrary> {
        let made = self.linked.contains(&path) || self.is_new(&path);
        if !made && libraries::is_of_the_system(&path) {
            return None;
        }
        Some(LoadedLibrary {
            hash: hash_file(&path).ok()?,
            path,
            made,
        })
    }

    fn is_new(&self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|about| {
            let changed = about
                .ctime()
                .saturating_mul(1_000_000_000)
                .saturating_add(about.ctime_nsec());
            modified_ns(&about).max(changed) >= self.started_ns
        })
    }
}

//! Files of a build that do not lie beside its image: those that it wrote outside of its own
//! folders, where it was followed, those that the user names, and those of a copy that its images
//! name. Where they are not kept, every build reads what the last one has left, or nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::copied::named_in;
use super::files::absolute;
use super::found::FoundLink;
use super::request::CaptureRequest;
use super::run::Run;
use crate::error::BuildError;
use crate::outside::{Following, LeftOutside};

/// The most that is kept of one folder; what is beyond is known by its hash only.
pub(super) const MOST_FILES: usize = 512;
pub(super) const MOST_BYTES: u64 = 64 << 20;

/// Files that a build has elsewhere.
#[derive(Debug)]
pub(super) struct Elsewhere {
    /// Without links and detours, each with whether a copy is kept.
    pub(super) files: Vec<(PathBuf, bool)>,
    /// Nothing that it wrote outside of its own folders is missing.
    pub(super) all_known: bool,
}

impl Elsewhere {
    /// Once the build has ended.
    ///
    /// # Errors
    /// When a file that the user names is not there.
    pub(super) fn of(
        request: &CaptureRequest,
        run: &Run,
        links: &[FoundLink],
    ) -> Result<Elsewhere, BuildError> {
        let (mut named, mut named_links) = (BTreeSet::new(), Vec::new());
        for asked in &request.with {
            let place = run.cwd.join(asked);
            let found = files(&place).map_err(|source| BuildError::NotThere {
                asked: asked.clone(),
                source,
            })?;
            named.extend(found);
            // Where it leads is the build's as well.
            if place.is_symlink() {
                named_links.push((absolute(&place), false));
            }
        }
        let written = request.followed.as_ref().map(Following::left);
        let all_known = matches!(written, Some(Some(_)));
        let LeftOutside {
            files: mut written,
            others,
        } = written.flatten().unwrap_or_default();
        if let Some(copy) = &request.copy {
            let in_copy = links.iter().map(|link| named_in(&link.output, &copy.whole));
            written.extend(in_copy.flatten());
        }
        let mut bytes = 0;
        let seen: Vec<(PathBuf, bool)> = written
            .difference(&named)
            .enumerate()
            .map(|(index, path)| {
                bytes += fs::metadata(path).map_or(0, |about| about.len());
                (path.clone(), index < MOST_FILES && bytes <= MOST_BYTES)
            })
            .chain(others.difference(&named).map(|path| (path.clone(), false)))
            .collect();
        // What the user names is kept, however much it is.
        let mut all: Vec<(PathBuf, bool)> = named.into_iter().map(|path| (path, true)).collect();
        all.extend(named_links);
        all.extend(seen);
        Ok(Elsewhere {
            files: all,
            all_known,
        })
    }
}

/// A file, or all files in a folder, without links and detours.
fn files(place: &Path) -> std::io::Result<Vec<PathBuf>> {
    let place = place.canonicalize()?;
    let mut found = Vec::new();
    for entry in WalkDir::new(&place).sort_by_file_name() {
        let entry = entry?;
        if entry.path().is_file() {
            found.push(entry.path().canonicalize()?);
        }
    }
    Ok(found)
}

//! The files of a folder, by content: those that its repository has, or all where it is in none.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use proofmark_capture::hash_file;
use proofmark_capture::stamp::Stamp;
use proofmark_capture::states;
use proofmark_terms::Digest;
use serde::{Deserialize, Serialize};

use super::in_a_line;
use super::inner::{unreadable, walked, with_inner_repositories};
use super::links::{self, Led};
use super::ours::Ours;
use crate::memory::Memory;

/// A file of a source.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Relative to the source's folder.
    pub(super) file: PathBuf,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A link, with what it is to say in a copy.
    Link(PathBuf),
    /// A folder, which may hold nothing: a build may write into it, or count it.
    Folder,
    /// A file, or a link to one outside of the source, whose content stands in its place in a copy.
    File { hash: Digest, program: bool },
}

/// What is known of a file from the last time.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
struct Known {
    file: PathBuf,
    stamp: Stamp,
    hash: Digest,
    compiled: bool,
}

/// A file that a link outside leads to.
pub(super) fn outside(place: &Path) -> io::Result<Kind> {
    Ok(Kind::File {
        hash: hash_file(place)?,
        program: is_program(&fs::metadata(place)?),
    })
}

pub(super) fn is_program(about: &fs::Metadata) -> bool {
    about.permissions().mode() & 0o100 != 0
}

/// The files and folders of a folder that runs read, compiled ones too.
pub(super) fn files_of_tree(
    folder: &Path,
    ours: &Ours,
    memory: &Memory,
    inputs: &[PathBuf],
) -> Result<Vec<Entry>, String> {
    files(folder, (ours, memory), inputs, true)
}

/// The files and folders of a folder, files hashed. Those that its repository ignores are none of
/// the source, nor are `compiled` files where there is no repository to ask, and they are not
/// wanted.
pub(super) fn files(
    folder: &Path,
    (ours, memory): (&Ours, &Memory),
    inputs: &[PathBuf],
    compiled: bool,
) -> Result<Vec<Entry>, String> {
    let failed = unreadable(folder);
    let listed = states::files(folder).map_err(|error| in_a_line(&error))?;
    let by_repository = listed.is_some();
    let mut found = match listed {
        Some(listed) => with_inner_repositories(folder, listed, ours)?,
        None => walked(folder, Path::new(""), ours).map_err(&failed)?,
    };
    found.retain(|file| !ours.holds(folder, file));
    let key = format!("source {}", folder.display());
    let known: Vec<Known> = memory.get(&key).unwrap_or_default();
    let mut now = Vec::new();
    let mut entries = Vec::new();
    for file in found.iter().cloned() {
        let place = folder.join(&file);
        // A file may have been removed since it was listed.
        let Ok(about) = fs::symlink_metadata(&place) else {
            continue;
        };
        if about.is_symlink() {
            let target = fs::read_link(&place).map_err(&failed)?;
            let link = links::Link {
                folder,
                file: &file,
                target: &target,
            };
            let kind = match link.led(inputs, |place| is_among(&found, place))? {
                Led::Stays => Kind::Link(target),
                Led::Inside(target) => Kind::Link(target),
                Led::Outside(place) => outside(&place).map_err(&failed)?,
            };
            entries.push(Entry { file, kind });
        } else if about.is_dir() {
            let kind = Kind::Folder;
            entries.push(Entry { file, kind });
        } else if about.is_file() {
            let seen = look(&place, &file, &about, &known).map_err(&failed)?;
            if by_repository || compiled || !seen.compiled {
                let kind = Kind::File {
                    hash: seen.hash.clone(),
                    program: is_program(&about),
                };
                entries.push(Entry { file, kind });
            }
            if seen.stamp.settled() {
                now.push(seen);
            }
        }
    }
    if now != known {
        memory.put(&key, &now);
    }
    Ok(entries)
}

/// Reads a file, unless its content is known.
fn look(place: &Path, file: &Path, about: &fs::Metadata, known: &[Known]) -> io::Result<Known> {
    let stamp = Stamp::from(about);
    let at = known.binary_search_by(|known| known.file.as_path().cmp(file));
    let known = at.ok().and_then(|at| known.get(at));
    Ok(match known.filter(|known| known.stamp == stamp) {
        Some(known) => known.clone(),
        None => Known {
            hash: hash_file(place)?,
            compiled: is_compiled(place),
            file: file.to_owned(),
            stamp,
        },
    })
}

/// Whether a place is one of these files and folders, in order, or is reached through one of them.
fn is_among(files: &[PathBuf], place: &Path) -> bool {
    let above = place.ancestors().filter(|above| *above != Path::new(""));
    let listed = |above: &Path| {
        files
            .binary_search_by(|file| file.as_path().cmp(above))
            .is_ok()
    };
    let below = || {
        let at = files.partition_point(|file| file.as_path() < place);
        files.get(at).is_some_and(|file| file.starts_with(place))
    };
    above.into_iter().any(listed) || below()
}

/// ELF, or an archive of objects.
fn is_compiled(file: &Path) -> bool {
    use std::io::Read;
    let mut first = [0; 8];
    let read = fs::File::open(file).and_then(|mut file| file.read(&mut first));
    read.is_ok()
        && (first.starts_with(b"\x7fELF") || first == *b"!<arch>\n" || first == *b"!<thin>\n")
}

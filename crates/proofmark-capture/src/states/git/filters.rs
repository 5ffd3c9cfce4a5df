//! Files whose content git does not hold itself: those of git LFS are filled in, those of other
//! filters are refused.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::command::{Git, as_path};
use super::settings::{filters, setting};
use super::source::Source;
use crate::states::RevisionError;

/// What a file that stands for another one's content starts with. The format:
/// <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>.
const POINTER: &str = "version https://git-lfs.github.com/spec/";

/// The largest pointer there is.
const LONGEST_POINTER: u64 = 1024;

/// Looks at the files of the commit that `place` holds.
pub(super) fn judge(
    source: &Source,
    commit: &str,
    place: &Path,
    inside: &Path,
) -> Result<(), RevisionError> {
    let defined = filters(&source.folder);
    let mut missing = Vec::new();
    let mut filled: Vec<u8> = Vec::new();
    for (filter, files) in filtered(place)? {
        if filter == "lfs" {
            for file in files {
                match fill(source, &place.join(&file))? {
                    Filled::NoPointer => {}
                    Filled::Missing => missing.push(inside.join(&file)),
                    Filled::Done => {
                        filled.extend_from_slice(file.as_os_str().as_encoded_bytes());
                        filled.push(0);
                    }
                }
            }
        } else if defined.contains(&filter) {
            let files = files.iter().map(|file| inside.join(file)).collect();
            return Err(RevisionError::Filter { filter, files });
        }
    }
    if !missing.is_empty() {
        return Err(RevisionError::Lfs {
            files: missing,
            commit: commit.to_owned(),
        });
    }
    // Builds that ask git whether the tree is clean are told yes.
    Git::of_copy(place, "note the files of git LFS")
        .args(["update-index", "--assume-unchanged", "-z", "--stdin"])
        .input(filled)
        .bytes()
        .map(drop)
}

/// Fills in every file of git LFS below `place`, from what the repository of `folder` has of them;
/// those that it lacks are returned.
///
/// # Errors
/// When a file cannot be read or written.
pub(super) fn filled(folder: &Path, place: &Path) -> Result<Vec<PathBuf>, RevisionError> {
    let source = Source::of(folder)?;
    let mut missing = Vec::new();
    for entry in walkdir::WalkDir::new(place).sort_by_file_name() {
        let entry = entry.map_err(|error| RevisionError::file("read", place, error.into()))?;
        if entry.file_type().is_file()
            && let Filled::Missing = fill(&source, entry.path())?
        {
            let name = entry.path().strip_prefix(place);
            missing.push(name.unwrap_or(entry.path()).to_owned());
        }
    }
    Ok(missing)
}

/// Files by the filter that their attributes name.
fn filtered(place: &Path) -> Result<BTreeMap<String, Vec<PathBuf>>, RevisionError> {
    let doing = "read the attributes of files";
    let files = Git::of_copy(place, doing)
        .args(["ls-files", "-z"])
        .bytes()?;
    let said = Git::of_copy(place, doing)
        .args(["check-attr", "-z", "--stdin", "filter"])
        .input(files)
        .bytes()?;
    let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for (path, filter) in named(&said) {
        if !matches!(&*filter, "unspecified" | "unset" | "set") {
            found.entry(filter).or_default().push(path);
        }
    }
    Ok(found)
}

/// What `check-attr -z` says of files: each with the value of its attribute.
pub(super) fn named(said: &[u8]) -> impl Iterator<Item = (PathBuf, String)> {
    // PATH, attribute, value
    let words: Vec<&[u8]> = said.split(|byte| *byte == 0).collect();
    let triples: Vec<(PathBuf, String)> = words
        .chunks_exact(3)
        .filter_map(|triple| {
            let [path, _, value] = triple else {
                return None;
            };
            let value = String::from_utf8_lossy(value).into_owned();
            Some((as_path(path).to_owned(), value))
        })
        .collect();
    triples.into_iter()
}

enum Filled {
    /// The content itself.
    NoPointer,
    Done,
    /// It is not in this clone.
    Missing,
}

/// Puts the content of a file of git LFS in the place of its pointer.
fn fill(source: &Source, file: &Path) -> Result<Filled, RevisionError> {
    let is_short = |about: &fs::Metadata| about.is_file() && about.len() <= LONGEST_POINTER;
    if !fs::symlink_metadata(file).is_ok_and(|about| is_short(&about)) {
        return Ok(Filled::NoPointer);
    }
    let text = fs::read(file).map_err(|error| RevisionError::file("read", file, error))?;
    let text = String::from_utf8_lossy(&text);
    if !text.starts_with(POINTER) {
        return Ok(Filled::NoPointer);
    }
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
    let (Some(id), Some(size)) = (value("oid sha256:"), value("size ")) else {
        return Ok(Filled::Missing);
    };
    let storage = match setting(&source.folder, "lfs.storage") {
        Some(named) => source.common.join(named),
        None => source.common.join("lfs"),
    };
    let (Some(one), Some(two)) = (id.get(..2), id.get(2..4)) else {
        return Ok(Filled::Missing);
    };
    let kept = storage.join("objects").join(one).join(two).join(id);
    let whole = fs::metadata(&kept).is_ok_and(|about| about.len().to_string() == size.trim());
    if !whole {
        return Ok(Filled::Missing);
    }
    // The pointer's mode stays.
    let content = fs::read(&kept).map_err(|error| RevisionError::file("read", &kept, error))?;
    fs::write(file, content).map_err(|error| RevisionError::file("write", file, error))?;
    Ok(Filled::Done)
}

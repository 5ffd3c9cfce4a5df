//! Files of a build that is made in a copy of its sources, which is gone when it has been captured.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use memchr::memmem;
use proofmark_terms::Digest;
use walkdir::WalkDir;

use super::request::SourceCopy;
use crate::captured::Gone;
use crate::elf;
use crate::objects::{Mode, Objects, hash_bytes, hash_file};
use crate::of_tools::{is_of_builders, is_of_compilers};

/// What ends a path in a text, where the text goes on behind it.
const ENDS: [u8; 8] = *b"\0\n\"':;, ";

/// Files of a copy that an image names by the copy's path, as `-DDATA="$PWD/data"` makes it do: the
/// file, or all of the nearest folder that is there.
pub(super) fn named_in(image: &Path, copy: &Path) -> BTreeSet<PathBuf> {
    let real = copy.canonicalize().unwrap_or_else(|_| copy.to_owned());
    let mut found = BTreeSet::new();
    let Ok(data) = fs::read(image) else {
        return found;
    };
    let folders: BTreeSet<&Path> = [copy, real.as_path()].into();
    for content in elf::in_memory(&data) {
        for &folder in &folders {
            for place in memmem::find_iter(content, folder.as_os_str().as_bytes()) {
                let named = path_at(&content[place..]);
                if let Some(nearest) = nearest(&named, folder) {
                    found.extend(files(nearest).filter_map(|file| file.canonicalize().ok()));
                }
            }
        }
    }
    found.retain(|file| file.starts_with(&real));
    found
}

fn path_at(text: &[u8]) -> PathBuf {
    let end = text.iter().position(|byte| ENDS.contains(byte));
    let path = &text[..end.unwrap_or(text.len())];
    PathBuf::from(std::ffi::OsStr::from_bytes(path))
}

/// What is there at a path, or above it, up to a folder.
fn nearest<'a>(path: &'a Path, folder: &Path) -> Option<&'a Path> {
    let mut above = path.ancestors();
    above.find(|above| above.starts_with(folder) && above.exists())
}

/// A file, or the files in a folder, compilers' and build systems' own apart.
fn files(place: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = WalkDir::new(place).sort_by_file_name().into_iter();
    let entries = entries.filter_entry(|entry| {
        let is_folder = entry.file_type().is_dir();
        !(is_folder && entry.depth() > 0 && is_of_builders(entry.path()))
    });
    let files = entries.filter_map(Result::ok).filter(|entry| {
        let named = entry.depth() == 0;
        !entry.file_type().is_dir() && (named || !is_of_compilers(entry.path()))
    });
    files.map(walkdir::DirEntry::into_path)
}

/// Takes down which files a copy has, and what they hold.
pub(super) fn gone(objects: &Objects, scratch: &Path, copy: &SourceCopy) -> io::Result<Gone> {
    let whole = copy.whole.canonicalize()?;
    let mut list = tempfile::NamedTempFile::new_in(scratch)?;
    for file in files(&whole) {
        if let Ok(name) = file.strip_prefix(&whole) {
            list.write_all(name.as_os_str().as_bytes())?;
            write!(list, "\0{}\0", content(&file))?;
        }
    }
    list.flush()?;
    let hash = objects.keep(list.path(), Mode::Data, &[])?;
    Ok(Gone {
        folder: copy.folder.canonicalize()?,
        original: copy.original.canonicalize()?,
        files: objects.path(&hash),
        whole,
    })
}

/// Of what a file holds, or, where a link leads to no file, of where it leads. What cannot be read,
/// or is a pipe, a socket or a device, holds nothing that a run could know.
fn content(file: &Path) -> Digest {
    let about = fs::metadata(file);
    let held = about
        .is_ok_and(|about| about.is_file())
        .then(|| hash_file(file).ok());
    let led = || fs::read_link(file).map(|target| hash_bytes(target.as_os_str().as_bytes()));
    held.flatten()
        .or_else(|| led().ok())
        .unwrap_or_else(|| hash_bytes(b""))
}

//! The state of a source: its files by content, before anything is copied.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use proofmark_capture::stamp::Stamp;
use proofmark_capture::states::{self, Tree};
use proofmark_capture::{hash_bytes, hash_file};
use proofmark_terms::Digest;
use serde::{Deserialize, Serialize};

use super::in_a_line;
use super::links::{self, Led};
use crate::definition::Source;
use crate::memory::Memory;

/// Folders that are never sources.
const NEVER: [&str; 3] = [".git", ".hg", ".proofmark"];

/// A source's files as they are now.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(super) folder: PathBuf,
    pub(super) content: Content,
    /// Each with what it says.
    pub(super) patches: Vec<(PathBuf, Vec<u8>)>,
    /// Files outside of the source that its build reads, absolute.
    pub(crate) inputs: Vec<PathBuf>,
    /// BLAKE3 of all of it, in hexadecimal.
    pub(crate) hash: Digest,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Files of the folder, in order.
    Files(Vec<Entry>),
    /// A tree of a repository, with its links as they are to be in a copy.
    Tree { tree: Tree, links: Vec<Entry> },
}

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

impl Snapshot {
    /// Looks at a source. `project` is the folder of the project's file, `store` proofmark's own,
    /// which is no source wherever it lies.
    pub(crate) fn of(
        source: &Source,
        project: &Path,
        store: &Path,
        memory: &Memory,
    ) -> Result<Snapshot, String> {
        let folder = project.join(&source.path);
        let folder = folder
            .canonicalize()
            .map_err(|error| format!("cannot open the source {}: {error}", folder.display()))?;
        let mut hasher = blake3::Hasher::new();
        let inputs = inputs(source, project)?;
        for input in &inputs {
            let hash = hash_file(input)
                .map_err(|error| format!("cannot read the input {}: {error}", input.display()))?;
            add(&mut hasher, input, b"input", hash.as_bytes());
        }
        let content = match &source.rev {
            Some(rev) => {
                let tree = Tree::of(&folder, rev).map_err(|error| in_a_line(&error))?;
                let links = tree_links(&tree, &folder, &inputs)?;
                hasher.update(tree.id().as_bytes());
                Content::Tree { tree, links }
            }
            None => Content::Files(files(&folder, project, store, memory, &inputs)?),
        };
        let (Content::Files(entries) | Content::Tree { links: entries, .. }) = &content;
        for Entry { file, kind } in entries {
            match kind {
                Kind::Link(target) => {
                    add(&mut hasher, file, b"link", target.as_os_str().as_bytes());
                }
                Kind::File { hash, program } => {
                    let kind: &[u8] = if *program { b"program" } else { b"file" };
                    add(&mut hasher, file, kind, hash.as_bytes());
                }
            }
        }
        let mut patches = Vec::new();
        for patch in &source.patches {
            let place = project.join(patch);
            let content = fs::read(&place)
                .map_err(|error| format!("cannot read the patch {}: {error}", place.display()))?;
            hasher
                .update(b"patch")
                .update(hash_bytes(&content).as_bytes());
            patches.push((place, content));
        }
        Ok(Snapshot {
            folder,
            content,
            patches,
            inputs,
            hash: hasher.finalize().to_hex().as_str().into(),
        })
    }
}

fn add(hasher: &mut blake3::Hasher, file: &Path, kind: &[u8], content: &[u8]) {
    let name = file.as_os_str().as_bytes();
    hasher.update(&name.len().to_le_bytes()).update(name);
    hasher.update(kind).update(content).update(b"\n");
}

/// The files that `inputs` names, those below its folders too.
fn inputs(source: &Source, project: &Path) -> Result<Vec<PathBuf>, String> {
    let mut all = Vec::new();
    for input in &source.inputs {
        let place = project.join(input);
        let failed =
            |error: io::Error| format!("cannot read the input {}: {error}", place.display());
        let place = place.canonicalize().map_err(failed)?;
        if place.is_dir() {
            all.extend(read_below(&place).map_err(failed)?);
        } else {
            all.push(place);
        }
    }
    Ok(all)
}

/// The files below a folder of `inputs`, also those that its links to folders lead to: a script
/// reads through them.
fn read_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let walk = walkdir::WalkDir::new(folder)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !is_ours(entry.file_name()));
    let mut files = Vec::new();
    for entry in walk {
        match entry {
            Ok(entry) if entry.file_type().is_file() => files.push(entry.into_path()),
            Ok(_) => {}
            // A link to a folder above it holds nothing new.
            Err(error) if error.loop_ancestor().is_some() => {}
            Err(error) if leads_nowhere(&error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(files)
}

/// Whether it is about a link to nothing.
fn leads_nowhere(error: &walkdir::Error) -> bool {
    error
        .path()
        .is_some_and(|place| place.is_symlink() && !place.exists())
}

fn tree_links(tree: &Tree, folder: &Path, inputs: &[PathBuf]) -> Result<Vec<Entry>, String> {
    let mut entries = Vec::new();
    let links = tree.links().map_err(|error| in_a_line(&error))?;
    for link in links {
        let kind = match links::led(folder, &link.file, &link.target, inputs)? {
            Led::Stays => continue,
            Led::Inside(target) => Kind::Link(target),
            Led::Outside(place) => outside(&place)
                .map_err(|error| format!("cannot read {}: {error}", place.display()))?,
        };
        entries.push(Entry {
            file: link.file,
            kind,
        });
    }
    Ok(entries)
}

/// A file that a link outside leads to.
fn outside(place: &Path) -> io::Result<Kind> {
    Ok(Kind::File {
        hash: hash_file(place)?,
        program: is_program(&fs::metadata(place)?),
    })
}

fn is_program(about: &fs::Metadata) -> bool {
    about.permissions().mode() & 0o100 != 0
}

/// The files of a folder, hashed. Those that its repository ignores are none of the source, nor are
/// compiled files where there is no repository to ask.
fn files(
    folder: &Path,
    project: &Path,
    store: &Path,
    memory: &Memory,
    inputs: &[PathBuf],
) -> Result<Vec<Entry>, String> {
    let failed = |error: io::Error| format!("cannot read {}: {error}", folder.display());
    let listed = states::files(folder).map_err(|error| in_a_line(&error))?;
    let by_repository = listed.is_some();
    let mut found = match listed {
        Some(listed) => with_inner_repositories(folder, listed).map_err(failed)?,
        None => walked(folder).map_err(failed)?,
    };
    let project_file = project
        .canonicalize()
        .unwrap_or_else(|_| project.to_owned());
    let project_file = project_file.join("proofmark.toml");
    let store = store.canonicalize().unwrap_or_else(|_| store.to_owned());
    found.retain(|file| {
        let place = folder.join(file);
        place != project_file && !place.starts_with(&store)
    });
    let key = format!("source {}", folder.display());
    let known: Vec<Known> = memory.get(&key).unwrap_or_default();
    let mut now = Vec::new();
    let mut entries = Vec::new();
    for file in found {
        let place = folder.join(&file);
        // A file may have been removed since it was listed.
        let Ok(about) = fs::symlink_metadata(&place) else {
            continue;
        };
        if about.is_symlink() {
            let target = fs::read_link(&place).map_err(failed)?;
            let kind = match links::led(folder, &file, &target, inputs)? {
                Led::Stays => Kind::Link(target),
                Led::Inside(target) => Kind::Link(target),
                Led::Outside(place) => outside(&place).map_err(failed)?,
            };
            entries.push(Entry { file, kind });
        } else if about.is_file() {
            let seen = look(&place, &file, &about, &known).map_err(failed)?;
            if by_repository || !seen.compiled {
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

/// git lists a repository inside of another as a folder.
fn with_inner_repositories(folder: &Path, listed: Vec<PathBuf>) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for file in listed {
        let place = folder.join(&file);
        if place.is_dir() && !place.is_symlink() {
            let inside = walked(&place)?;
            files.extend(inside.into_iter().map(|below| file.join(below)));
        } else if !in_a_folder_of_ours(&file) {
            files.push(file);
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn in_a_folder_of_ours(file: &Path) -> bool {
    file.iter().any(is_ours)
}

fn is_ours(name: &OsStr) -> bool {
    NEVER.iter().any(|never| name == *never)
}

fn walked(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let walk = walkdir::WalkDir::new(folder)
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !is_ours(entry.file_name()));
    let mut files = Vec::new();
    for entry in walk {
        let entry = entry?;
        if !entry.file_type().is_dir()
            && let Ok(file) = entry.path().strip_prefix(folder)
        {
            files.push(file.to_owned());
        }
    }
    files.sort();
    Ok(files)
}

/// ELF, or an archive of objects.
fn is_compiled(file: &Path) -> bool {
    use std::io::Read;
    let mut first = [0; 8];
    let read = fs::File::open(file).and_then(|mut file| file.read(&mut first));
    read.is_ok()
        && (first.starts_with(b"\x7fELF") || first == *b"!<arch>\n" || first == *b"!<thin>\n")
}

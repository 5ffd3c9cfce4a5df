//! The state of a source: its files by content, before anything is copied.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use proofmark_capture::stamp::Stamp;
use proofmark_capture::states::git::{Placed, placed};
use proofmark_capture::states::{self, Revision, Tree, Vcs};
use proofmark_capture::{hash_bytes, hash_file};
use proofmark_evidence::record::PatchText;
use proofmark_terms::Digest;
use serde::{Deserialize, Serialize};

use super::in_a_line;
use super::inner::{unreadable, walked, with_inner_repositories};
use super::links::{self, Led};
use super::ours::{Ours, is_never};
use crate::definition::Source;
use crate::memory::Memory;

/// A source's files as they are now.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) folder: PathBuf,
    pub(super) content: Content,
    /// Each with what it says.
    pub(super) patches: Vec<(PathBuf, Vec<u8>)>,
    /// Files outside of the source that its build reads, absolute.
    pub(crate) inputs: Vec<PathBuf>,
    /// Files and folders in which it is not as the last commit of its repository has it, and files
    /// outside, which no commit has: no other file is older than another. `None` where files have
    /// the times that they lie there with.
    pub(super) edited: Option<BTreeSet<PathBuf>>,
    /// The commit that it was taken from or lies on, where its repository is one of git.
    pub(crate) placed: Option<Placed>,
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

impl Snapshot {
    /// BLAKE3 of each of its patches, in their order.
    pub(crate) fn of_patches(&self) -> Vec<Digest> {
        let patches = self.patches.iter();
        patches.map(|(_, content)| hash_bytes(content)).collect()
    }

    /// What each of them says, as far as they are texts; equal ones once.
    pub(crate) fn texts_of_patches(&self) -> Vec<PatchText> {
        let text = |content: &Vec<u8>| String::from_utf8(content.clone()).ok();
        let mut texts: Vec<PatchText> = Vec::new();
        for (_, content) in &self.patches {
            let digest = hash_bytes(content);
            let known = texts.iter().any(|text| text.digest == digest);
            texts.extend(
                text(content)
                    .filter(|_| !known)
                    .map(|text| PatchText { digest, text }),
            );
        }
        texts
    }

    /// The state that it has without its patches; none where no commit of git is known of it.
    pub(crate) fn revision(&self) -> Option<Revision> {
        let (placed, edited) = (self.placed.as_ref()?, self.edited.as_ref()?);
        Some(Revision {
            vcs: Vcs::Git,
            commit: placed.commit.as_str().into(),
            modified: !edited.is_empty(),
            patch: None,
        })
    }

    /// Looks at a source. `project` is the folder of the project's file, and `ours` what is no part
    /// of any source.
    pub(crate) fn of(
        source: &Source,
        project: &Path,
        ours: &Ours,
        memory: &Memory,
    ) -> Result<Snapshot, String> {
        let folder = project.join(&source.path);
        let folder = folder
            .canonicalize()
            .map_err(|error| format!("cannot open the source {}: {error}", folder.display()))?;
        ours.check(&folder)?;
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
            None => Content::Files(files(&folder, ours, memory, &inputs)?),
        };
        let (Content::Files(entries) | Content::Tree { links: entries, .. }) = &content;
        for Entry { file, kind } in entries {
            match kind {
                Kind::Link(target) => {
                    add(&mut hasher, file, b"link", target.as_os_str().as_bytes());
                }
                Kind::Folder => add(&mut hasher, file, b"folder", b""),
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
        let mut edited = match &content {
            Content::Files(_) => edited(&folder, ours)?,
            Content::Tree { .. } => Some(BTreeSet::new()),
        };
        if let Some(edited) = &mut edited {
            edited.extend(linked(&content, &folder));
        }
        Ok(Snapshot {
            edited,
            placed: placed(&folder, source.rev.as_deref().unwrap_or("HEAD")),
            folder,
            content,
            patches,
            inputs,
            hash: hasher.finalize().into(),
        })
    }

    /// Whether it is meant to be otherwise than the folder is: of a revision, or patched.
    pub(super) fn is_another_state(&self) -> bool {
        matches!(self.content, Content::Tree { .. }) || !self.patches.is_empty()
    }
}

/// What of a folder of a repository is not as its last commit has it, but for what is no part of
/// it.
fn edited(folder: &Path, ours: &Ours) -> Result<Option<BTreeSet<PathBuf>>, String> {
    let changes = states::changes(folder).map_err(|error| in_a_line(&error))?;
    let own = |changes: Vec<PathBuf>| {
        let changes = changes.into_iter();
        changes.filter(|file| !ours.holds(folder, file)).collect()
    };
    Ok(changes.map(own))
}

/// The links of a source that stand for files outside.
fn linked(content: &Content, folder: &Path) -> BTreeSet<PathBuf> {
    let (Content::Files(entries) | Content::Tree { links: entries, .. }) = content;
    let by_revision = matches!(content, Content::Tree { .. });
    let outside = entries.iter().filter(|entry| {
        let is_file = matches!(entry.kind, Kind::File { .. });
        is_file && (by_revision || folder.join(&entry.file).is_symlink())
    });
    outside.map(|entry| entry.file.clone()).collect()
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
        let place = place.canonicalize().map_err(&failed)?;
        if place.is_dir() {
            all.extend(read_below(&place).map_err(&failed)?);
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
        .filter_entry(|entry| entry.depth() == 0 || !is_never(entry.file_name()));
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
        // Where it leads in the folder of today says nothing of a revision.
        let link_of_it = links::Link {
            folder,
            file: &link.file,
            target: &link.target,
        };
        let kind = match link_of_it.led(inputs, |_| true)? {
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

pub(super) fn is_program(about: &fs::Metadata) -> bool {
    about.permissions().mode() & 0o100 != 0
}

/// The files and folders of a folder, files hashed. Those that its repository ignores are none of
/// the source, nor are compiled files where there is no repository to ask.
fn files(
    folder: &Path,
    ours: &Ours,
    memory: &Memory,
    inputs: &[PathBuf],
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

//! The state of a source: its files by content, before anything is copied.

use std::collections::BTreeSet;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use proofmark_capture::states::git::{Placed, placed};
use proofmark_capture::states::{self, Revision, Tree, Vcs};
use proofmark_capture::{hash_bytes, hash_file};
use proofmark_evidence::record::PatchText;
use proofmark_terms::Digest;

use super::files::{Entry, Kind, files, outside};
use super::in_a_line;
use super::links::{self, Led};
use super::ours::{Ours, is_never};
use super::patch::Patch;
use super::tree::OwnTree;
use crate::definition::Source;
use crate::memory::Memory;

/// A source's files as they are now.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    pub(crate) folder: PathBuf,
    pub(super) content: Content,
    /// In their order.
    pub(super) patches: Vec<Patch>,
    /// The files in it that runs read.
    pub(crate) tree: Option<OwnTree>,
    /// A build sees these as runs do, and not as the source has them.
    pub(crate) sees_tree: bool,
    /// Files outside of the source that its build reads, absolute.
    pub(crate) inputs: Vec<PathBuf>,
    /// Files and folders in which it is not as the last commit of its repository has it, and files
    /// outside, which no commit has: no other file is older than another. `None` where files have
    /// the times that they lie there with.
    pub(super) edited: Option<BTreeSet<PathBuf>>,
    /// The commit that it was taken from or lies on, where its repository is one of git.
    pub(crate) placed: Option<Placed>,
    /// BLAKE3 of all that a build of it sees, in hexadecimal.
    pub(crate) hash: Digest,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    /// Files of the folder, in order.
    Files(Vec<Entry>),
    /// A tree of a repository, with its links as they are to be in a copy.
    Tree { tree: Tree, links: Vec<Entry> },
}

impl Snapshot {
    /// BLAKE3 of each of its patches, in their order.
    pub(crate) fn of_patches(&self) -> Vec<Digest> {
        let patches = self.patches.iter();
        patches.map(|patch| hash_bytes(&patch.content)).collect()
    }

    /// What each of them says, as far as they are texts; equal ones once.
    pub(crate) fn texts_of_patches(&self) -> Vec<PatchText> {
        let text = |content: &Vec<u8>| String::from_utf8(content.clone()).ok();
        let mut texts: Vec<PatchText> = Vec::new();
        for Patch { content, .. } in &self.patches {
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
            None => Content::Files(files(&folder, (ours, memory), &inputs, false)?),
        };
        let (Content::Files(entries) | Content::Tree { links: entries, .. }) = &content;
        add_all(&mut hasher, entries);
        let of_tree = |said| OwnTree::of(said, (project, &folder), (ours, memory), &inputs);
        let mut tree = source.tree.as_ref().map(of_tree).transpose()?;
        let inside = tree.as_ref().and_then(|tree| tree.inside.as_deref());
        let patches = source.patches.iter();
        let patches = patches.map(|patch| Patch::read(project.join(patch), inside));
        let patches = patches.collect::<Result<Vec<Patch>, String>>()?;
        for patch in patches.iter().filter(|patch| patch.in_build) {
            let digest = hash_bytes(&patch.content);
            hasher.update(b"patch").update(digest.as_bytes());
        }
        let hash: Digest = hasher.finalize().into();
        if let Some(tree) = &mut tree {
            tree.hash = of_tree_with(tree, &hash, &patches);
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
            tree,
            sees_tree: false,
            inputs,
            hash,
        })
    }

    /// The same for a build that sees the tree as runs do; none where one does already, or where
    /// the tree is none of the source.
    pub(crate) fn with_tree(&self) -> Option<Snapshot> {
        let tree = self.tree.as_ref().filter(|tree| tree.inside.is_some());
        let hash = tree.filter(|_| !self.sees_tree)?.hash.clone();
        Some(Snapshot {
            sees_tree: true,
            hash,
            ..self.clone()
        })
    }

    /// Whether what a build sees is meant to be otherwise than the folder is: of a revision, or
    /// patched.
    pub(super) fn is_another_state(&self) -> bool {
        matches!(self.content, Content::Tree { .. })
            || self.sees_tree
            || self.patches.iter().any(|patch| patch.in_build)
    }
}

/// Of all that a tree is made from; `source` is that of what the build sees.
fn of_tree_with(tree: &OwnTree, source: &Digest, patches: &[Patch]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    let places = format!("{:?} {:?} {}\n", tree.lies, tree.at, tree.after);
    hasher.update(source.as_bytes()).update(places.as_bytes());
    if let Some((_, entries)) = &tree.elsewhere {
        add_all(&mut hasher, entries);
    }
    for patch in patches {
        hasher.update(hash_bytes(&patch.content).as_bytes());
    }
    hasher.finalize().into()
}

fn add_all(hasher: &mut blake3::Hasher, entries: &[Entry]) {
    for Entry { file, kind } in entries {
        match kind {
            Kind::Link(target) => add(hasher, file, b"link", target.as_os_str().as_bytes()),
            Kind::Folder => add(hasher, file, b"folder", b""),
            Kind::File { hash, program } => {
                let kind: &[u8] = if *program { b"program" } else { b"file" };
                add(hasher, file, kind, hash.as_bytes());
            }
        }
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

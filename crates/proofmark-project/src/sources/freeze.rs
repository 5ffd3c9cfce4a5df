//! One copy of a source's files, checked against what was hashed, from which all of its cells are
//! built.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use proofmark_capture::hash_file;
use proofmark_capture::outside::{Bypass, Original, Sought, Tools};
use proofmark_capture::states::git::{Part, apply_part};
use proofmark_capture::states::{later, same_time_but_for, umask};
use proofmark_terms::Digest;
use tempfile::TempDir;

use super::files::{Entry, Kind, is_program};
use super::in_a_line;
use super::snapshot::{Content, Snapshot};

/// How the folders of these copies begin: what a killed command leaves is known by it.
pub(crate) const PREFIX: &str = "frozen-";

/// The files of a source as they were hashed, patches applied. Removed with this value.
#[derive(Debug)]
pub(crate) struct Frozen {
    folder: TempDir,
    /// In words, what patches did not change where they were made for.
    displaced: Vec<String>,
}

impl Snapshot {
    /// Copies the source into a folder below `place`.
    ///
    /// # Errors
    /// When it cannot be copied, a patch does not apply, or a file is not what was hashed any more.
    pub(crate) fn freeze(&self, place: &Path) -> Result<Frozen, String> {
        let folder = fs::create_dir_all(place)
            .and_then(|()| TempDir::with_prefix_in(PREFIX, place))
            .map_err(|error| format!("cannot make a folder in {}: {error}", place.display()))?;
        let copy = folder.path();
        match &self.content {
            Content::Files(entries) => copy_all(&self.folder, entries, copy)?,
            Content::Tree { tree, links } => {
                tree.write(copy).map_err(|error| in_a_line(&error))?;
                copy_all(&self.folder, links, copy)?;
            }
        }
        if let Some(edited) = &self.edited {
            let is_edited = |file: &Path| file.ancestors().any(|above| edited.contains(above));
            same_time_but_for(copy, &is_edited).map_err(cannot_write(copy))?;
        }
        let (mut patched, mut displaced) = (Vec::new(), Vec::new());
        let tree = self.tree.as_ref();
        let inside = tree.and_then(|tree| Some((tree, tree.inside.as_deref()?)));
        if let Some((tree, inside)) = inside.filter(|_| self.sees_tree)
            && let Some((folder, entries)) = &tree.elsewhere
        {
            let place = copy.join(inside);
            fs::remove_dir_all(&place)
                .and_then(|()| fs::create_dir_all(&place))
                .map_err(cannot_write(&place))?;
            copy_all(folder, entries, &place)?;
        }
        for (number, patch) in self.patches.iter().enumerate() {
            let part = match inside {
                // What runs read, the build sees as the source has it.
                Some((tree, inside)) if !self.sees_tree || number < tree.after => {
                    Part::Without(inside)
                }
                _ => Part::All,
            };
            if !patch.in_build && part != Part::All {
                continue;
            }
            let applied = apply_part(&patch.name, &patch.content, copy, part);
            let applied = applied.map_err(|error| in_a_line(&error))?;
            patched.extend(applied.files);
            displaced.extend(applied.displaced);
        }
        if !patched.is_empty() {
            // Which of them git wrote first says nothing.
            later(copy, &patched).map_err(cannot_write(copy))?;
        }
        Ok(Frozen { folder, displaced })
    }
}

/// Copies files of a folder, which are to be what was hashed.
pub(super) fn copy_all(folder: &Path, entries: &[Entry], copy: &Path) -> Result<(), String> {
    for Entry { file, kind } in entries {
        let (from, to) = (folder.join(file), copy.join(file));
        let failed = |error: io::Error| format!("cannot copy {}: {error}", from.display());
        match kind {
            Kind::Link(target) => link(target, &to).map_err(failed)?,
            Kind::Folder => fs::create_dir_all(&to).map_err(failed)?,
            Kind::File { hash, .. } => {
                // In a tree the link itself is there.
                let _ = fs::remove_file(&to);
                copied(&from, &to).map_err(failed)?;
                if hash_file(&to).map_err(failed)? != *hash {
                    return Err(format!(
                        "{} changed while the sources were copied\n  next: give the command again",
                        from.display()
                    ));
                }
            }
        }
    }
    Ok(())
}

impl Frozen {
    /// In words, each hunk of a patch that went in at another line than the one it was made for.
    pub(crate) fn displaced(&self) -> &[String] {
        &self.displaced
    }

    /// The files in which a copy differs from what was copied into it, in order.
    pub(crate) fn remade(&self, place: &Path) -> io::Result<Vec<PathBuf>> {
        let from = self.folder.path();
        let mut remade = Vec::new();
        for entry in walkdir::WalkDir::new(from).sort_by_file_name() {
            let entry = entry?;
            let Ok(name) = entry.path().strip_prefix(from) else {
                continue;
            };
            if entry.file_type().is_file() && !same(entry.path(), &place.join(name))? {
                remade.push(name.to_owned());
            }
        }
        Ok(remade)
    }

    /// Those of these contents that a file of the sources has.
    pub(crate) fn having(&self, contents: HashSet<Digest>) -> io::Result<HashSet<Digest>> {
        if contents.is_empty() {
            return Ok(contents);
        }
        let mut found = HashSet::new();
        for entry in walkdir::WalkDir::new(self.folder.path()) {
            let entry = entry?;
            if entry.file_type().is_file() {
                found.extend(contents.get(&hash_file(entry.path())?).cloned());
            }
        }
        Ok(found)
    }

    /// Why a build of a copy is none of these files: it went back to the source, where a file is
    /// another one.
    /// `own` are places of proofmark's in the source.
    pub(crate) fn is_bypassed(
        &self,
        sought: &Sought,
        snapshot: &Snapshot,
        own: &[&Path],
        tools: Tools<'_>,
    ) -> Option<String> {
        let mut original = Original {
            folder: &snapshot.folder,
            copy: self.folder.path(),
            other_state: snapshot.is_another_state(),
            own: own.iter().map(|&own| own.to_owned()).collect(),
            inputs: &snapshot.inputs,
        };
        let tools = original.folders_of_tools(tools);
        original.own.extend(tools);
        let bypass = sought.bypass(&original)?;
        let named = match bypass {
            Bypass::Lacking(_) => ", or name in `inputs` what is for all cells",
            _ => "",
        };
        Some(format!(
            "the build {}: a patch or a revision is not seen there\n  next: let it name its own \
             files from the folder in which it runs, without the path of the source{named}",
            bypass.told("the copy that it is to be made from"),
        ))
    }

    /// Copies it into an empty folder.
    pub(crate) fn copy_to(&self, place: &Path) -> Result<(), String> {
        let from = self.folder.path();
        let copy = || -> io::Result<()> {
            for entry in walkdir::WalkDir::new(from) {
                let entry = entry?;
                let Ok(name) = entry.path().strip_prefix(from) else {
                    continue;
                };
                let to = place.join(name);
                if entry.file_type().is_dir() {
                    fs::create_dir_all(&to)?;
                } else if entry.file_type().is_symlink() {
                    link(&fs::read_link(entry.path())?, &to)?;
                } else {
                    copied(entry.path(), &to)?;
                }
            }
            Ok(())
        };
        copy().map_err(|error| format!("cannot copy the sources to {}: {error}", place.display()))
    }
}

/// Whether a copy holds what it was copied from. Times do not tell: `cp -p` keeps them.
fn same(from: &Path, copy: &Path) -> io::Result<bool> {
    let Ok(about) = fs::metadata(copy) else {
        return Ok(false);
    };
    let length = fs::metadata(from)?.len();
    Ok(about.is_file() && about.len() == length && hash_file(from)? == hash_file(copy)?)
}

fn link(target: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let _ = fs::remove_file(to);
    std::os::unix::fs::symlink(target, to)
}

/// A file with its times, which builds compare. Of its rights the key has that it is a program, and
/// the copy has no more of them, as in a checkout.
fn copied(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let about = fs::metadata(from)?;
    let from: PathBuf = from.canonicalize()?;
    reflink_copy::reflink_or_copy(from, to)?;
    let rights = if is_program(&about) { 0o777 } else { 0o666 };
    let rights = (rights & !umask()) | 0o600;
    fs::set_permissions(to, fs::Permissions::from_mode(rights))?;
    let times = fs::FileTimes::new().set_modified(about.modified()?);
    fs::File::options().write(true).open(to)?.set_times(times)
}

fn cannot_write(copy: &Path) -> impl Fn(io::Error) -> String + use<> {
    let copy = copy.display().to_string();
    move |error| format!("cannot write {copy}: {error}")
}

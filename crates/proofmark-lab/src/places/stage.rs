//! Fresh copies of an image and of what belongs to it, put where they run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proofmark_capture::{Companion, CompanionKind, Modified};
use proofmark_measure::{Binding, View};
use proofmark_terms::{BuildIndex, Digest};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_OMIT, utimensat};

use super::fresh::Fresh;
use super::own::Own;
use super::{Places, Take, hash, sources};
use crate::builds::Subject;
use crate::error::{LabError, of_file};
use crate::tree::Tree;

/// An image put where it runs.
#[derive(Clone, Debug)]
pub(crate) struct Staged {
    /// The path that it is started by.
    pub(crate) path: PathBuf,
    /// The copy that is started.
    pub(crate) file: PathBuf,
    /// What it sees.
    pub(crate) view: Option<Arc<View>>,
    /// BLAKE3 of the image.
    pub(crate) hash: Digest,
    /// Its copy of the working folder.
    pub(crate) fresh: Option<Arc<Fresh>>,
}

impl Places {
    /// The builds' own images where their runs find them, to be looked at before anything is
    /// measured; below `work`.
    pub(crate) fn to_be_looked_at(
        &self,
        subjects: &[Subject],
        work: &Path,
    ) -> Result<Vec<Staged>, LabError> {
        let stage = |(build, subject): (BuildIndex, &Subject)| {
            let image = subject.shipped().into_iter().next().unwrap_or_default();
            let folder = work.join(format!("look-{build}"));
            self.stage(Take::first(build), &image, &folder)
        };
        BuildIndex::each(subjects).map(stage).collect()
    }

    /// Puts fresh copies of an image and of what belongs to it below `folder`, and makes the view
    /// in which it runs.
    pub(crate) fn stage(
        &self,
        take: Take,
        image: &Path,
        folder: &Path,
    ) -> Result<Staged, LabError> {
        let lacking = || LabError::Fault(format!("build {} has no place", take.build));
        let own = self.own(take).ok_or_else(lacking)?;
        let path = own.image.first().ok_or_else(lacking)?;
        if self.unusable.is_some() {
            return self.stage_without_view(own, path, image, folder);
        }
        let file = folder.join(path.file_name().unwrap_or_default());
        let hash = copy_afresh(image, &file, 0o755, own.modified)
            .map_err(of_file("copy an image to", &file))?;
        let file = file.canonicalize().map_err(of_file("find", &file))?;
        let images = own.image.iter().map(|at| Binding {
            file: file.clone(),
            at: at.clone(),
        });
        let mut bindings: Vec<Binding> = Vec::new();
        // First: what is bound in them is bound over them.
        if let Some(copies) = &own.copies {
            let place = folder.join("copies");
            bindings.push(sources::emptied(copies, own.paths(), &place)?);
        }
        if let Some(tree) = &own.tree {
            bindings.push(tree_at(tree, &own.image, &folder.join("tree"))?);
        }
        bindings.extend(images);
        let beside = folder.join("beside");
        for (index, companion) in own.files.iter().enumerate() {
            if let Some(blob) = &companion.blob {
                bindings.push(companion_at(
                    companion,
                    blob,
                    &beside.join(index.to_string()),
                )?);
            }
        }
        let (fresh, view) = match &self.original {
            None => (None, View::of(&bindings)?),
            Some(original) => {
                let (fresh, view) = original.seen(&folder.join("cwd"), bindings)?;
                (Some(Arc::new(fresh)), view)
            }
        };
        Ok(Staged {
            view: Some(Arc::new(view)),
            path: path.clone(),
            file,
            hash,
            fresh,
        })
    }

    /// As [`Places::stage`], where there are no views: a file that is not captured runs where it
    /// lies, unless two builds are that file; of a captured build the shape of its folders is
    /// copied.
    fn stage_without_view(
        &self,
        own: &Own,
        path: &Path,
        image: &Path,
        folder: &Path,
    ) -> Result<Staged, LabError> {
        let others = self.builds.iter().flatten();
        let alone = others.filter(|other| other.image.first() == own.image.first());
        if own.uncaptured && alone.count() == 1 {
            let hash = hash(path).ok_or_else(|| {
                LabError::Refused(format!("{} can no longer be read", path.display()))
            })?;
            return Ok(Staged {
                path: path.to_owned(),
                file: path.to_owned(),
                view: None,
                hash,
                fresh: None,
            });
        }
        let below = |path: &Path| folder.join(path.strip_prefix("/").unwrap_or(path));
        let file = below(path);
        let hash = copy_afresh(image, &file, 0o755, own.modified)
            .map_err(of_file("copy an image to", &file))?;
        for companion in &own.files {
            if let Some(blob) = &companion.blob {
                let copy = below(&companion.path);
                copy_afresh(blob, &copy, companion.mode, Some(companion.modified))
                    .map_err(of_file("copy a file to", &copy))?;
            }
        }
        Ok(Staged {
            path: file.clone(),
            file,
            view: None,
            hash,
            fresh: None,
        })
    }
}

/// A fresh copy of a tree, to be seen at its place. There is something in it wherever an image is
/// to be put.
fn tree_at(tree: &Tree, images: &[PathBuf], copy: &Path) -> Result<Binding, LabError> {
    tree.copy(copy)?;
    for inside in images
        .iter()
        .filter_map(|image| image.strip_prefix(tree.at()).ok())
    {
        let place = copy.join(inside);
        if !place.exists() {
            let folder = place.parent().unwrap_or(copy);
            fs::create_dir_all(folder).map_err(of_file("make", folder))?;
            fs::write(&place, "").map_err(of_file("make a place for the build at", &place))?;
        }
    }
    Ok(Binding {
        file: copy.canonicalize().map_err(of_file("find", copy))?,
        at: tree.at().to_owned(),
    })
}

/// A fresh copy of a companion, to be seen at its own place.
fn companion_at(companion: &Companion, blob: &Path, copy: &Path) -> Result<Binding, LabError> {
    // What is only started, if at all, has pages of its own as soon as it is: large programs beside
    // the image are not copied each time.
    let binding = |file: PathBuf| Binding {
        file,
        at: companion.path.clone(),
    };
    if companion.kind == CompanionKind::LinkedExecutable {
        return Ok(binding(blob.to_owned()));
    }
    copy_afresh(blob, copy, companion.mode, Some(companion.modified))
        .map_err(of_file("copy a file to", copy))?;
    let copy = copy.canonicalize().map_err(of_file("find", copy))?;
    Ok(binding(copy))
}

/// Writes a new file with a file's content, so that no two arms share an inode or its physical
/// pages; gives the content's BLAKE3. It has the time that the build's own had, or else that of
/// `from`: a program may take one file for out of date because another one is newer.
fn copy_afresh(
    from: &Path,
    to: &Path,
    mode: u32,
    modified: Option<Modified>,
) -> std::io::Result<Digest> {
    let content = fs::read(from)?;
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(to, &content)?;
    fs::set_permissions(to, fs::Permissions::from_mode(mode))?;
    let modified = match modified {
        Some(modified) => modified,
        None => Modified::of(&fs::metadata(from)?),
    };
    date(to, modified)?;
    Ok(blake3::hash(&content).into())
}

/// Gives a file, or a link itself, the time of its last writing.
fn date(path: &Path, modified: Modified) -> std::io::Result<()> {
    let times = Timestamps {
        last_access: Timespec {
            tv_sec: 0,
            tv_nsec: UTIME_OMIT,
        },
        last_modification: Timespec {
            tv_sec: modified.seconds,
            tv_nsec: modified.nanoseconds,
        },
    };
    Ok(utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the store keeps was written when its content was first seen, by whatever build.
    #[test]
    fn a_copy_has_the_time_that_the_build_gave_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let [blob, copy] = ["blob", "copy"].map(|name| folder.path().join(name));
        fs::write(&blob, "content").unwrap();
        let stored = Modified::of(&fs::metadata(&blob).unwrap());
        let own = Modified {
            seconds: 1_577_836_800,
            nanoseconds: 123_456_789,
        };
        for (given, expected) in [(Some(own), own), (None, stored)] {
            copy_afresh(&blob, &copy, 0o644, given).unwrap();
            assert_eq!(Modified::of(&fs::metadata(&copy).unwrap()), expected);
        }
    }
}

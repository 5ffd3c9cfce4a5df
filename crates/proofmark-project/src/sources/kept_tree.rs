//! The tree of a source put together, patches applied, and kept by its content.
//!
//! The build of a source sees these files as the source has them, without patches: what a program
//! is made from is one question, and what its runs read is another.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use proofmark_capture::hash_file;
use proofmark_capture::states::git::{Part, apply_part};
use proofmark_capture::states::times_by_content;
use tempfile::TempDir;

use super::files::Entry;
use super::freeze::{PREFIX, copy_all};
use super::in_a_line;
use super::links::{depth_kept, straight};
use super::snapshot::{Content, Snapshot};
use super::tree::OwnTree;

/// Where trees are kept, below the folder of all builds.
const KEPT: &str = "trees";

/// The tree of a source, put together and kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeTree {
    /// Where it is kept.
    pub folder: PathBuf,
    /// The folder that it was made from, as the user knows it.
    pub lies: PathBuf,
    /// Where runs are to see it.
    pub at: PathBuf,
    /// Its place in the copy that the build was made in; none of one that lies elsewhere.
    pub inside: Option<PathBuf>,
    /// Names in it that are not what the build saw.
    pub changed: BTreeSet<PathBuf>,
    /// Those of them that it has and the build did not see, or the other way round.
    pub moved: BTreeSet<PathBuf>,
    /// In words, each hunk of a patch that went in at another line than the one it was made for.
    pub displaced: Vec<String>,
}

impl Snapshot {
    /// Puts the tree together, and keeps it below `place` by its content; nothing where the source
    /// has none.
    ///
    /// # Errors
    /// When it cannot be copied, a patch does not apply, or a file is not what was hashed any more.
    pub(crate) fn keep_tree(&self, place: &Path) -> Result<Option<MadeTree>, String> {
        let Some(tree) = &self.tree else {
            return Ok(None);
        };
        let scratch = fs::create_dir_all(place)
            .and_then(|()| TempDir::with_prefix_in(PREFIX, place))
            .map_err(cannot("make a folder in", place))?;
        let [built, other] = ["built", "other"].map(|name| scratch.path().join(name));
        let before = match &tree.inside {
            Some(inside) => {
                self.write_part(inside, &built)?;
                listed(&built.join(inside))?
            }
            None => listed(&tree.place)?,
        };
        let root = match &tree.elsewhere {
            None => built,
            Some((folder, entries)) => {
                let copy = other.join(tree.name());
                fs::create_dir_all(&copy).map_err(cannot("make", &copy))?;
                copy_all(folder, entries, &copy)?;
                other
            }
        };
        let displaced = self.patch_tree(tree, &root)?;
        let folder = root.join(tree.name());
        let now = listed(&folder)?;
        stays_inside(&folder, tree)?;
        let names: BTreeSet<&PathBuf> = before.keys().chain(now.keys()).collect();
        let set = |counts: &dyn Fn(&PathBuf) -> bool| -> BTreeSet<PathBuf> {
            let names = names.iter().copied();
            names.filter(|name| counts(name)).cloned().collect()
        };
        Ok(Some(MadeTree {
            changed: set(&|name| before.get(name) != now.get(name)),
            moved: set(&|name| before.contains_key(name) != now.contains_key(name)),
            folder: kept(&folder, &now, &place.join(KEPT))?,
            lies: tree.lies.clone(),
            at: tree.at.clone(),
            inside: tree.inside.clone(),
            displaced,
        }))
    }

    /// Copies the files of a folder of the source as they are without patches.
    fn write_part(&self, inside: &Path, to: &Path) -> Result<(), String> {
        let within = |entries: &[Entry]| -> Vec<Entry> {
            let entries = entries.iter();
            let within = entries.filter(|entry| entry.file.starts_with(inside));
            within.cloned().collect()
        };
        fs::create_dir_all(to).map_err(cannot("make", to))?;
        match &self.content {
            Content::Files(entries) => copy_all(&self.folder, &within(entries), to)?,
            Content::Tree { tree, links } => {
                tree.write(to).map_err(|error| in_a_line(&error))?;
                copy_all(&self.folder, &within(links), to)?;
            }
        }
        if !to.join(inside).is_dir() {
            return Err(format!(
                "the source {} has no folder {} with files in it, which is its `tree`",
                self.folder.display(),
                inside.display()
            ));
        }
        if let Some(edited) = &self.edited {
            let is_edited = |file: &Path| file.ancestors().any(|above| edited.contains(above));
            times_by_content(to, &|file| !is_edited(file)).map_err(cannot("write", to))?;
        }
        Ok(())
    }

    /// Applies what patches have for the tree. Says what went in elsewhere.
    fn patch_tree(&self, tree: &OwnTree, root: &Path) -> Result<Vec<String>, String> {
        let Some(inside) = &tree.inside else {
            return Ok(Vec::new());
        };
        let (mut patched, mut displaced) = (Vec::new(), Vec::new());
        for patch in self.patches.iter().skip(tree.after) {
            if patch.in_tree {
                let part = Part::Within(inside);
                let applied = apply_part(&patch.name, &patch.content, root, part);
                let applied = applied.map_err(|error| in_a_line(&error))?;
                patched.extend(applied.files);
                displaced.extend(applied.displaced);
            }
        }
        if !patched.is_empty() {
            let is_patched = |file: &Path| patched.iter().any(|one| one == file);
            times_by_content(root, &is_patched).map_err(cannot("write", root))?;
        }
        Ok(displaced)
    }
}

/// No link of a tree leads out of it: runs would find there what lies beside the tree that they
/// see, which is one and the same for all cells.
fn stays_inside(folder: &Path, tree: &OwnTree) -> Result<(), String> {
    for entry in walkdir::WalkDir::new(folder).min_depth(1) {
        let entry = entry.map_err(|error| cannot("read", folder)(error.into()))?;
        let Ok(name) = entry.path().strip_prefix(folder) else {
            continue;
        };
        if !entry.file_type().is_symlink() {
            continue;
        }
        let target = fs::read_link(entry.path()).map_err(cannot("read", entry.path()))?;
        let way = name.parent().unwrap_or(Path::new("")).join(&target);
        if target.is_relative() && !depth_kept(&way) {
            let of_source = straight(&tree.name().join(&way));
            return Err(format!(
                "`{}` of the tree `{}` leads out of it, to `{}`, which would be the same for all \
                 cells\n  next: let it lead to a file in the tree, or name a folder as `tree` that \
                 holds both",
                name.display(),
                tree.name().display(),
                of_source.display()
            ));
        }
    }
    Ok(())
}

/// What each name in a folder stands for.
type Listing = BTreeMap<PathBuf, String>;

fn listed(folder: &Path) -> Result<Listing, String> {
    let list = || -> io::Result<Listing> {
        let mut all = Listing::new();
        for entry in walkdir::WalkDir::new(folder).min_depth(1) {
            let entry = entry?;
            let Ok(name) = entry.path().strip_prefix(folder) else {
                continue;
            };
            let what = if entry.file_type().is_dir() {
                "folder".to_owned()
            } else if entry.file_type().is_symlink() {
                format!("link {:?}", fs::read_link(entry.path())?)
            } else {
                let runs = entry.metadata()?.permissions().mode() & 0o100 != 0;
                format!("file {runs} {}", hash_file(entry.path())?)
            };
            all.insert(name.to_owned(), what);
        }
        Ok(all)
    };
    list().map_err(cannot("read", folder))
}

/// Moves a folder to where it is kept by its content. One that is there already stays, unless it
/// is no longer what it was.
fn kept(folder: &Path, listing: &Listing, all: &Path) -> Result<PathBuf, String> {
    let mut hasher = blake3::Hasher::new();
    for (name, what) in listing {
        let text = format!("{name:?} {what}\n");
        hasher.update(text.as_bytes());
    }
    let digest = hasher.finalize().to_hex();
    let place = all.join(&digest[..32]);
    let is_there = || listed(&place).is_ok_and(|there| there == *listing);
    if place.exists() {
        if is_there() {
            return Ok(place);
        }
        fs::remove_dir_all(&place).map_err(cannot("remove", &place))?;
    }
    fs::create_dir_all(all).map_err(cannot("make", all))?;
    match fs::rename(folder, &place) {
        Ok(()) => Ok(place),
        // Another command has made it meanwhile.
        Err(_) if is_there() => Ok(place),
        Err(error) => Err(cannot("write", &place)(error)),
    }
}

fn cannot(doing: &'static str, path: &Path) -> impl Fn(io::Error) -> String + use<> {
    let path = path.display().to_string();
    move |error| format!("cannot {doing} {path}: {error}")
}

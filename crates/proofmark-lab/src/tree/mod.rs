//! Trees: folders of files that runs read, one for each build, which all runs see at one path.
//!
//! What a program reads and nobody builds (scripts, data, configuration) may be all in which two
//! builds differ. Each arm of a block gets a fresh copy of its tree, which is held against what was
//! recorded of it: a tree that changes while it is measured stops the experiment.

mod differ;
pub(crate) mod like;
mod list;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proofmark_evidence::record;
use proofmark_measure::View;
use proofmark_terms::Digest;

use crate::error::{LabError, of_file};
use differ::changes;
use list::{Listing, copied, listed};

/// A folder that is to be a tree.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    /// The folder, as the user knows it.
    pub(crate) lies: PathBuf,
    /// Where a copy is kept of it, or of what was made of it, which nobody changes.
    pub(crate) kept: Option<PathBuf>,
    /// Its place in the copy that the build was made in, where it has one there.
    pub(crate) inside: Option<PathBuf>,
}

/// The tree of one build.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The folder, absolute and without links.
    from: PathBuf,
    /// What is copied in its place.
    kept: Option<PathBuf>,
    /// Its place in the copy that the build was made in, where it has one there.
    inside: Option<PathBuf>,
    /// Where runs see it, absolute and without links.
    at: PathBuf,
    listing: Arc<Listing>,
    /// In what it differs from the base's.
    changes: Vec<record::TreeChange>,
}

impl Tree {
    /// The trees of an experiment, the base's first, all of them to be seen at one path; `own` is
    /// proofmark's own folder.
    ///
    /// # Errors
    ///
    /// When a folder cannot be read, holds what cannot be copied, or is too large; when no other
    /// folder can be put in the place, or what lies there must not be covered.
    pub fn of(folders: &[PathBuf], at: &Path, own: &Path) -> Result<Vec<Tree>, LabError> {
        let folder = |folder: &PathBuf| Folder {
            lies: folder.clone(),
            kept: None,
            inside: None,
        };
        let folders: Vec<Folder> = folders.iter().map(folder).collect();
        Tree::of_folders(&folders, at, own)
    }

    /// The same of folders of which copies may be kept.
    ///
    /// # Errors
    ///
    /// As [`Tree::of`].
    pub(crate) fn of_folders(
        folders: &[Folder],
        at: &Path,
        own: &Path,
    ) -> Result<Vec<Tree>, LabError> {
        if let Err(why) = View::usable() {
            return Err(LabError::Refused(format!(
                "each build sees its own tree at one path, for which private mount namespaces are needed: {why}\n  next: allow them to this user"
            )));
        }
        let at = place(at)?;
        may_be_covered(&at, own)?;
        let mut trees: Vec<Tree> = Vec::new();
        for folder in folders {
            let lies = &folder.lies;
            let (from, kept) = match &folder.kept {
                None => (lies.canonicalize().map_err(of_file("find", lies))?, None),
                // It need not lie there: it may be of a revision.
                Some(kept) => {
                    let kept = kept.canonicalize().map_err(of_file("find", kept))?;
                    let lies = lies.canonicalize().unwrap_or_else(|_| lies.clone());
                    (lies, Some(kept))
                }
            };
            let listing = Arc::new(listed(kept.as_ref().unwrap_or(&from), own)?);
            let changes = match trees.first() {
                Some(base) => changes(&base.listing, &listing),
                None => Vec::new(),
            };
            trees.push(Tree {
                from,
                kept,
                inside: folder.inside.clone(),
                at: at.clone(),
                listing,
                changes,
            });
        }
        Ok(trees)
    }

    /// The folder.
    #[must_use]
    pub fn from(&self) -> &Path {
        &self.from
    }

    /// Where runs see it.
    #[must_use]
    pub fn at(&self) -> &Path {
        &self.at
    }

    /// Where runs see a file of this folder; the file itself where it lies elsewhere.
    #[must_use]
    pub fn seen(&self, file: &Path) -> PathBuf {
        let real = match (file.parent().map(Path::canonicalize), file.file_name()) {
            (Some(Ok(folder)), Some(name)) => folder.join(name),
            _ => file.to_owned(),
        };
        match real.strip_prefix(&self.from) {
            Ok(inside) => self.at.join(inside),
            Err(_) => file.to_owned(),
        }
    }

    /// Whether a path leads into the tree: where runs see it, or where it lies.
    pub(crate) fn holds(&self, path: &Path) -> bool {
        path.starts_with(&self.at) || (self.kept.is_none() && path.starts_with(&self.from))
    }

    /// Whether what lies in the folder is not what runs see of it: they see a copy that is kept.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Where it is in a copy of the sources that a build was made in.
    pub(crate) fn in_copy(&self, copy: &Path) -> Option<PathBuf> {
        self.inside.as_ref().map(|inside| copy.join(inside))
    }

    /// How many files and links are in it.
    #[must_use]
    pub fn files(&self) -> usize {
        self.listing.files()
    }

    /// Of what is in it.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.listing.digest()
    }

    /// What the evidence says of it.
    pub(crate) fn record(&self) -> record::Tree {
        record::Tree {
            from: self.from.clone().into(),
            at: self.at.clone().into(),
            digest: self.digest(),
            files: u32::try_from(self.files()).unwrap_or(u32::MAX),
            changes: self.changes.clone(),
        }
    }

    /// Makes a copy of it at `to`.
    ///
    /// # Errors
    ///
    /// [`LabError::InputChanged`] with the first file that is not what it was, and when something
    /// cannot be read or written.
    pub(crate) fn copy(&self, to: &Path) -> Result<(), LabError> {
        let from = self.kept.as_ref().unwrap_or(&self.from);
        let found = copied(from, to)?;
        match changes(&self.listing, &found).first() {
            None => Ok(()),
            Some(change) => Err(LabError::InputChanged {
                path: from.join(change.path.as_ref()),
                how: match change.how {
                    record::TreeChangeKind::Added => "would see in their tree, is new there",
                    record::TreeChangeKind::Removed => "had in their tree, is gone",
                    record::TreeChangeKind::Changed => "have in their tree, is another one now",
                },
            }),
        }
    }
}

/// A path without links, of which the last part need not be there.
fn place(at: &Path) -> Result<PathBuf, LabError> {
    let at = std::path::absolute(at).map_err(of_file("find", at))?;
    if at.exists() {
        return at.canonicalize().map_err(of_file("find", &at));
    }
    let Some((folder, name)) = at.parent().zip(at.file_name()) else {
        return Ok(at);
    };
    let folder = folder.canonicalize().map_err(of_file("find", folder))?;
    Ok(folder.join(name))
}

/// What lies in the place is not seen by runs. They need some of it.
fn may_be_covered(at: &Path, own: &Path) -> Result<(), LabError> {
    let own = own.canonicalize().unwrap_or_else(|_| own.to_owned());
    if own.starts_with(at) {
        return Err(LabError::Refused(format!(
            "the trees are to be seen at {}, and proofmark's own folder {} lies in there\n  next: keep it elsewhere with --store DIR, or choose another place with --tree-at DIR",
            at.display(),
            own.display()
        )));
    }
    if at.exists() && !at.is_dir() {
        return Err(LabError::Refused(format!(
            "the trees are to be seen at {}, which is no folder\n  next: choose another place with --tree-at DIR",
            at.display()
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn folder(at: &Path, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = at.join(name);
        for (file, content) in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        folder
    }

    fn trees(folders: &[PathBuf]) -> Result<Vec<Tree>, LabError> {
        let own = folders[0].parent().unwrap().join("own");
        Tree::of(folders, &folders[0], &own)
    }

    fn changed(tree: &Tree) -> Vec<(String, record::TreeChangeKind)> {
        let changes = tree.changes.iter();
        changes
            .map(|change| (change.path.display().to_string(), change.how))
            .collect()
    }

    #[test]
    fn trees_differ_by_names_contents_rights_and_links_and_by_nothing_else() {
        use record::TreeChangeKind::{Added, Changed, Removed};
        if View::usable().is_err() {
            println!("skipped: needs private mount namespaces");
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let same = [("a", "1"), ("sub/b", "2"), ("run", "#!/bin/sh")];
        let base = folder(place.path(), "base", &same);
        let new = folder(place.path(), "new", &same);
        symlink("a", base.join("link")).unwrap();
        symlink("a", new.join("link")).unwrap();
        let of = || trees(&[base.clone(), new.clone()]).unwrap();
        let [first, second] = &of()[..] else { panic!() };
        assert_eq!(first.digest(), second.digest());
        assert_eq!((first.files(), changed(second)), (4, vec![]));
        fs::write(new.join("sub/b"), "3").unwrap();
        fs::write(new.join("c"), "").unwrap();
        fs::remove_file(new.join("a")).unwrap();
        fs::set_permissions(new.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::remove_file(new.join("link")).unwrap();
        symlink("c", new.join("link")).unwrap();
        fs::create_dir(new.join("empty")).unwrap();
        fs::write(new.join("lib.so"), b"\x7fELF").unwrap();
        let [first, second] = &of()[..] else { panic!() };
        assert_ne!(first.digest(), second.digest());
        let expected = [
            ("a", Removed),
            ("c", Added),
            ("empty", Added),
            ("lib.so", Added),
            ("link", Changed),
            ("run", Changed),
            ("sub/b", Changed),
        ];
        assert_eq!(
            changed(second),
            expected.map(|(path, how)| (path.to_owned(), how))
        );
        let code = second.changes.iter().filter(|change| change.code);
        let code: Vec<String> = code
            .map(|change| change.path.display().to_string())
            .collect();
        assert_eq!(code, ["lib.so"]);
    }

    #[test]
    fn a_copy_is_the_tree_that_was_recorded_or_none() {
        if View::usable().is_err() {
            println!("skipped: needs private mount namespaces");
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let base = folder(place.path(), "base", &[("a", "1"), ("sub/b", "2")]);
        let tree = trees(std::slice::from_ref(&base)).unwrap().remove(0);
        let copy = |name: &str| tree.copy(&place.path().join("copies").join(name));
        copy("1").unwrap();
        let read = |path: &str| fs::read_to_string(place.path().join("copies").join(path));
        assert_eq!(read("1/sub/b").unwrap(), "2");
        let time = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(
            time(&base.join("a")),
            time(&place.path().join("copies/1/a"))
        );
        fs::write(base.join("c"), "").unwrap();
        assert!(copy("2").unwrap_err().to_string().contains("base/c"));
        fs::remove_file(base.join("c")).unwrap();
        fs::write(base.join("sub/b"), "3").unwrap();
        let error = copy("3").unwrap_err();
        assert!(matches!(error, LabError::InputChanged { .. }));
        assert!(error.to_string().contains("sub/b"), "{error}");
    }

    #[test]
    fn what_cannot_be_copied_or_covered_is_refused_by_name() {
        if View::usable().is_err() {
            println!("skipped: needs private mount namespaces");
            return;
        }
        let place = tempfile::tempdir().unwrap();
        let base = folder(place.path(), "base", &[("a", "1"), ("own/x", "")]);
        let refused = |at: &Path, own: &Path| {
            let error = Tree::of(std::slice::from_ref(&base), at, own).unwrap_err();
            error.to_string()
        };
        let elsewhere = place.path().join("own");
        assert!(refused(&base, &base.join("own")).contains("--store"));
        assert!(refused(&base.join("a"), &elsewhere).contains("no folder"));
        let _listening = std::os::unix::net::UnixListener::bind(base.join("socket")).unwrap();
        assert!(refused(&base, &elsewhere).contains("socket"));
    }
}

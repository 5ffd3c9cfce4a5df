//! A run that is to be looked at.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use proofmark_evidence::record::Benchmark;
use proofmark_measure::View;

use crate::places::Original;

/// One run that is to be looked at.
pub(crate) struct Look<'a> {
    pub(crate) benchmark: &'a Benchmark,
    pub(crate) image: &'a Path,
    /// What it sees, where that is not what lies on the disk.
    pub(crate) view: Option<Arc<View>>,
    /// Paths at which it sees files of its own build.
    pub(crate) bound: BTreeSet<PathBuf>,
    /// The working folder, where each run sees a copy of it.
    pub(crate) original: Option<&'a Original>,
    /// The folder of files that it sees a copy of, where each build has one of its own.
    pub(crate) tree: Option<&'a Path>,
    /// The folder of copies of sources, in the place of which it sees one of its own.
    pub(crate) copies: Option<&'a Path>,
}

impl Look<'_> {
    /// Whether what lies at a path is not of the run's own build.
    pub(super) fn is_of_others(&self, path: &Path) -> bool {
        if self.is_in_tree(path) || self.is_in_copies(path) {
            return false;
        }
        let real = || path.canonicalize();
        !self.bound.contains(path) && !real().is_ok_and(|real| self.bound.contains(&real))
    }

    /// Whether a path leads to the file that is run. The loader has that from the kernel, and does
    /// not open it.
    pub(super) fn is_its_own_file(&self, path: &Path) -> bool {
        let by_proc = || path.starts_with("/proc") && path.ends_with("exe");
        let real = |path: &Path| path.canonicalize().ok();
        let is_real = || real(path).is_some_and(|place| real(self.image) == Some(place));
        path == self.image || by_proc() || is_real()
    }

    /// Whether what the run writes to a path is there after it: what is written into a copy is gone
    /// with it.
    pub(super) fn is_lasting(&self, path: &Path) -> bool {
        !self.is_in_tree(path) && self.is_kept_in_cwd(path)
    }

    /// Whether a path leads into the run's own tree, which is looked at by itself: by its name, or
    /// by a link beside the tree.
    pub(super) fn is_in_tree(&self, path: &Path) -> bool {
        self.tree.is_some_and(|tree| {
            let mut above = path.ancestors();
            let mut real = || above.find_map(|above| above.canonicalize().ok());
            straight(path).starts_with(tree) || real().is_some_and(|real| real.starts_with(tree))
        })
    }

    /// Whether a path leads to where copies of sources come and go, which it does not see.
    pub(super) fn is_in_copies(&self, path: &Path) -> bool {
        self.copies.is_some_and(|copies| path.starts_with(copies))
    }

    fn is_kept_in_cwd(&self, path: &Path) -> bool {
        self.original.is_none() || !path.starts_with(self.cwd())
    }

    /// The folder in which the run works.
    pub(super) fn cwd(&self) -> &Path {
        Path::new(self.benchmark.cwd.as_ref())
    }
}

/// A path that goes up on its way, by the way that does not: what comes behind may be there for the
/// run alone.
pub(super) fn straight(path: &Path) -> Cow<'_, Path> {
    let mut parts: Vec<Component<'_>> = path.components().collect();
    let Some(last) = parts.iter().rposition(|part| *part == Component::ParentDir) else {
        return Cow::Borrowed(path);
    };
    let rest: PathBuf = parts.drain(last + 1..).collect();
    let up: PathBuf = parts.into_iter().collect();
    up.canonicalize()
        .map_or(Cow::Borrowed(path), |up| Cow::Owned(up.join(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_goes_up_leads_where_the_system_says() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(place.join("a/b")).unwrap();
        std::os::unix::fs::symlink("a/b", place.join("link")).unwrap();
        for (way, leads) in [
            ("x/y", "x/y"),
            ("a/../x/y", "x/y"),
            ("a/b/../../x", "x"),
            ("link/../x", "a/x"),
            ("none/../x", "none/../x"),
        ] {
            assert_eq!(straight(&place.join(way)), place.join(leads), "{way}");
        }
    }
}

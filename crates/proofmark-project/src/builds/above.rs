//! What a build looks for above its copy and would find above the source: the copy lies elsewhere,
//! and has nothing around it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proofmark_capture::outside::Sought;

use crate::sources::straight;

/// Where a copy and what it was copied from lie.
pub(super) struct Copied<'a> {
    /// The copy.
    pub(super) work: &'a Path,
    /// The folder of proofmark's own in which copies lie.
    pub(super) own: &'a Path,
    /// What was copied.
    pub(super) source: &'a Path,
}

impl Copied<'_> {
    /// Why a build that had to do with these names is not what it would be in the source's own
    /// place.
    pub(super) fn misses(&self, sought: &Sought) -> Option<String> {
        let mut absent = sought.absent.iter();
        let beside = absent.find_map(|name| self.beside(name, &sought.read));
        let why = beside.map(|(way, there)| {
            format!(
                "the build looks for {}, which lies above the source and not above its copy: {}",
                way.display(),
                there.display()
            )
        });
        let why = why.or_else(|| {
            let way = sought.listed.iter().find_map(|name| self.above(name))?;
            Some(format!(
                "the build lists {}, which is another folder above its copy than above the source",
                way.display()
            ))
        });
        why.map(|why| {
            format!(
                "{why}\n  next: let `path` name a folder that holds it, and `build` go down from \
                 there"
            )
        })
    }

    /// A folder above the copy as the source would say it.
    fn above(&self, folder: &Path) -> Option<PathBuf> {
        let mut above = self.work.ancestors().skip(1);
        let mut above = above
            .by_ref()
            .take_while(|above| above.starts_with(self.own));
        let levels = above.position(|above| above == folder)? + 1;
        Some(std::iter::repeat_n("..", levels).collect())
    }

    /// A name above the copy as the source would say it, and what is there above the source.
    fn beside(&self, name: &Path, read: &BTreeSet<PathBuf>) -> Option<(PathBuf, PathBuf)> {
        let name = straight(name);
        if name.starts_with(self.work) || !name.starts_with(self.own) {
            return None;
        }
        let above = self.work.ancestors().zip(self.source.ancestors()).skip(1);
        let mut way = PathBuf::new();
        for (copied, source) in above {
            way.push("..");
            let Ok(rest) = name.strip_prefix(copied) else {
                continue;
            };
            let there = source.join(rest);
            // Who looks in every folder above finds it in the end; the copy is no repository.
            let found = read.contains(&there) || rest.starts_with(".git");
            return (there.exists() && !found).then(|| (way.join(rest), there));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_lies_above_a_source_is_not_looked_for_above_its_copy() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let source = root.join("a/src");
        fs::create_dir_all(&source).unwrap();
        fs::write(root.join("a/config.mk"), "").unwrap();
        fs::write(root.join("top.h"), "").unwrap();
        let (own, work) = (root.join(".p"), root.join(".p/work/key/key"));
        let copied = Copied {
            work: &work,
            own: &own,
            source: &source,
        };
        let misses = |name: &str, read: &[&str]| {
            copied.misses(&Sought {
                absent: vec![work.join(name)],
                read: read.iter().map(|name| root.join(name)).collect(),
                listed: Vec::new(),
            })
        };
        for (name, way) in [
            ("../config.mk", "../config.mk"),
            ("sub/../../config.mk", "../config.mk"),
            ("../../top.h", "../../top.h"),
            ("../src", "../src"),
        ] {
            let said = misses(name, &[]).unwrap();
            let told = format!("looks for {way}, which lies above the source");
            assert!(said.contains(&told), "{said}");
        }
        for name in [
            "../other.mk",
            "config.mk",
            "../../../../../a/config.mk",
            "../.git",
        ] {
            assert_eq!(misses(name, &[]), None, "{name}");
        }
        assert_eq!(misses("../config.mk", &["a/config.mk"]), None);
    }

    #[test]
    fn what_is_listed_above_a_copy_is_not_what_is_above_the_source() {
        let copied = Copied {
            work: Path::new("/p/.own/work/key/key"),
            own: Path::new("/p/.own"),
            source: Path::new("/p/src"),
        };
        let misses = |folder: &str| {
            copied.misses(&Sought {
                listed: vec![folder.into()],
                ..Sought::default()
            })
        };
        for (folder, way) in [("work/key", ".."), ("work", "../.."), ("", "../../..")] {
            let said = misses(Path::new("/p/.own").join(folder).to_str().unwrap()).unwrap();
            assert!(said.contains(&format!("lists {way},")), "{said}");
        }
        for folder in ["/p/.own/work/key/key", "/p/.own/work/key/key/a", "/p", "/"] {
            assert_eq!(misses(folder), None, "{folder}");
        }
    }
}

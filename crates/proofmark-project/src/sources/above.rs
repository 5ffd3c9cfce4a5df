//! What a build looks for above its copy and would find above the source: the copy lies elsewhere,
//! and has nothing around it.

use std::path::{Path, PathBuf};

use proofmark_capture::outside::Sought;

use super::links::straight;

/// What to do where both folders are not the same.
const HOLD_BOTH: &str = "let `path` name a folder that holds it, and `build` go down from there";

/// Where a copy and what it was copied from lie.
pub(crate) struct Copied<'a> {
    /// The copy.
    pub(crate) work: &'a Path,
    /// The folder of proofmark's own in which copies lie.
    pub(crate) own: &'a Path,
    /// What was copied.
    pub(crate) source: &'a Path,
}

impl Copied<'_> {
    /// Why a build that had to do with these names is not what it would be in the source's own
    /// place.
    pub(crate) fn misses(&self, sought: &Sought) -> Option<String> {
        let said = |way: &Path| way.display().to_string();
        let mut absent = sought.absent.iter();
        let beside = absent.find_map(|name| self.beside(name, sought));
        let beside = beside.map(|(way, there)| {
            let (way, there) = (said(&way), there.display());
            format!(
                "the build looks for {way}, which lies above the source and not above its copy: \
                 {there}\n  next: {HOLD_BOTH}"
            )
        });
        let listed = || {
            let way = said(&sought.listed.iter().find_map(|name| self.above(name))?);
            Some(format!(
                "the build lists {way}, which is another folder above its copy than above the \
                 source\n  next: {HOLD_BOTH}"
            ))
        };
        let strange = || {
            let strange = sought
                .found
                .iter()
                .find(|name| self.is_strange(name, sought))?;
            Some(format!(
                "the build looks in all folders above and finds {}, which lies above its copy and \
                 not above the source\n  next: keep proofmark's files elsewhere, by `--store`",
                strange.display()
            ))
        };
        beside.or_else(listed).or_else(strange)
    }

    /// Whether somebody who looked for several names in every folder above came as far as `folder`,
    /// and found another one of them there.
    fn ended_before(&self, folder: &Path, rest: &Path, sought: &Sought) -> bool {
        let in_vain = |name: &Path| {
            let mut below = self.work.ancestors().skip(1);
            below
                .by_ref()
                .take_while(|above| *above != folder)
                .all(|above| sought.absent.contains(&above.join(name)))
        };
        let mut beside = sought.found.iter();
        self.work.starts_with(folder)
            && in_vain(rest)
            && beside.any(|name| name.strip_prefix(folder).is_ok_and(in_vain))
    }

    /// Whether this was found by looking for it in every folder above the copy, the nearest first,
    /// and whoever did the same above the source would not find it.
    fn is_strange(&self, name: &Path, sought: &Sought) -> bool {
        let Some(nearest) = self.work.parent() else {
            return false;
        };
        let mut above = self.own.ancestors().skip(1);
        above.any(|folder| {
            let Ok(rest) = name.strip_prefix(folder) else {
                return false;
            };
            !self.source.starts_with(folder)
                && !rest.as_os_str().is_empty()
                && !rest.starts_with(".git")
                && sought.absent.contains(&nearest.join(rest))
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
    fn beside(&self, name: &Path, sought: &Sought) -> Option<(PathBuf, PathBuf)> {
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
            // Who looks in every folder above finds it in the end, or another name beside it; the
            // copy is no repository.
            let known = sought.found.contains(&there)
                || rest.starts_with(".git")
                || self.ended_before(source, rest, sought);
            return (there.exists() && !known).then(|| (way.join(rest), there));
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
        let misses = |name: &str, found: &[&str]| {
            copied.misses(&Sought {
                absent: [work.join(name)].into(),
                found: found.iter().map(|name| root.join(name)).collect(),
                ..Sought::default()
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
    fn who_looks_for_several_names_above_ends_at_the_first_of_them() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let source = root.join("src");
        fs::create_dir_all(&source).unwrap();
        for name in ["modules", "package"] {
            fs::write(root.join(name), "").unwrap();
        }
        let (own, work) = (root.join(".p"), root.join(".p/work/key/key"));
        let copied = Copied {
            work: &work,
            own: &own,
            source: &source,
        };
        let misses = |absent: &[&str], found: &str| {
            copied.misses(&Sought {
                absent: absent.iter().map(|name| root.join(name)).collect(),
                found: [root.join(found)].into(),
                ..Sought::default()
            })
        };
        let levels = [".p/work/key", ".p/work", ".p"];
        let of = |name: &str| levels.map(|level| format!("{level}/{name}"));
        let walked = [of("modules"), of("package")].concat();
        let walked: Vec<&str> = walked.iter().map(String::as_str).collect();
        assert_eq!(misses(&walked, "package"), None);
        // It ended at something else, or was looked for in one folder alone.
        assert!(misses(&walked, "other").is_some());
        let (alone, others) = (&walked[..1], &walked[3..]);
        assert!(misses(&[alone, others].concat(), "package").is_some());
    }

    #[test]
    fn what_lies_above_a_copy_alone_is_not_found_by_looking_up() {
        let work = Path::new("/p/.own/work/key/key");
        let misses = |source: &str, found: &str, absent: &[&str]| {
            let copied = Copied {
                work,
                own: Path::new("/p/.own"),
                source: Path::new(source),
            };
            copied.misses(&Sought {
                absent: absent.iter().map(|name| work.join(name)).collect(),
                found: [PathBuf::from(found)].into(),
                ..Sought::default()
            })
        };
        let upwards = ["x.toml", "../x.toml", "../../x.toml"];
        let absent: Vec<PathBuf> = upwards
            .iter()
            .map(|name| straight(&work.join(name)))
            .collect();
        let absent: Vec<&str> = absent.iter().map(|name| name.to_str().unwrap()).collect();
        let said = misses("/q/src", "/p/x.toml", &absent).unwrap();
        assert!(
            said.contains("finds /p/x.toml, which lies above its copy"),
            "{said}"
        );
        // Above the source as well; above both; named by its own path; the repository around it.
        assert_eq!(misses("/p/src", "/p/x.toml", &absent), None);
        assert_eq!(misses("/q/src", "/x.toml", &absent), None);
        assert_eq!(misses("/q/src", "/p/x.toml", &[]), None);
        assert_eq!(
            misses("/q/src", "/p/.git", &["/p/.own/work/key/.git"]),
            None
        );
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

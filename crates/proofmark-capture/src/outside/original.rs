//! A build that is made in a copy, and goes back to what it was copied from.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

use super::ways::Ways;
use super::{Sought, content};

/// What a build was copied from.
#[derive(Clone, Debug)]
pub struct Original<'a> {
    /// The folder, without links.
    pub folder: &'a Path,
    /// A copy of it that no build has run in.
    pub copy: &'a Path,
    /// The copy is of another state, by a patch or a revision. What it has not got is no part of
    /// that state, and a build that finds it in the original is another one. Where it is of the
    /// same state, what the copy lacks is what the user's own build reads there too.
    pub other_state: bool,
    /// Folders and files of proofmark's own, and of tools ([`Original::folders_of_tools`]).
    pub own: Vec<PathBuf>,
    /// Files that the user has named to be read there, without links.
    pub inputs: &'a [PathBuf],
}

/// What a build is made with, wherever that lies.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// Compilers and the like.
    pub programs: &'a [&'a Path],
    /// The value of a variable of the build's environment.
    pub variable: &'a dyn Fn(&str) -> Option<OsString>,
}

/// How a build went past its copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bypass {
    /// It had to do with something that is another thing in the copy.
    Other(PathBuf),
    /// It found something that is not in the copy.
    Lacking(PathBuf),
    /// It looked in vain for something that is in the copy.
    InVain(PathBuf),
    /// It listed a folder that holds other names in the copy.
    Listed(PathBuf),
}

/// Variables whose folders hold programs and libraries of the user's.
const SEARCHED: [&str; 2] = ["PATH", "LD_LIBRARY_PATH"];

/// Variables that name a folder which programs keep for themselves.
const KEPT: [&str; 4] = ["HOME", "TMPDIR", "CARGO_HOME", "RUSTUP_HOME"];

impl Bypass {
    /// What the build did, as the predicate of a sentence; `state` is what the copy is called.
    #[must_use]
    pub fn told(&self, state: &str) -> String {
        match self {
            Bypass::Other(place) => {
                let place = place.display();
                format!("goes to {place}, which is another file in {state}")
            }
            Bypass::Lacking(place) => {
                format!("goes to {}, which is not there in {state}", place.display())
            }
            Bypass::InVain(place) => {
                let place = place.display();
                format!("looks in vain for {place}, which is there in {state}")
            }
            Bypass::Listed(place) => {
                let place = place.display();
                format!("lists {place}, where other files are in {state}")
            }
        }
    }
}

impl Original<'_> {
    /// The folders of tools in the original that the copy has not got. Such a tool is the same
    /// whatever the copy is of.
    #[must_use]
    pub fn folders_of_tools(&self, tools: Tools<'_>) -> Vec<PathBuf> {
        let Tools { programs, variable } = tools;
        let lacks = |folder: &&Path| {
            let rest = folder.strip_prefix(self.folder);
            rest.is_ok_and(|rest| !rest.as_os_str().is_empty() && !self.copy.join(rest).exists())
        };
        let real = |folder: &Path| folder.canonicalize().ok();
        let mut folders = Vec::new();
        let searched = SEARCHED.iter().filter_map(|name| variable(name));
        let searched = searched.flat_map(|value| std::env::split_paths(&value).collect::<Vec<_>>());
        let beside = programs.iter().filter_map(|program| {
            let real = program.canonicalize().ok()?;
            Some(real.parent()?.to_owned())
        });
        for folder in searched.chain(beside).filter_map(|folder| real(&folder)) {
            // What is called `bin` or `lib` has its other files beside it.
            let around = folder.parent().filter(lacks);
            folders.extend(
                around
                    .or(Some(folder.as_path()).filter(lacks))
                    .map(Path::to_owned),
            );
        }
        let kept = KEPT
            .iter()
            .filter_map(|name| real(Path::new(&variable(name)?)));
        folders.extend(kept.filter(|folder| lacks(&folder.as_path())));
        folders
    }

    /// A place below the folder as its name there; none of what is the build's own business, and
    /// none of what repositories keep for themselves, for the copy is no repository.
    fn inside<'a>(&self, place: &'a Path) -> Option<&'a Path> {
        let rest = place.strip_prefix(self.folder).ok()?;
        let first = rest.components().next();
        let of_system = |part| {
            [".git", ".hg"]
                .iter()
                .any(|own| part == Component::Normal(OsStr::new(own)))
        };
        let counts =
            !first.is_some_and(of_system) && !self.own.iter().any(|own| place.starts_with(own));
        counts.then_some(rest)
    }

    /// Whether the user has named this, or something in it, to be read.
    fn is_input(&self, place: &Path) -> bool {
        self.inputs.iter().any(|input| input.starts_with(place))
    }

    /// What is wrong with a name that was found there.
    fn found(&self, place: &Path) -> Option<Bypass> {
        let rest = self.inside(place)?;
        let copied = self.copy.join(rest);
        match (fs::metadata(place), fs::metadata(&copied)) {
            (Ok(one), Ok(other)) => {
                let differs = if one.is_file() && other.is_file() {
                    let runs = |about: &fs::Metadata| about.permissions().mode() & 0o100 != 0;
                    !are_alike(place, &copied) || (self.other_state && runs(&one) != runs(&other))
                } else {
                    self.other_state && one.file_type() != other.file_type()
                };
                differs.then(|| Bypass::Other(place.to_owned()))
            }
            (Ok(_), Err(_)) if self.other_state && !self.is_input(place) => {
                Some(Bypass::Lacking(place.to_owned()))
            }
            _ => None,
        }
    }

    /// What is wrong with a name that was not found there.
    fn absent(&self, place: &Path) -> Option<Bypass> {
        let copied = self.copy.join(self.inside(place)?);
        let lacking = copied.exists() && (self.other_state || copied.is_file());
        (lacking && !place.exists()).then(|| Bypass::InVain(place.to_owned()))
    }

    /// What is wrong with a folder that was listed there, but for what was `written` in it.
    fn listed(&self, folder: &Path, written: &BTreeSet<PathBuf>) -> Option<Bypass> {
        let rest = self.inside(folder)?;
        let names = |of: &Path| -> BTreeMap<OsString, bool> {
            let entries = fs::read_dir(of).into_iter().flatten().flatten();
            let names = entries.map(|entry| (entry.file_name(), entry.path().is_dir()));
            names.collect()
        };
        let mut there = names(folder);
        let copied = names(&self.copy.join(rest));
        there.retain(|name, _| {
            let place = folder.join(name);
            let known = copied.contains_key(name);
            known
                || (self.inside(&place).is_some()
                    && !written.contains(&place)
                    && !self.is_input(&place))
        });
        (there != copied).then(|| Bypass::Listed(folder.to_owned()))
    }
}

impl Sought {
    /// Whether a build had to do with anything below a folder by that folder's own name, what lies
    /// in the build's `own` folders there left out.
    #[must_use]
    pub fn goes_to(&self, original: &Path, own: &[&Path]) -> bool {
        let asked = self.found.iter().chain(&self.absent);
        asked.chain(&self.listed).any(|name| {
            let real = name.canonicalize();
            let places = [Some(name), real.as_ref().ok()];
            let mut places = places.into_iter().flatten();
            places.any(|place| {
                place.starts_with(original)
                    && place != original
                    && !own.iter().any(|own| place.starts_with(own))
            })
        })
    }

    /// How a build of a copy went back to the original, by its own name as in
    /// `-I/home/me/project`, where that is not as the copy is: a patch, or a revision, was not seen
    /// there. Where both are alike nothing is lost. What the build itself made there is its own.
    #[must_use]
    pub fn bypass(&self, original: &Original<'_>) -> Option<Bypass> {
        let mut places = Ways::default();
        let written: BTreeSet<PathBuf> = self
            .written
            .iter()
            .flat_map(|name| places.of(name))
            .collect();
        let mut first = |names: &[&PathBuf], look: &dyn Fn(&Path) -> Option<Bypass>| {
            names.iter().find_map(|name| {
                let ways = places.of(name);
                let mut ways = ways.iter().filter(|way| !written.contains(*way));
                ways.find_map(|way| look(way))
            })
        };
        // Of the same state who asks about a file or lists it is told the same.
        let asked = if original.other_state {
            &self.found
        } else {
            &self.read
        };
        let asked: Vec<&PathBuf> = self.read.iter().chain(asked).collect();
        let absent: Vec<&PathBuf> = self.absent.iter().collect();
        let listed = self.listed.iter().filter(|_| original.other_state);
        let listed: Vec<&PathBuf> = listed.collect();
        first(&asked, &|place| original.found(place))
            .or_else(|| first(&absent, &|place| original.absent(place)))
            .or_else(|| first(&listed, &|place| original.listed(place, &written)))
    }
}

/// Whether two files say the same; what cannot be read does not.
fn are_alike(one: &Path, other: &Path) -> bool {
    let length = |file: &Path| fs::metadata(file).map(|about| about.len()).ok();
    length(one) == length(other)
        && matches!((content(one), content(other)), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two folders with names and contents: the original, and the copy.
    fn both(root: &Path, names: &[(&str, Option<&str>, Option<&str>)]) -> [PathBuf; 2] {
        let places = ["src", "store/work"].map(|name| root.join(name));
        for (place, at) in places.iter().zip(0..) {
            fs::create_dir_all(place).unwrap();
            for (name, there, copied) in names {
                if let Some(text) = [there, copied][at] {
                    fs::create_dir_all(place.join(name).parent().unwrap()).unwrap();
                    fs::write(place.join(name), text).unwrap();
                }
            }
        }
        places
    }

    #[test]
    fn what_the_copy_has_otherwise_is_of_the_original() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let [original, copy] = both(
            &root,
            &[
                (".git/HEAD", Some("1"), Some("2")),
                ("cost.h", Some("1"), Some("2")),
                ("same.h", Some(""), Some("")),
                ("added.h", None, Some("")),
                ("own.h", Some(""), None),
                ("inc/gone.h", Some(""), None),
                ("parts/a.c", Some(""), Some("")),
                ("parts/b.c", None, Some("")),
                ("all/a.c", Some(""), Some("")),
                ("made/a.c", Some(""), Some("")),
                ("made/a.o", Some(""), None),
                (".venv/bin/tool", Some(""), None),
                (".venv/lib/tool.py", Some(""), None),
                (".proofmark/key", Some(""), None),
            ],
        );
        std::os::unix::fs::symlink("src", root.join("alias")).unwrap();
        let told = |other_state: bool, sought: [&[&str]; 4]| {
            let [read, asked, absent, listed] = sought.map(|names| {
                let names = names.iter().map(|name| root.join(name));
                names.collect::<BTreeSet<PathBuf>>()
            });
            let sought = Sought {
                found: read.iter().cloned().chain(asked).collect(),
                read,
                absent,
                listed: listed.into_iter().collect(),
                written: [original.join("made/a.o")].into(),
            };
            let mut of = Original {
                folder: &original,
                copy: &copy,
                other_state,
                own: vec![original.join(".proofmark")],
                inputs: &[],
            };
            let path = original.join(".venv/bin").into_os_string();
            let variable = |name: &str| (name == "PATH").then(|| path.clone());
            let tools = Tools {
                programs: &[],
                variable: &variable,
            };
            of.own.extend(of.folders_of_tools(tools));
            sought.bypass(&of)
        };
        let at = |name: &str| root.join(name);
        let other = |name: &str| Some(Bypass::Other(at(name)));
        let lacking = |name: &str| Some(Bypass::Lacking(at(name)));
        let listed = |name: &str| Some(Bypass::Listed(at(name)));
        let in_vain = Some(Bypass::InVain(at("src/added.h")));
        // What lies in the copy as well is held against it, of whichever state that is.
        for state in [false, true] {
            assert_eq!(
                told(state, [&["src/cost.h"], &[], &[], &[]]),
                other("src/cost.h")
            );
            assert_eq!(
                told(state, [&["alias/cost.h"], &[], &[], &[]]),
                other("src/cost.h")
            );
            assert_eq!(told(state, [&[], &[], &["src/added.h"], &[]]), in_vain);
            let others = [
                "store/work/cost.h",
                "src/same.h",
                "src/.git/HEAD",
                "other.h",
                "src/made/a.o",
                "src/.venv/bin/tool",
                "src/.venv/lib/tool.py",
                "src/.proofmark/key",
            ];
            let sought: [&[&str]; 4] = [
                &others,
                &["src", "src/inc/.."],
                &["src/none.h", "store/none.h"],
                &["src/all", "src/made", "src/.venv/lib"],
            ];
            assert_eq!(told(state, sought), None);
        }
        // What lies there only is no part of another state.
        let sought: [([&[&str]; 4], _); 6] = [
            ([&["src/own.h"], &[], &[], &[]], lacking("src/own.h")),
            ([&[], &["src/own.h"], &[], &[]], lacking("src/own.h")),
            ([&[], &["src/inc"], &[], &[]], lacking("src/inc")),
            ([&[], &["src/cost.h"], &[], &[]], other("src/cost.h")),
            ([&[], &[], &[], &["src/parts"]], listed("src/parts")),
            ([&[], &[], &[], &["src"]], listed("src")),
        ];
        for (sought, expected) in sought {
            assert_eq!(told(true, sought), expected);
            assert_eq!(told(false, sought), None);
        }
    }

    #[test]
    fn what_the_user_names_may_be_read_in_the_original() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let names = [
            ("out/a.h", Some("1"), None),
            ("out/b.h", Some("1"), None),
            ("cost.h", Some("1"), Some("2")),
        ];
        let [original, copy] = both(&root, &names);
        let inputs = ["out/a.h", "cost.h"].map(|name| original.join(name));
        let told = |name: &str| {
            let read = BTreeSet::from([original.join(name)]);
            let sought = Sought {
                read: read.clone(),
                found: read,
                ..Sought::default()
            };
            sought.bypass(&Original {
                folder: &original,
                copy: &copy,
                other_state: true,
                own: Vec::new(),
                inputs: &inputs,
            })
        };
        assert_eq!(told("out"), None);
        assert_eq!(told("out/a.h"), None);
        assert_eq!(
            told("out/b.h"),
            Some(Bypass::Lacking(original.join("out/b.h")))
        );
        assert_eq!(told("cost.h"), Some(Bypass::Other(original.join("cost.h"))));
    }
}

//! Which build left something outside of its own folder: another one that goes by it is made from
//! the flags and the sources of that one, and nobody asked for that.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use proofmark_terms::OsText;

use super::Touched;
use super::follower::{followed_in, until_killed};
use super::left::{Left, Maker, Note, What, digest};
use super::places::Places;

/// What builds left outside of their own folders, by who did.
#[derive(Clone, Debug)]
pub struct Makers {
    folder: PathBuf,
}

/// What builds have left, and nobody has changed since, when another one begins.
#[derive(Debug, Default)]
pub struct Held {
    /// Who begins: a digest of its key.
    own: String,
    left: BTreeMap<PathBuf, (Maker, What)>,
}

/// What a build went by, and another one has left.
#[derive(Debug, PartialEq, Eq)]
pub struct OfAnother {
    /// The name.
    pub place: PathBuf,
    /// Who left it.
    pub maker: String,
    /// It was there before, and that one has removed it.
    pub removed: bool,
}

impl OfAnother {
    /// What the build does, as the predicate of a sentence.
    #[must_use]
    pub fn told(&self) -> String {
        let did = if self.removed { "removed" } else { "made" };
        format!(
            "goes by {}, which the build of `{}` has {did}",
            self.place.display(),
            self.maker
        )
    }
}

impl Makers {
    /// Kept in this folder.
    #[must_use]
    pub fn new(folder: PathBuf) -> Makers {
        Makers { folder }
    }

    /// What builds have left, for that of `key`, which begins.
    #[must_use]
    pub fn held(&self, key: &str) -> Held {
        let mut held = Held {
            own: digest(key),
            ..Held::default()
        };
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for note in entries.filter_map(|entry| Note::read(&entry.path())) {
            let maker = note.maker.clone();
            for left in note.still() {
                let by = left.by.unwrap_or_else(|| maker.clone());
                let place = PathBuf::from(left.place.as_ref());
                held.left.insert(place, (by, left.what));
            }
        }
        held
    }

    /// Takes down what a build has left; `held` is what it found of others.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note(&self, maker: &Maker, touched: &Touched, held: &Held) -> io::Result<()> {
        let before = Note::read(&self.place(maker));
        if before.is_none() && touched.written.is_empty() && held.left.is_empty() {
            return Ok(());
        }
        let mut left: BTreeMap<OsText, Left> = BTreeMap::new();
        for known in before.into_iter().flat_map(Note::still) {
            left.insert(known.place.clone(), known);
        }
        for (place, (by, was)) in &held.left {
            if let Ok(now) = What::of(place)
                && !touched.written.contains(place)
                && was.is_like(&now)
                && *was != now
            {
                let place = OsText::from(place.clone());
                let by = Some(by).filter(|by| by.key != held.own).cloned();
                left.insert(
                    place.clone(),
                    Left {
                        place,
                        what: now,
                        by,
                    },
                );
            }
        }
        for place in &touched.written {
            let Ok(what) = What::of(place) else { continue };
            if what != What::Nothing || touched.removed.contains(place) {
                let (place, by) = (OsText::from(place.clone()), None);
                left.insert(place.clone(), Left { place, what, by });
            }
        }
        let note = Note {
            maker: maker.clone(),
            left: left.into_values().collect(),
        };
        fs::create_dir_all(&self.folder)?;
        let mut beside = tempfile::NamedTempFile::new_in(&self.folder)?;
        beside.write_all(&serde_json::to_vec(&note)?)?;
        beside
            .persist(self.place(maker))
            .map_err(|error| error.error)?;
        Ok(())
    }

    /// Takes down what a build had left that was killed together with whoever would have done so;
    /// `follower` is the folder of who followed it. In `own` folders the build, or proofmark,
    /// works.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn left_by_killed(&self, follower: &Path, own: &[&Path]) -> io::Result<()> {
        let Some((maker, program)) = followed_in(follower) else {
            return Ok(());
        };
        let touched = until_killed(follower, Places::new(own, &program));
        self.note(&maker, &touched, &Held::default())
    }

    fn place(&self, maker: &Maker) -> PathBuf {
        self.folder.join(format!("{}.json", maker.key))
    }
}

impl Held {
    /// Names that only others have left, and that a run may find: files, links, and folders with
    /// nothing in them. That a folder is there which holds something is told by what it holds.
    #[must_use]
    pub fn of_others(&self) -> BTreeSet<PathBuf> {
        let is_found = |place: &Path, what: &What| match what {
            What::File { .. } | What::Link { .. } => true,
            What::Folder => fs::read_dir(place).is_ok_and(|mut all| all.next().is_none()),
            What::Nothing => false,
        };
        let left = self.left.iter();
        let left = left.filter(|(place, (by, what))| by.key != self.own && is_found(place, what));
        left.map(|(place, _)| place.clone()).collect()
    }

    /// Something that the build went by and that another one has left there: it read it, came
    /// through it as a link, asked about it, or found it in a list. Whether a folder is there is no
    /// news: many make sure of that. Nor is what the build has put in the place of it, or what it
    /// would have made or removed itself, unless it has looked into it.
    #[must_use]
    pub fn met(&self, touched: &Touched) -> Option<OfAnother> {
        let goes_by = |place: &PathBuf, (maker, what): &(Maker, What)| {
            let above = place.parent();
            let asked = *what != What::Folder && touched.read.contains(place);
            let found = asked || above.is_some_and(|above| touched.listed.contains(above));
            let opened = *what != What::Folder && touched.opened.contains(place);
            maker.key != self.own
                && !touched.written.contains(place)
                && (opened || (found && !touched.made_sure.contains(place)))
        };
        let mut left = self.left.iter();
        let (place, (maker, what)) = left.find(|(place, left)| goes_by(place, left))?;
        Some(OfAnother {
            place: place.clone(),
            maker: maker.name.clone(),
            removed: *what == What::Nothing,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::super::Follower;
    use super::*;

    /// A folder in which the build `a` has left things.
    struct Bench {
        _folder: tempfile::TempDir,
        root: PathBuf,
        makers: Makers,
    }

    impl Bench {
        fn new() -> Bench {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            let bench = Bench {
                makers: Makers::new(root.join("notes")),
                root,
                _folder: folder,
            };
            fs::create_dir(bench.at("sub")).unwrap();
            for name in ["file", "sub/listed"] {
                fs::write(bench.at(name), "1").unwrap();
            }
            symlink("nowhere", bench.at("link")).unwrap();
            let left = Touched {
                written: bench.places(&["file", "sub", "sub/listed", "link", "gone", "never"]),
                removed: bench.places(&["gone"]),
                ..Touched::default()
            };
            let maker = Maker::new("a", "build a");
            bench.makers.note(&maker, &left, &Held::default()).unwrap();
            bench
        }

        fn at(&self, name: &str) -> PathBuf {
            self.root.join(name)
        }

        fn places(&self, names: &[&str]) -> BTreeSet<PathBuf> {
            names.iter().map(|name| self.at(name)).collect()
        }

        /// The name of another one's that a build of this key goes by, which begins, does something
        /// and has then had to do with this.
        fn met(&self, key: &str, does: impl FnOnce(), touched: &Touched) -> Option<String> {
            let held = self.makers.held(key);
            does();
            let maker = Maker::new(key, &format!("build {key}"));
            self.makers.note(&maker, touched, &held).unwrap();
            let met = held.met(touched)?;
            assert_eq!(met.removed, met.place == self.at("gone"));
            let name = met.place.strip_prefix(&self.root).unwrap();
            Some(format!("{} of {}", name.display(), met.maker))
        }

        fn reads(&self, names: &[&str]) -> Touched {
            Touched {
                read: self.places(names),
                ..Touched::default()
            }
        }
    }

    #[test]
    fn what_another_build_has_left_is_known_whichever_way_it_is_found() {
        let bench = Bench::new();
        let met = |key: &str, touched: &Touched| bench.met(key, || (), touched);
        let of_a = |name: &str| Some(format!("{name} of build a"));
        for name in ["file", "link", "gone"] {
            let mut reads = bench.reads(&[name]);
            assert_eq!(met("b", &reads), of_a(name));
            // It knows what it has left before.
            assert_eq!(met("a", &reads), None);
            // What it would have left so itself says nothing, unless it looks into it.
            reads.made_sure = bench.places(&[name]);
            assert_eq!(met("b", &reads), None);
            reads.opened = bench.places(&[name]);
            assert_eq!(met("b", &reads), of_a(name));
        }
        let mut lists = Touched {
            listed: bench.places(&["sub"]),
            ..Touched::default()
        };
        assert_eq!(met("b", &lists), of_a("sub/listed"));
        lists.made_sure = bench.places(&["sub/listed"]);
        assert_eq!(met("b", &lists), None);
        // That a folder is there, and that nothing is where nothing was, says nothing.
        assert_eq!(met("b", &bench.reads(&["sub", "never", "other"])), None);
        // What it puts in the place of another's is its own.
        let mut writes = bench.reads(&["file"]);
        writes.written = bench.places(&["file"]);
        let does = || fs::write(bench.at("file"), "another").unwrap();
        assert_eq!(bench.met("b", does, &writes), None);
        let of_b = Some("file of build b".to_owned());
        assert_eq!(met("c", &bench.reads(&["file"])), of_b);
    }

    #[test]
    fn what_a_run_may_find_of_others_is_what_lies_there() {
        let bench = Bench::new();
        assert_eq!(bench.makers.held("a").of_others(), BTreeSet::new());
        let of_a = bench.places(&["file", "link", "sub/listed"]);
        assert_eq!(bench.makers.held("b").of_others(), of_a);
        fs::remove_file(bench.at("sub/listed")).unwrap();
        let of_a = bench.places(&["file", "link", "sub"]);
        assert_eq!(bench.makers.held("b").of_others(), of_a);
    }

    #[test]
    fn who_touches_a_file_has_not_made_it() {
        let bench = Bench::new();
        let of_a = Some("file of build a".to_owned());
        let (file, reads) = (bench.at("file"), bench.reads(&["file"]));
        let rights = || fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let moved = || {
            fs::copy(&file, bench.at("new")).unwrap();
            fs::rename(bench.at("new"), &file).unwrap();
        };
        let linked = || fs::hard_link(&file, bench.at("other")).unwrap();
        let all: [&dyn Fn(); 3] = [&rights, &moved, &linked];
        for does in all {
            assert_eq!(bench.met("b", does, &reads), of_a);
            assert_eq!(bench.met("c", || (), &reads), of_a);
        }
        // Nor is a name that is taken away again a change.
        fs::remove_file(bench.at("other")).unwrap();
        assert_eq!(bench.met("d", || (), &reads), of_a);
        // Neither when the maker itself does.
        let again = || fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(bench.met("a", again, &reads), None);
        assert_eq!(bench.met("b", || (), &reads), of_a);
        // What the user makes is for all.
        fs::remove_file(&file).unwrap();
        fs::write(&file, "1").unwrap();
        assert_eq!(bench.met("b", || (), &reads), None);
    }

    #[test]
    fn what_a_killed_build_has_left_is_known_as_its_own() {
        let bench = Bench::new();
        let program = std::env::current_exe().unwrap();
        let follower = Follower::begin(&bench.root, "killed-", &program).unwrap();
        follower.is_of(&Maker::new("k", "build k")).unwrap();
        fs::write(bench.at("new"), "").unwrap();
        // What it opened, and did not change, is older.
        let changed = ["new", "file", "none"].map(|name| format!("{}\0", bench.at(name).display()));
        let entries = fs::read_dir(&bench.root).unwrap().flatten();
        let folders = entries.map(|entry| entry.path());
        let mut folders = folders.filter(|place| place.to_string_lossy().contains("/killed-"));
        let folder = folders.next().unwrap();
        fs::write(folder.join("changed"), changed.concat()).unwrap();
        bench.makers.left_by_killed(&folder, &[]).unwrap();
        let met = |name: &str| bench.met("b", || (), &bench.reads(&[name]));
        assert_eq!(met("new"), Some("new of build k".to_owned()));
        assert_eq!(met("file"), Some("file of build a".to_owned()));
        assert_eq!(met("none"), None);
    }
}

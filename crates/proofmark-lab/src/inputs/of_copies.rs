//! What runs look for in the sources that their builds were made from. Those were copies, and are
//! gone: it is not there, or, where the copy was made from, may be what only one build had.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proofmark_capture::{Contents, Gone, Place};
use proofmark_evidence::record::Benchmark;

use super::content::real;
use super::named::{named, places};
use crate::builds::Subject;
use crate::error::{LabError, of_file};
use crate::places::hash;

/// The copy that a build was made in.
struct Copy<'a> {
    subject: &'a Subject,
    gone: Gone,
    contents: Contents,
}

/// The copies that builds were made in.
#[derive(Default)]
pub(super) struct Copies<'a> {
    all: Vec<Copy<'a>>,
    /// Builds without one.
    others: Vec<&'a Subject>,
}

/// What runs did with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It was opened, or a folder listed.
    Read,
    /// It was asked about, or looked for in vain.
    Sought,
}

impl<'a> Copies<'a> {
    /// The copies of these builds.
    ///
    /// # Errors
    ///
    /// When what a copy had cannot be read.
    pub(super) fn of(subjects: &'a [Subject]) -> Result<Self, LabError> {
        let mut copies = Copies::default();
        for subject in subjects {
            let links = subject.links().unwrap_or_default().iter();
            let gone: BTreeSet<&Gone> = links.filter_map(|link| link.gone.as_ref()).collect();
            if gone.is_empty() {
                copies.others.push(subject);
            }
            for gone in gone {
                copies.all.push(Copy {
                    subject,
                    contents: gone.contents().map_err(of_file("read", &gone.files))?,
                    gone: gone.clone(),
                });
            }
        }
        Ok(copies)
    }

    /// Refuses runs that look in vain for what their build had: in its copy, or where that was
    /// copied from. Or for what they would find where the user builds: the sources have it, and
    /// copies of them do not, for git ignores it.
    ///
    /// # Errors
    ///
    /// [`LabError::GoneWithCopy`] or [`LabError::NeverInCopy`] with the first such file.
    pub(super) fn had(&self, missed: &BTreeSet<PathBuf>) -> Result<(), LabError> {
        for copy in &self.all {
            let had = |path: &&PathBuf| {
                let within = copy.gone.within(path).or_else(|| copy.gone.copied(path));
                within.is_some_and(|within| copy.contents.had(&within))
            };
            if let Some(path) = missed.iter().find(had) {
                return Err(LabError::GoneWithCopy {
                    path: path.clone(),
                    build: copy.subject.name.clone(),
                });
            }
            let in_sources = |path: &PathBuf| {
                let original = copy.gone.in_original(path)?;
                original.exists().then(|| (path.clone(), original))
            };
            if let Some((path, original)) = missed.iter().find_map(in_sources) {
                return Err(LabError::NeverInCopy {
                    path,
                    original,
                    build: copy.subject.name.clone(),
                });
            }
        }
        Ok(())
    }

    /// Refuses runs that go to the sources that builds were copied from, for something that is not
    /// the same in the copies of all builds: each build's own is gone, and all would have that of
    /// one, or of none. What a command names is meant as it is.
    ///
    /// # Errors
    ///
    /// [`LabError::OfOriginal`] with the first such file or folder.
    pub(super) fn are_alike(
        &self,
        path: &Path,
        used: Use,
        benchmarks: &[&Benchmark],
    ) -> Result<(), LabError> {
        let mut copies = self.all.iter().filter_map(|copy| {
            let within = copy.gone.copied(path)?;
            Some((copy, seen(copy.contents.at(&within), used)))
        });
        let Some((first, place)) = copies.next() else {
            return Ok(());
        };
        let on_disk = || seen(on_disk(path), used);
        let other = copies
            .find(|(_, other)| *other != place)
            .map(|(copy, _)| copy.subject)
            .or_else(|| {
                // Nothing more is known of what such a build had in a folder.
                let files = !path.is_dir() && on_disk() != place;
                self.others.first().copied().filter(|_| files)
            });
        match other {
            Some(other) if !names(benchmarks, path, &first.gone.original) => {
                Err(LabError::OfOriginal {
                    path: path.to_owned(),
                    builds: [first.subject.name.clone(), other.name.clone()],
                })
            }
            _ => Ok(()),
        }
    }
}

/// Of what was only asked about, that it is there, and whether it is a folder, is all that counts.
fn seen(place: Place, used: Use) -> (Option<bool>, Option<Place>) {
    let kind = match &place {
        Place::Nothing => None,
        Place::File(_) => Some(false),
        Place::Folder(_) => Some(true),
    };
    (kind, (used == Use::Read).then_some(place))
}

fn on_disk(path: &Path) -> Place {
    match hash(path) {
        Some(hash) => Place::File(hash),
        None if path.is_dir() => Place::Folder(Vec::new()),
        None => Place::Nothing,
    }
}

/// Whether a command names a path, a folder around it below the original, or a file in it: an
/// interpreter lists the folder of its script.
fn names(benchmarks: &[&Benchmark], path: &Path, original: &Path) -> bool {
    let path = real(path);
    benchmarks.iter().any(|benchmark| {
        let mut named = named(benchmark).into_iter().chain(places(benchmark));
        named.any(|place| {
            let place = real(&place);
            let around = path.starts_with(&place) && !original.starts_with(&place);
            around || (place.is_file() && place.parent() == Some(&path))
        })
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proofmark_terms::{Digest, OsText};

    use super::*;
    use crate::builds::Source;

    fn executable(name: &str) -> Subject {
        Subject {
            name: name.to_owned(),
            source: Source::Executable {
                path: name.into(),
                hash: Digest::from(blake3::hash(b"")),
                held: None,
            },
            tree: None,
        }
    }

    /// Copies with these files, below `copy/`, of the folder `src`.
    fn copies<'a>(root: &Path, of: &[(&'a Subject, &[(&str, &str)])]) -> Copies<'a> {
        let copy = |(subject, files): &(&'a Subject, &[(&str, &str)])| {
            let part = |(path, text): &(&str, &str)| {
                format!("copy/{path}\0{}\0", blake3::hash(text.as_bytes()))
            };
            let list = root.join(&subject.name);
            fs::write(&list, files.iter().map(part).collect::<String>()).unwrap();
            let gone = Gone {
                whole: root.join("work"),
                folder: root.join("work/copy"),
                original: root.join("src"),
                files: list,
            };
            Copy {
                subject,
                contents: gone.contents().unwrap(),
                gone,
            }
        };
        Copies {
            all: of.iter().map(copy).collect(),
            others: Vec::new(),
        }
    }

    #[test]
    fn what_only_one_copy_has_so_is_not_read_for_both() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let src = root.join("src");
        fs::create_dir_all(src.join("more")).unwrap();
        for (name, text) in [("same", "1"), ("other", "2"), ("own", "3"), ("more/x", "")] {
            fs::write(src.join(name), text).unwrap();
        }
        let [base, new, plain] = ["base", "new", "plain"].map(executable);
        let both = copies(
            &root,
            &[
                (&base, &[("same", "1"), ("other", "2"), ("more/x", "")]),
                (
                    &new,
                    &[
                        ("same", "1"),
                        ("other", "9"),
                        ("more/x", ""),
                        ("more/y", ""),
                    ],
                ),
            ],
        );
        let benchmark = |words: &[&str]| Benchmark {
            argv: words.iter().map(|word| OsText::from(*word)).collect(),
            cwd: src.clone().into(),
            ..Benchmark::default()
        };
        let refused = |copies: &Copies<'_>, path: &str, used, words: &[&str]| {
            let benchmark = benchmark(words);
            copies
                .are_alike(&src.join(path), used, &[&benchmark])
                .is_err()
        };
        assert!(refused(&both, "other", Use::Read, &["{}", "."]));
        assert!(refused(&both, "more", Use::Read, &["{}"]));
        assert!(refused(&both, "more/y", Use::Sought, &["{}"]));
        for (path, used, words) in [
            ("same", Use::Read, &["{}"][..]),
            // Nobody has built it: it is the user's.
            ("own", Use::Read, &["{}"]),
            ("other", Use::Sought, &["{}"]),
            ("more", Use::Sought, &["{}"]),
            ("other", Use::Read, &["{}", "--in=other"]),
            ("more", Use::Read, &["{}", "more"]),
            ("more", Use::Read, &["{}", "more/x"]),
            ("../elsewhere", Use::Read, &["{}"]),
        ] {
            assert!(!refused(&both, path, used, words), "{path}");
        }
        // A build that was made where the sources lie has what lies there.
        let mut one = copies(&root, &[(&new, &[("same", "1"), ("other", "9")])]);
        assert!(!refused(&one, "other", Use::Read, &["{}"]));
        one.others.push(&plain);
        assert!(refused(&one, "other", Use::Read, &["{}"]));
        assert!(!refused(&one, "same", Use::Read, &["{}"]));
        // None of the runs finds it.
        let missed = |path: &Path| both.had(&[path.to_owned()].into());
        for path in ["src/more/y", "work/copy/more/y", "work/copy/other"] {
            let error = missed(&root.join(path)).unwrap_err();
            assert!(matches!(error, LabError::GoneWithCopy { .. }), "{path}");
        }
        let error = missed(&root.join("work/copy/own")).unwrap_err();
        let LabError::NeverInCopy { original, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(original, src.join("own"));
        for path in ["src/never", "work/copy/never"] {
            assert!(missed(&root.join(path)).is_ok(), "{path}");
        }
    }
}

//! What the builds of a command line are called, so that no two have one name: as labelled, else by
//! the shortest ends of their paths that tell them apart, else by number.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use proofmark_lab::{Source, Subject};

use crate::exit::Usage;

/// A build as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Typed {
    /// What it is to be called: of `old=PATH` the part before the sign.
    label: Option<String>,
    /// The captured build or the file.
    pub(crate) what: OsString,
}

impl Typed {
    /// Reads `LABEL=BUILD` or `BUILD`. A label holds no slash, and what is there under the whole
    /// word needs none.
    pub(crate) fn read(word: &OsStr, exists: impl Fn(&OsStr) -> bool) -> Self {
        let bytes = word.as_bytes();
        let sign = bytes.iter().position(|&byte| byte == b'=');
        let unlabelled = Typed {
            label: None,
            what: word.to_owned(),
        };
        match sign {
            Some(at) if at > 0 && at + 1 < bytes.len() && !exists(word) => {
                let (label, what) = (&bytes[..at], &bytes[at + 1..]);
                if label.contains(&b'/') {
                    return unlabelled;
                }
                Typed {
                    label: Some(String::from_utf8_lossy(label).into_owned()),
                    what: OsStr::from_bytes(what).to_owned(),
                }
            }
            _ => unlabelled,
        }
    }
}

/// Gives the subjects their labels, and different names to files that are called the same.
pub(crate) fn name(typed: &[Typed], subjects: &mut [Subject]) -> Result<(), Usage> {
    let is_file = |subject: &Subject| matches!(subject.source, Source::Executable { .. });
    named(typed, subjects, is_file)
}

/// The same for subjects that go by what was typed, whatever they run: by their trees.
pub(crate) fn name_by_place(typed: &[Typed], subjects: &mut [Subject]) -> Result<(), Usage> {
    named(typed, subjects, |_| true)
}

fn named(
    typed: &[Typed],
    subjects: &mut [Subject],
    is_place: impl Fn(&Subject) -> bool,
) -> Result<(), Usage> {
    let mut labels = BTreeSet::new();
    for label in typed.iter().filter_map(|typed| typed.label.as_ref()) {
        if !labels.insert(label) {
            return Err(Usage(format!(
                "two builds are called `{label}`: give each a label of its own, as in old=PATH new=PATH"
            )));
        }
    }
    let unlabelled: Vec<usize> = (0..subjects.len())
        .filter(|&at| typed.get(at).is_none_or(|typed| typed.label.is_none()))
        .collect();
    let places: Vec<Option<PathBuf>> = unlabelled
        .iter()
        .map(|&at| {
            let place = || typed.get(at).map(|typed| whole(Path::new(&typed.what)));
            is_place(&subjects[at]).then(place).flatten()
        })
        .collect();
    for (&at, place) in unlabelled.iter().zip(&places) {
        let Some(place) = place else { continue };
        let others = unlabelled
            .iter()
            .zip(&places)
            .filter(|&(&other, _)| other != at);
        let others: Vec<PathBuf> = others
            .map(|(&other, place)| {
                let name = || PathBuf::from(&subjects[other].name);
                place.clone().unwrap_or_else(name)
            })
            .chain(labels.iter().map(PathBuf::from))
            .filter(|other| other != place)
            .collect();
        subjects[at].name = shortest_end(place, &others);
    }
    for (typed, subject) in typed.iter().zip(&mut *subjects) {
        if let Some(label) = &typed.label {
            subject.name.clone_from(label);
        }
    }
    number(subjects);
    Ok(())
}

/// Numbers those that are still called the same: `bench #1`, `bench #2`.
pub(crate) fn number(subjects: &mut [Subject]) {
    let names: Vec<String> = subjects
        .iter()
        .map(|subject| subject.name.clone())
        .collect();
    for (at, subject) in subjects.iter_mut().enumerate() {
        let same = |name: &&String| **name == names[at];
        if names.iter().filter(same).count() > 1 {
            let before = names[..at].iter().filter(same).count();
            subject.name = format!("{} #{}", names[at], before + 1);
        }
    }
}

/// A path from the root, its folder without links, the file by the name that was typed.
fn whole(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (path.parent().map(Path::canonicalize), path.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// As many of a path's last parts as no other path ends in; all of it where there is no such end.
fn shortest_end(path: &Path, others: &[PathBuf]) -> String {
    let parts = path.components().count();
    let end = |path: &Path, length: usize| -> PathBuf {
        let skipped = path.components().count().saturating_sub(length);
        path.components().skip(skipped).collect()
    };
    (1..=parts)
        .map(|length| (length, end(path, length)))
        .find(|(length, mine)| others.iter().all(|other| end(other, *length) != *mine))
        .map_or_else(|| end(path, 1), |(_, mine)| mine)
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> Subject {
        Subject {
            name: "bench".to_owned(),
            source: Source::Executable {
                path: path.into(),
                hash: blake3::hash(b"").into(),
                held: None,
            },
            tree: None,
        }
    }

    fn captured(name: &str) -> Subject {
        Subject {
            name: name.to_owned(),
            source: Source::Captured {
                ids: Vec::new(),
                captured_ms: 0,
                ran: None,
                revision: None,
                patches: Vec::new(),
                of_others: BTreeSet::new(),
                built_otherwise: false,
                recipe: None,
                links: Vec::new(),
                toolchain: Vec::new(),
            },
            tree: None,
        }
    }

    /// What the words of a command line are called; those with a slash are files.
    fn called(words: &[&str]) -> Vec<String> {
        let typed: Vec<Typed> = words
            .iter()
            .map(|word| Typed::read(word.as_ref(), |_| false))
            .collect();
        let mut subjects: Vec<Subject> = typed
            .iter()
            .map(|typed| match typed.what.to_str().unwrap() {
                path if path.contains('/') => file(path),
                name => captured(name),
            })
            .collect();
        name(&typed, &mut subjects).unwrap();
        subjects.into_iter().map(|subject| subject.name).collect()
    }

    #[test]
    fn files_of_one_name_are_told_by_where_they_are() {
        assert_eq!(
            called(&["/old/bench", "/new/bench"]),
            ["old/bench", "new/bench"]
        );
        assert_eq!(
            called(&["/a/old/bin/bench", "/a/new/bin/bench", "/a/new/bin/other"]),
            ["old/bin/bench", "new/bin/bench", "other"]
        );
        assert_eq!(called(&["/bench", "/new/bench"]), ["/bench", "new/bench"]);
        assert_eq!(called(&["bench", "/new/bench"]), ["bench", "new/bench"]);
    }

    #[test]
    fn what_cannot_be_told_apart_is_numbered() {
        assert_eq!(called(&["base", "base"]), ["base #1", "base #2"]);
        assert_eq!(
            called(&["/x/bench", "/x/bench", "/y/bench"]),
            ["x/bench #1", "x/bench #2", "y/bench"]
        );
    }

    #[test]
    fn a_label_is_taken_as_it_is() {
        assert_eq!(called(&["old=/x/bench", "new=/y/bench"]), ["old", "new"]);
        assert_eq!(called(&["before=base", "base"]), ["before", "base"]);
        assert_eq!(called(&["bench=/x/prog", "/y/bench"]), ["bench", "y/bench"]);
        // A folder may hold the sign.
        assert_eq!(called(&["/x/a=b/bench", "/y/other"]), ["bench", "other"]);
        let there = Typed::read("a=b".as_ref(), |_| true);
        assert_eq!(there.what, OsStr::new("a=b"));
    }

    #[test]
    fn two_of_one_label_are_refused() {
        let typed = ["a=/x/b", "a=/y/b"].map(|word| Typed::read(word.as_ref(), |_| false));
        assert!(name(&typed, &mut [file("/x/b"), file("/y/b")]).is_err());
    }
}

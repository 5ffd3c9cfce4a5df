//! Inputs that are of a build's making: a file that one build wrote, and that the runs of all
//! builds read. What the other builds wrote there is gone.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use proofmark_capture::libraries::is_of_the_system;
use proofmark_capture::{CapturedLink, Ran, hash_entry};
use proofmark_evidence::record::Input;
use proofmark_terms::{Digest, OsText};

use super::content::times;
use super::ways::{links, moved_folders};
use crate::builds::{Source, Subject};
use crate::error::LabError;

/// Refuses inputs that a build wrote while it was captured; gives those that were changed between
/// the builds: whether they belong to one of them nobody knows. `read` are files that runs read
/// from the disk. `own_place` says that what was kept of a build lies at its place for each of its
/// runs, which is looked at elsewhere ([`crate::places::Mapped`]).
///
/// # Errors
///
/// [`LabError::OfOneBuild`] with the first file that a build wrote.
pub(super) fn between(
    read: &[Input],
    subjects: &[Subject],
    own_place: bool,
) -> Result<Vec<OsText>, LabError> {
    if is_one_build(subjects) {
        return Ok(Vec::new());
    }
    let made: Vec<(&Subject, Ran)> = subjects
        .iter()
        .filter_map(|subject| Some((subject, made(subject)?)))
        .collect();
    let first = made.iter().map(|(_, ran)| ran.ended_us).min();
    let last = made.iter().map(|(_, ran)| ran.began_us).max();
    let names: BTreeSet<&Path> = (read.iter())
        .map(|input| Path::new(input.path.as_ref()))
        .collect();
    let mut between = Vec::new();
    for input in read {
        let path = Path::new(input.path.as_ref());
        for link in links(path) {
            if !subjects
                .iter()
                .all(|subject| has_link(subject, &link.place))
            {
                of_one_build(&made, &link.place, &[link.since_us])?;
            }
        }
        let Some(about) = path.metadata().ok().filter(Metadata::is_file) else {
            continue;
        };
        let is_as_kept = |subject: &Subject| kept(subject, path, |hash| *hash == input.hash);
        let is_kept = |subject: &Subject| own_place && kept(subject, path, |_| true);
        if is_derived(path, &names)
            || subjects.iter().all(is_as_kept)
            || subjects.iter().any(is_kept)
        {
            continue;
        }
        let times = times(&about);
        of_one_build(&made, path, &times)?;
        for folder in moved_folders(path) {
            of_one_build(&made, &folder.place, &[folder.since_us])?;
        }
        let [changed, _] = times;
        let is_between = first.is_some_and(|first| changed > first)
            && last.is_some_and(|last| changed < last)
            && !is_of_the_system(path);
        between.extend(is_between.then(|| input.path.clone()));
    }
    Ok(between)
}

/// Refuses what was changed, at one of these times, while a build was captured.
fn of_one_build(made: &[(&Subject, Ran)], path: &Path, times: &[i64]) -> Result<(), LabError> {
    let within = |ran: &Ran| {
        let mut times = times.iter();
        let time = times.find(|time| (ran.began_us..=ran.ended_us).contains(*time))?;
        Some(time - ran.began_us)
    };
    let captured = made.iter().filter(|(subject, _)| subject.links().is_some());
    let mut of = captured.filter_map(|(subject, ran)| Some((subject, within(ran)?)));
    match of.next() {
        None => Ok(()),
        Some((subject, after_us)) => Err(LabError::OfOneBuild {
            path: path.to_owned(),
            build: subject.name.clone(),
            after_ms: after_us / 1000,
        }),
    }
}

/// Whether each capture of a build knows a link, and it leads where it did then.
fn has_link(subject: &Subject, place: &Path) -> bool {
    let now = hash_entry(place).ok();
    let has = |link: &CapturedLink| {
        let mut companions = link.companions.iter();
        companions.any(|one| one.path == place && Some(&one.hash) == now.as_ref())
    };
    subject.links().is_some_and(|links| links.iter().all(has))
}

/// Whether all are one capture, or one file.
fn is_one_build(subjects: &[Subject]) -> bool {
    let hashes: BTreeSet<(Vec<Digest>, Option<Ran>)> = subjects
        .iter()
        .map(|subject| (subject.shipped_hashes(), made(subject)))
        .collect();
    hashes.len() < 2
}

/// When a build was made: of an executable when it was written. `None` where all is known that it
/// wrote.
fn made(subject: &Subject) -> Option<Ran> {
    match &subject.source {
        Source::Captured { ran, .. } => *ran,
        Source::Executable { path, .. } => {
            let [_, written] = times(&path.metadata().ok()?);
            Some(Ran {
                began_us: written,
                ended_us: written,
            })
        }
    }
}

/// Whether each capture of a build has kept a file, with such a content.
fn kept(subject: &Subject, path: &Path, is_such: impl Fn(&Digest) -> bool) -> bool {
    let Some(links) = subject.links() else {
        return false;
    };
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    links.iter().all(|link| {
        let mut companions = link.companions.iter();
        companions.any(|companion| companion.path == real && is_such(&companion.hash))
    })
}

/// What python makes of a source that is looked at itself, and holds against that.
fn is_derived(path: &Path, read: &BTreeSet<&Path>) -> bool {
    let source = || -> Option<PathBuf> {
        let folder = path
            .parent()
            .filter(|folder| folder.ends_with("__pycache__"))?;
        let module = path.file_name()?.to_str()?.split('.').next()?;
        Some(folder.parent()?.join(format!("{module}.py")))
    };
    source().is_some_and(|source| read.contains(source.as_path())) && is_checked(path)
}

/// Whether python looks at the source of what it has compiled (PEP 552): not where that is said to
/// go by a hash that nobody checks.
fn is_checked(compiled: &Path) -> bool {
    let mut start = [0; 8];
    let read = File::open(compiled).and_then(|mut file| file.read_exact(&mut start));
    let [_, _, _, _, flags, ..] = start;
    read.is_ok() && flags & 0b11 != 0b01
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    use super::*;

    /// An executable that was written so many hours from now.
    fn executable(folder: &Path, name: &str, hours: i64) -> Subject {
        let path = folder.join(name);
        fs::write(&path, name).unwrap();
        let now = SystemTime::now();
        let away = Duration::from_secs(hours.unsigned_abs() * 3600);
        let written = if hours < 0 { now - away } else { now + away };
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(written).unwrap();
        Subject {
            name: name.to_owned(),
            source: Source::Executable {
                hash: blake3::hash(name.as_bytes()).into(),
                path,
                held: None,
            },
            tree: None,
        }
    }

    #[test]
    fn what_python_compiled_is_an_input_where_its_source_is_not_held_against_it() {
        let folder = tempfile::tempdir().unwrap();
        let [source, of_hash] = ["big.py", "small.py"].map(|name| folder.path().join(name));
        fs::create_dir(folder.path().join("__pycache__")).unwrap();
        let compiled = |name: &str, flags: u8| {
            let path = folder.path().join("__pycache__").join(name);
            fs::write(&path, [203, 13, 13, 10, flags, 0, 0, 0, 1]).unwrap();
            path
        };
        let read: BTreeSet<&Path> = [source.as_path(), of_hash.as_path()].into();
        let big = compiled("big.cpython-313.pyc", 0);
        assert!(is_derived(&big, &read));
        assert!(!is_derived(&big, &BTreeSet::new()));
        assert!(is_derived(&compiled("small.cpython-313.pyc", 3), &read));
        assert!(!is_derived(&compiled("small.cpython-313.pyc", 1), &read));
    }

    #[test]
    fn what_was_changed_between_two_executables_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        fs::write(&path, "1").unwrap();
        let input = Input {
            path: path.clone().into(),
            hash: blake3::hash(b"1").into(),
        };
        let found = |hours: [i64; 2]| {
            let [base, new] = ["base", "new"];
            let subjects = [
                executable(folder.path(), base, hours[0]),
                executable(folder.path(), new, hours[1]),
            ];
            between(std::slice::from_ref(&input), &subjects, true).unwrap()
        };
        let named = [OsText::from(path)];
        assert_eq!(found([-1, 1]), named);
        assert_eq!(found([1, -1]), named);
        assert!(found([-2, -1]).is_empty() && found([1, 2]).is_empty());
    }
}

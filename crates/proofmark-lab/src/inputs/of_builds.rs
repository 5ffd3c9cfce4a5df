//! Inputs that are of a build's making: a file that one build wrote, and that the runs of all
//! builds read. What the other builds wrote there is gone.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use proofmark_capture::Ran;
use proofmark_capture::libraries::is_of_the_system;
use proofmark_evidence::record::Input;
use proofmark_terms::{Digest, OsText};

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
    let mut between = Vec::new();
    for input in read {
        let path = Path::new(input.path.as_ref());
        let Some(about) = path.metadata().ok().filter(Metadata::is_file) else {
            continue;
        };
        let is_as_kept = |subject: &Subject| kept(subject, path, |hash| *hash == input.hash);
        let is_kept = |subject: &Subject| own_place && kept(subject, path, |_| true);
        if is_derived(path) || subjects.iter().all(is_as_kept) || subjects.iter().any(is_kept) {
            continue;
        }
        let times = times(&about);
        let within = |ran: &Ran| {
            times
                .iter()
                .find(|time| (ran.began_us..=ran.ended_us).contains(*time))
                .map(|time| time - ran.began_us)
        };
        let of = made.iter().filter(|(subject, _)| subject.links().is_some());
        let mut of = of.filter_map(|(subject, ran)| Some((subject, within(ran)?)));
        if let Some((subject, after_us)) = of.next() {
            return Err(LabError::OfOneBuild {
                path: path.to_owned(),
                build: subject.name.clone(),
                after_ms: after_us / 1000,
            });
        }
        let [changed, _] = times;
        let is_between = first.is_some_and(|first| changed > first)
            && last.is_some_and(|last| changed < last)
            && !is_of_the_system(path);
        between.extend(is_between.then(|| input.path.clone()));
    }
    Ok(between)
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

/// What python makes of a source that is looked at itself.
fn is_derived(path: &Path) -> bool {
    path.parent()
        .is_some_and(|folder| folder.ends_with("__pycache__"))
}

/// When a file was changed in any way, and when its content was: microseconds since 1970-01-01 UTC.
fn times(about: &Metadata) -> [i64; 2] {
    let us = |seconds: i64, ns: i64| seconds.saturating_mul(1_000_000).saturating_add(ns / 1000);
    [
        us(about.ctime(), about.ctime_nsec()),
        us(about.mtime(), about.mtime_nsec()),
    ]
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

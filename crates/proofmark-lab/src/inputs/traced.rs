//! What one traced run says: what it read, asked, looked for in vain, and changed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use proofmark_measure::End;
use proofmark_measure::trace::{Change, Entry, FileWritten, Traced, is_for_temporary_files};

/// Why some of what the run read may not be among what was seen, if so.
pub(super) fn unseen(traced: &Traced) -> Option<String> {
    let why = match traced {
        Traced { rings: 1.., .. } => "it uses io_uring, by which files are opened unseen",
        Traced { by_handle: 1.., .. } => "it opens files by handles, which have no names",
        Traced {
            elsewhere: true, ..
        } => {
            "it changes its root folder or its mounts, so that names mean other files from then on"
        }
        Traced { traces: true, .. } => "it traces a process itself, which nobody else can then do",
        Traced {
            end: End::TimedOut, ..
        } => "it did not come to its end under a tracer, which slows system calls",
        Traced {
            left_off: more @ 1..,
            ..
        } => return Some(format!("it asks for {more} more names than are kept")),
        _ => return None,
    };
    Some(why.to_owned())
}

/// Files that were there before the run and were read by it, folders that it listed, and code that
/// it loaded.
pub(super) fn opened(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let files = traced
        .read
        .iter()
        .filter(|(_, read)| read.found && !read.own);
    files
        .map(|(path, _)| path)
        .chain(&traced.listed)
        .chain(&traced.code)
        .cloned()
}

/// What the run found and asked about: that it is there, its size, where a link leads, may be all
/// that it wants to know. Who opens a file to add to it, and adds nothing, may go by its size too.
pub(super) fn asked_about(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let found = traced.looked_at.iter().filter(|(_, found)| **found);
    let asked = found
        .map(|(path, _)| path)
        .filter(|path| !traced.written.contains_key(*path));
    let left = traced.written.iter().filter(|(path, file)| {
        file.before == Entry::File && !file.anew && !traced.before.is_changed(path)
    });
    asked.chain(left.map(|(path, _)| path)).cloned()
}

/// What the run went by and changed, and what it found there, or did not, and left otherwise: the
/// next run finds that.
pub(super) fn kept_between(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let other = traced.written.iter();
    let other = other.filter(|(path, file)| finds_other(traced, path, file));
    let all: BTreeSet<PathBuf> = (other.map(|(path, _)| path.clone()))
        .chain(changed_by_itself(traced))
        .collect();
    all.into_iter()
}

/// What the run read as it was and changed then, and what it added to: what it leaves depends on
/// what it found.
pub(super) fn changed_by_itself(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let again = traced.written.iter().filter(|(path, file)| {
        let read = || {
            traced
                .read
                .get(*path)
                .is_some_and(|read| read.found && !read.own)
        };
        // Its size tells how much earlier runs have added, and the end of an opened file is its
        // size: who adds to a file need not read it to know.
        let there = file.before == Entry::File;
        let knows = there && (file.told || !file.anew);
        let changed = || traced.before.is_changed(path);
        (file.read_before || read() || knows) && changed()
    });
    again.map(|(path, _)| path.clone())
}

/// Whether the next run finds another thing of this name, or none, where this one could tell.
fn finds_other(traced: &Traced, path: &Path, file: &FileWritten) -> bool {
    let listed = |folder: &Path| traced.listed.contains(folder);
    let sought = || traced.read.contains_key(path) || traced.looked_at.contains_key(path);
    // Names of temporary files that a run makes up are found by those alone who list them.
    let made_up = || {
        let folder = path.parent();
        folder.is_some_and(|folder| is_for_temporary_files(folder) && !listed(folder)) && !sought()
    };
    file.found_before()
        .is_some_and(|before| before != Entry::of(path) && !made_up())
}

/// Names that the run looked for and did not find.
pub(super) fn in_vain(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let opened = traced.read.iter().filter(|(_, read)| !read.found);
    let asked = traced.looked_at.iter().filter(|(_, found)| !**found);
    opened
        .map(|(path, _)| path)
        .chain(asked.map(|(path, _)| path))
        .cloned()
}

/// Files that the run changed, and the folders in which names came or went by it. What it opened
/// for writing and left as it was is not among them.
pub(super) fn changed(traced: &Traced) -> impl Iterator<Item = PathBuf> {
    let written = traced.written.iter();
    let changed = written.filter(|(path, _)| traced.before.is_changed(path));
    changed.flat_map(|(path, written)| {
        let names = written
            .changes
            .iter()
            .any(|change| *change != Change::Written);
        let folder = path.parent().filter(|_| names).map(Path::to_owned);
        [Some(path.clone()), folder].into_iter().flatten()
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use proofmark_measure::trace::{TraceLimits, trace};
    use proofmark_measure::{Interrupt, Launch};

    use super::*;

    /// A traced run of a script in a folder.
    fn run_of(script: &str, place: &Path) -> Traced {
        let mut launch = Launch::new("/bin/sh", Duration::from_secs(60));
        launch.args = vec!["-c".into(), script.into()];
        launch.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
        launch.cwd = place.to_owned();
        trace(&launch, &TraceLimits::default(), &Interrupt::new()).unwrap()
    }

    #[test]
    fn what_a_trace_cannot_see_is_said() {
        let place = tempfile::tempdir().unwrap();
        let run = run_of(":", place.path());
        assert_eq!(unseen(&run), None);
        let why = |change: &dyn Fn(&mut Traced)| {
            let mut other = run.clone();
            change(&mut other);
            unseen(&other).unwrap_or_default()
        };
        assert!(why(&|run| run.rings = 1).contains("io_uring"));
        assert!(why(&|run| run.by_handle = 1).contains("handles"));
        assert!(why(&|run| run.elsewhere = true).contains("root folder"));
        assert!(why(&|run| run.traces = true).contains("traces"));
        assert!(why(&|run| run.end = End::TimedOut).contains("did not come to its end"));
        assert!(why(&|run| run.left_off = 7).contains("7 more"));
    }

    #[test]
    fn who_may_go_by_a_size_has_asked_about_it() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        for file in ["asked", "added", "opened", "cut"] {
            fs::write(place.join(file), "text").unwrap();
        }
        let run = run_of("[ -s asked ]; echo 1 >>added; : >>opened; : >cut", &place);
        let asked: BTreeSet<PathBuf> = asked_about(&run).collect();
        for (name, is) in [
            ("asked", true),
            ("added", false),
            ("opened", true),
            ("cut", false),
        ] {
            assert_eq!(asked.contains(&place.join(name)), is, "{name}");
        }
    }

    /// The names in a folder that one run of a script leaves for the next.
    fn left(script: &str, files: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        for file in files {
            fs::write(place.join(file), "text").unwrap();
        }
        let traced = run_of(script, &place);
        let names = kept_between(&traced).map(|path| {
            let name = path.strip_prefix(&place).unwrap_or(&path);
            name.to_string_lossy().into_owned()
        });
        names.collect()
    }

    #[test]
    fn temporary_files_that_stay_are_found_by_who_lists_them() {
        let kept = |script: &str| {
            let place = tempfile::tempdir().unwrap();
            let traced = run_of(script, place.path());
            let kept: Vec<PathBuf> = kept_between(&traced).collect();
            kept.iter().for_each(|path| fs::remove_file(path).unwrap());
            kept.len()
        };
        assert_eq!(
            kept("ls /var/tmp >/dev/null; mktemp -p /var/tmp >/dev/null"),
            1
        );
        let alone = "made=$(mktemp -p /var/tmp); echo \"$made\" >made";
        let place = tempfile::tempdir().unwrap();
        assert_eq!(kept_between(&run_of(alone, place.path())).count(), 0);
        let made = fs::read_to_string(place.path().join("made")).unwrap();
        fs::remove_file(made.trim_end()).unwrap();
    }

    #[test]
    fn what_a_run_finds_by_a_link_or_a_change_of_names_is_what_the_last_one_left() {
        // The link fails, and the cache is put in its place for the next run.
        let cached = "ln cache t || { echo 1 >tmp; mv tmp cache; }";
        assert_eq!(left(cached, &[]), ["cache"]);
        assert_eq!(left("mkdir mark", &[]), ["mark"]);
        assert_eq!(left("ln -s x mark", &[]), ["mark"]);
        assert_eq!(left("rm mark", &["mark"]), ["mark"]);
        assert_eq!(left("mv old t; cat t; rm t", &["old"]), ["old"]);
        assert_eq!(
            left("ln cache t; cat t; echo 2 >>cache; rm t", &["cache"]),
            ["cache"]
        );
        // Who adds to a file, or asks about it, may go by its size.
        assert_eq!(left("echo 1 >>cache", &["cache"]), ["cache"]);
        assert_eq!(
            left("[ -s cache ] && echo more >cache", &["cache"]),
            ["cache"]
        );
        // Nothing of these is there for the next one, or all of it is as before.
        for script in [
            "mkdir lock && rmdir lock",
            "cat </dev/null >/dev/null",
            "echo 1 >out",
            "echo 1 >cache",
            "[ -s cache ] && printf text >cache",
            "ln cache t && cat t && rm t",
        ] {
            assert!(left(script, &["cache"]).is_empty(), "{script}");
        }
    }
}

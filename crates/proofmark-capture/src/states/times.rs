//! The times of files in a copy of a revision: a revision has none, and a checkout gives each file
//! the moment in which it happened to be written.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The time of all files that have none of their own: 2000-01-01, in seconds since 1970. It is
/// earlier than any edit, and always the same: compilers may put it into a program
/// (`__TIMESTAMP__`).
const TIME: Duration = Duration::from_secs(946_684_800);

/// Edits are so much later.
const DAY: Duration = Duration::from_secs(86_400);

/// Times that follow from content lie within so long: twenty years.
const YEARS: Duration = Duration::from_secs(20 * 365 * 86_400);

/// Gives a file that was edited a later time: `make` makes anew what is made of it. What
/// is no file stays as it is.
pub(super) fn newer(file: &Path) {
    if is_file(file) {
        let _ = set_time(file, SystemTime::UNIX_EPOCH + TIME + DAY);
    }
}

/// Gives all files below a folder one time, so that none is older than another: what is made of
/// others and stands in a repository beside them is up to date for `make`. What repositories keep
/// for themselves stays as it is.
///
/// # Errors
/// When a file cannot be found any more. One that may not be written keeps the time of its writing.
pub fn same_time(folder: &Path) -> io::Result<()> {
    same_time_but_for(folder, &|_| false)
}

/// The same of all files but those that were `edited`, by their names below the folder. These keep
/// their own times, for the order of edits counts, and are later than all others whatever time an
/// edit left them with.
///
/// # Errors
/// When a file cannot be found any more.
pub fn same_time_but_for(folder: &Path, edited: &dyn Fn(&Path) -> bool) -> io::Result<()> {
    let one = SystemTime::UNIX_EPOCH + TIME;
    for entry in files_below(folder) {
        let entry = entry?;
        let name = entry.path().strip_prefix(folder).unwrap_or(entry.path());
        let time = match edited(name) {
            true => entry.metadata()?.modified()?.max(one + DAY),
            false => one,
        };
        set_time(entry.path(), time)?;
    }
    Ok(())
}

/// Gives these files of a folder one time, later than that of all others there: what is made of
/// them is made anew, and none of them is made of another. It lies in the past where it can, for
/// programs that build look askance at a file of the future.
///
/// # Errors
/// When a file cannot be found any more.
pub fn later(folder: &Path, changed: &[PathBuf]) -> io::Result<()> {
    let changed: BTreeSet<PathBuf> = changed.iter().map(|name| folder.join(name)).collect();
    let mut newest = SystemTime::UNIX_EPOCH + TIME;
    for entry in files_below(folder) {
        let entry = entry?;
        if !changed.contains(entry.path()) {
            newest = newest.max(entry.metadata()?.modified()?);
        }
    }
    let now = SystemTime::now();
    let time = match newest + DAY {
        later if later <= now => later,
        _ if newest < now => now,
        _ => newest + Duration::from_secs(1),
    };
    for file in changed.iter().filter(|file| is_file(file)) {
        set_time(file, time)?;
    }
    Ok(())
}

/// Gives files below a folder times that follow from their content. They are for files that runs
/// read, and not for building: a cache that knows a file by its time and size, as Python's of
/// modules, tells another content by them. `which` gets names below the folder.
///
/// # Errors
/// When a file cannot be read.
pub fn times_by_content(folder: &Path, which: &dyn Fn(&Path) -> bool) -> io::Result<()> {
    for entry in files_below(folder) {
        let entry = entry?;
        if which(entry.path().strip_prefix(folder).unwrap_or(entry.path())) {
            let hash = blake3::hash(&fs::read(entry.path())?);
            let number = hash.as_bytes().iter().take(8);
            let number = number.fold(0, |all, &byte| all << 8 | u64::from(byte));
            let time = TIME + Duration::from_secs(number % YEARS.as_secs());
            set_time(entry.path(), SystemTime::UNIX_EPOCH + time)?;
        }
    }
    Ok(())
}

fn set_time(file: &Path, time: SystemTime) -> io::Result<()> {
    match fs::File::open(file) {
        Ok(file) => file.set_times(fs::FileTimes::new().set_modified(time)),
        Err(_) => Ok(()),
    }
}

/// A link is none.
fn is_file(place: &Path) -> bool {
    place.symlink_metadata().is_ok_and(|about| about.is_file())
}

/// All files below a folder but those that repositories keep for themselves.
fn files_below(folder: &Path) -> impl Iterator<Item = walkdir::Result<walkdir::DirEntry>> {
    let own =
        |entry: &walkdir::DirEntry| [".git", ".hg"].iter().any(|own| entry.file_name() == *own);
    let walk = walkdir::WalkDir::new(folder).into_iter();
    walk.filter_entry(move |entry| !own(entry))
        .filter(|entry| entry.as_ref().map_or(true, |of| of.file_type().is_file()))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::states::{Repository, WORK};

    #[test]
    fn another_content_of_the_same_size_has_another_time() {
        let folder = tempfile::tempdir().unwrap();
        let time = |content: &str, which: bool| {
            let file = folder.path().join("sub/file");
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, content).unwrap();
            times_by_content(folder.path(), &|name| {
                which && name == Path::new("sub/file")
            })
            .unwrap();
            file.metadata().unwrap().modified().unwrap()
        };
        let one = time("N = 800", true);
        assert!(one != time("N = 700", true));
        assert_eq!(one, time("N = 800", true));
        let began = SystemTime::UNIX_EPOCH + TIME;
        assert!(one >= began && one < began + YEARS);
        assert!(time("N = 800", false) > began + YEARS);
    }

    #[test]
    fn no_file_of_a_copy_is_older_than_another_but_for_what_was_edited() {
        if Command::new("git").arg("--version").output().is_err() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join("top").join(name);
        fs::create_dir_all(at("sub")).unwrap();
        for name in ["made.c", "made.y", "sub/other"] {
            fs::write(at(name), name).unwrap();
        }
        for words in [
            &["init", "-q", "."][..],
            &["add", "."],
            &[
                "-c",
                "user.name=n",
                "-c",
                "user.email=e",
                "commit",
                "-qm",
                "x",
            ],
        ] {
            let git = Command::new("git")
                .arg("-C")
                .arg(at(""))
                .args(words)
                .status();
            assert!(git.unwrap().success());
        }
        let repository = Repository::open(&at("")).unwrap();
        let times = |state: &str| {
            let place = tempfile::tempdir().unwrap();
            let state = repository.state(state).unwrap();
            repository.write(&state, place.path()).unwrap();
            // git knows that nothing was changed, without a look into files.
            let mut git = Command::new("git");
            git.arg("-C")
                .arg(place.path())
                .args(["diff-files", "--quiet"]);
            assert!(git.status().unwrap().success());
            ["made.c", "made.y", "sub/other"].map(|name| {
                let about = place.path().join(name).metadata().unwrap();
                about.modified().unwrap()
            })
        };
        let [made, from, other] = times("HEAD");
        assert!(made == from && from == other);
        fs::write(at("made.y"), "edited").unwrap();
        let [made, from, other] = times(WORK);
        assert!(made < from && made == other);
    }
}

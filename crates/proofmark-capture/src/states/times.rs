//! The times of files in a copy of a revision: a revision has none, and a checkout gives each file
//! the moment in which it happened to be written.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// The time of all files that have none of their own: 2000-01-01, in seconds since 1970. It is
/// earlier than any edit, and always the same: compilers may put it into a program
/// (`__TIMESTAMP__`).
const TIME: Duration = Duration::from_secs(946_684_800);

/// Edits are so much later.
const DAY: Duration = Duration::from_secs(86_400);

/// Gives a file that was edited a later time: `make` makes anew what is made of it. What
/// is no file stays as it is.
pub(super) fn newer(file: &Path) {
    let times = fs::FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + TIME + DAY);
    if file.symlink_metadata().is_ok_and(|about| about.is_file())
        && let Ok(file) = fs::File::open(file)
    {
        let _ = file.set_times(times);
    }
}

/// Gives all files below a folder one time, so that none is older than another: what is made of
/// others and stands in a repository beside them is up to date for `make`. What repositories keep
/// for themselves stays as it is.
///
/// # Errors
/// When a file cannot be found any more. One that may not be written keeps the time of its writing.
pub fn same_time(folder: &Path) -> io::Result<()> {
    let times = fs::FileTimes::new().set_modified(SystemTime::UNIX_EPOCH + TIME);
    let walk = walkdir::WalkDir::new(folder).into_iter();
    let own =
        |entry: &walkdir::DirEntry| [".git", ".hg"].iter().any(|own| entry.file_name() == *own);
    for entry in walk.filter_entry(|entry| !own(entry)) {
        let entry = entry?;
        if entry.file_type().is_file()
            && let Ok(file) = fs::File::open(entry.path())
        {
            file.set_times(times)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::states::{Repository, WORK};

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

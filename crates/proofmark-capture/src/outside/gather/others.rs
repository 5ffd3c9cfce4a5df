//! What others did outside while a build ran, to names that it had looked at before. The build is of
//! the state before that or of the one after, and nobody knows which.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use proofmark_measure::trace::is_for_temporary_files;

use super::Gathered;
use crate::shim::follow::FileMark;

impl Gathered {
    /// Whether others made a name, or changed what it is, since the build began.
    pub(super) fn is_new(&self, name: &Path) -> bool {
        let about = name.symlink_metadata();
        about.is_ok_and(|about| since(&about) > self.began) && self.is_of_others(name)
    }

    /// Whether others made a name since the build began, as far as the file system tells when that
    /// was. Its content and its rights are no part of a listing.
    pub(super) fn has_come(&self, name: &Path) -> bool {
        let began = Duration::new(
            u64::try_from(self.began.0).unwrap_or(u64::MAX),
            u32::try_from(self.began.1).unwrap_or(0),
        );
        let made = name.symlink_metadata().and_then(|about| about.created());
        let made = made.map(|made| made.duration_since(SystemTime::UNIX_EPOCH));
        matches!(made, Ok(Ok(made)) if made > began) && self.is_of_others(name)
    }

    /// Whether a folder that was asked about is another one by now, or has other rights. What comes
    /// and goes in it changes both of its times.
    pub(super) fn is_another_place(
        &self,
        place: &Path,
        about: &fs::Metadata,
        first: FileMark,
    ) -> bool {
        let was = first.map(|(device, inode, ..)| (device, inode));
        let replaced = was.is_some_and(|was| was != (about.dev(), about.ino()));
        let inner = since(about) == (about.mtime(), about.mtime_nsec());
        (replaced || about.is_dir() && since(about) > self.began && !inner)
            && self.is_of_others(place)
    }

    /// Whether it counts, and the build did nothing to it.
    fn is_of_others(&self, place: &Path) -> bool {
        let written = [&self.written.changed, &self.written.unchanged];
        self.places.is_counted(place)
            && !written.iter().any(|written| written.contains(place))
            && !place.parent().is_some_and(is_for_temporary_files)
    }
}

/// When a name became what it is: made, moved here, with its rights and content.
fn since(about: &fs::Metadata) -> (i64, i64) {
    (about.ctime(), about.ctime_nsec())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use proofmark_measure::trace::FileState;
    use proofmark_terms::OsText;

    use super::*;
    use crate::outside::gather::gather;
    use crate::outside::places::Places;
    use crate::shim::follow::{Seen, Written, mark};

    #[test]
    fn what_others_make_while_a_build_runs_is_told() {
        // Temporary files are nobody's.
        let around = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        let root = around.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        let named = |name: &str| OsText::from(at(name));
        let state =
            |name: &str| fs::metadata(at(name)).map_or(None, |about| mark(FileState::from(&about)));
        for folder in ["v1", "v2", "asked", "listed"] {
            fs::create_dir(at(folder)).unwrap();
        }
        symlink("v1", at("current")).unwrap();
        fs::write(at("v1/x"), "").unwrap();
        fs::write(at("listed/there"), "").unwrap();
        let seen = Seen {
            read: vec![(named("current/x"), state("v1/x"))],
            asked: vec![(named("asked"), state("asked"))],
            absent: vec![named("sought"), named("own")],
            listed: vec![(named("listed"), state("listed"))],
            written: ["own", "listed/made"]
                .map(|name| Written {
                    name: named(name),
                    changed: true,
                    read: false,
                    asked_in_part: false,
                    before: None,
                })
                .into(),
            in_vain: Vec::new(),
        };
        let began = since(&fs::metadata(at("listed/there")).unwrap());
        // Times of files go by the ticks of the kernel's clock.
        std::thread::sleep(Duration::from_millis(30));
        let now = |seen: &Seen| {
            let places = Places::new(&[Path::new("/own")], Path::new("/shim"));
            gather(seen, places, began).0.map(drop)
        };
        // What the build itself makes, and what others do to files in a folder that is asked about.
        fs::write(at("own"), "").unwrap();
        fs::write(at("listed/made"), "").unwrap();
        fs::write(at("asked/inner"), "").unwrap();
        fs::write(at("listed/there"), "more").unwrap();
        assert_eq!(now(&seen), Ok(()));
        let said_of = |seen: &Seen, name: &str| {
            let said = now(seen).unwrap_err();
            let expected = format!("{} changed", at(name).display());
            assert!(said.starts_with(&expected), "{said}");
        };
        fs::write(at("sought"), "").unwrap();
        said_of(&seen, "sought");
        fs::remove_file(at("sought")).unwrap();
        symlink("nowhere", at("sought")).unwrap();
        said_of(&seen, "sought");
        fs::remove_file(at("sought")).unwrap();
        fs::write(at("listed/more"), "").unwrap();
        said_of(&seen, "listed");
        fs::remove_file(at("listed/more")).unwrap();
        fs::remove_file(at("current")).unwrap();
        symlink("v2", at("current")).unwrap();
        fs::write(at("v2/x"), "").unwrap();
        said_of(&seen, "current");
        // The link is new for good: without it.
        fs::remove_file(at("current")).unwrap();
        let seen = Seen {
            read: Vec::new(),
            ..seen
        };
        assert_eq!(now(&seen), Ok(()));
        fs::set_permissions(at("asked"), fs::Permissions::from_mode(0o1755)).unwrap();
        said_of(&seen, "asked");
    }
}

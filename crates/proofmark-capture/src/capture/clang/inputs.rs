//! When what a compilation reads was last changed.
//!
//! A compilation that is made once more is made later. It is the same one where nothing that it
//! reads was changed since the first one began, by the times that the file system keeps by itself
//! (`st_ctime`): a copy with an old date has a new one there.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proofmark_layout::LinkerKind;

use super::notes::Compilation;
use crate::link::dependencies;

/// What a compilation read.
pub(super) struct Inputs(Vec<PathBuf>);

impl Inputs {
    /// Options with which clang lists what it reads, in the way of [`dependencies`].
    pub(super) fn options(list: &Path) -> [OsString; 4] {
        ["-MD".into(), "-MP".into(), "-MF".into(), list.into()]
    }

    /// From the list that those options make. `None` where there is none.
    pub(super) fn read(list: &Path, compilation: &Compilation) -> Option<Inputs> {
        // clang escapes names as its linker does.
        let listed = dependencies::files(&fs::read(list).ok()?, LinkerKind::Lld);
        let source = compilation.origin.source.clone();
        // Profiles and lists for sanitizers are named by options alone.
        let named = compilation.origin.flags.iter().filter_map(|flag| {
            let bytes = flag.as_bytes();
            let at = bytes.iter().position(|byte| *byte == b'=')?;
            let value = Path::new(std::ffi::OsStr::from_bytes(bytes.get(at + 1..)?));
            let file = compilation.directory.join(value);
            (!value.as_os_str().is_empty() && file.is_file()).then_some(file)
        });
        let all = listed.into_iter().chain(source).chain(named);
        Some(Inputs(
            all.map(|file| compilation.directory.join(file)).collect(),
        ))
    }

    /// A file that was changed after this time, or whose time cannot be told. A name that leads
    /// through a link counts as changed where the link was.
    pub(super) fn changed_since(&self, time: SystemTime) -> Option<&Path> {
        let later = |changed: Option<SystemTime>| changed.is_none_or(|changed| changed > time);
        let changed = |file: &PathBuf| {
            let link = |part: &Path| {
                let part = fs::symlink_metadata(part).ok();
                part.filter(fs::Metadata::is_symlink)
                    .is_some_and(|link| later(changed_at(&link)))
            };
            later(fs::metadata(file).ok().and_then(|of| changed_at(&of)))
                || file.ancestors().any(link)
        };
        self.0
            .iter()
            .find(|file| changed(file))
            .map(PathBuf::as_path)
    }
}

/// When a file's content, name or attributes were last changed.
fn changed_at(file: &fs::Metadata) -> Option<SystemTime> {
    let seconds = Duration::from_secs(u64::try_from(file.ctime()).ok()?);
    let rest = Duration::from_nanos(u64::try_from(file.ctime_nsec()).ok()?);
    SystemTime::UNIX_EPOCH
        .checked_add(seconds)?
        .checked_add(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_an_old_date_and_a_link_that_leads_elsewhere_are_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let all = Inputs(vec![path("a.h"), path("now/b.h")]);
        for dir in ["one", "two"] {
            fs::create_dir(path(dir)).unwrap();
            fs::write(path(dir).join("b.h"), dir).unwrap();
        }
        fs::write(path("a.h"), "a").unwrap();
        std::os::unix::fs::symlink("one", path("now")).unwrap();
        let now = SystemTime::now();
        assert_eq!(all.changed_since(now), None);
        std::thread::sleep(Duration::from_millis(20));
        fs::remove_file(path("now")).unwrap();
        std::os::unix::fs::symlink("two", path("now")).unwrap();
        assert_eq!(all.changed_since(now), Some(path("now/b.h").as_path()));
        fs::write(path("a.h"), "b").unwrap();
        let file = fs::File::options().write(true).open(path("a.h")).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(all.changed_since(now), Some(path("a.h").as_path()));
        fs::remove_file(path("a.h")).unwrap();
        assert_eq!(all.changed_since(now), Some(path("a.h").as_path()));
    }
}

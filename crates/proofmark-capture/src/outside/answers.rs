//! What the system answers about a name outside of a build's own folder.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use proofmark_terms::{Digest, OsText};

use crate::objects::hash_file_once;

/// The largest file that is read though the build only asked about it, in bytes.
const MOST: u64 = 256 << 20;

/// All that can be asked about a name without opening it, as a text: where it leads as a link, its
/// kind and rights, and a file's content instead of its times: who goes by these wants to know
/// whether it is another one. Of a very large file the times count. Of a folder its real place
/// counts, which decides what is found in it.
///
/// `hash` tells a file's content.
pub fn answer(name: &Path, hash: &mut dyn FnMut(&Path) -> io::Result<String>) -> String {
    let link = fs::read_link(name).map_or_else(
        |_| String::new(),
        |target| format!("link to {} · ", target.display()),
    );
    let Ok(about) = fs::metadata(name) else {
        return format!("{link}nothing");
    };
    let rights = rights_of(&about);
    let kind = about.file_type();
    let what = if kind.is_file() {
        let content = if about.len() > MOST {
            state_of(&about)
        } else {
            hash(name).unwrap_or_default()
        };
        format!("file of {content}")
    } else if kind.is_dir() {
        let place = name.canonicalize().unwrap_or_default();
        format!("folder at {}", place.display())
    } else {
        "neither".to_owned()
    };
    format!("{link}{what} · {rights:o}")
}

/// Who may read, write and run it, in the bits of `chmod`.
pub(super) fn rights_of(about: &fs::Metadata) -> u32 {
    about.permissions().mode() & 0o7777
}

/// Whether there is something of this name, be it a link to nothing: who asks for the link finds it.
pub(super) fn is_there(name: &Path) -> bool {
    name.symlink_metadata().is_ok()
}

/// A file's content as a text: its hash, or what is known of it where only its owner may read it.
///
/// # Errors
/// When there is no such file.
pub fn content(file: &Path) -> io::Result<String> {
    let known = hash_file_once(file).map(String::from);
    known.or_else(|_| Ok(state_of(&fs::metadata(file)?)))
}

fn state_of(about: &fs::Metadata) -> String {
    format!(
        "{} bytes of {}.{:09}",
        about.len(),
        about.mtime(),
        about.mtime_nsec()
    )
}

/// A hash over the names in a folder and over what each of them is: a file, a folder, a link.
///
/// # Errors
/// When it cannot be listed.
pub fn entries_of(folder: &Path, without: &BTreeSet<OsText>) -> io::Result<Digest> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        if without.contains(&OsText::from(name.clone())) {
            continue;
        }
        let kind = entry.file_type()?;
        let kind = [
            kind.is_file(),
            kind.is_dir(),
            kind.is_symlink(),
            kind.is_fifo(),
            kind.is_socket(),
        ];
        entries.push((name, kind.map(u8::from)));
    }
    entries.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for (name, kind) in entries {
        hasher.update(name.as_bytes()).update(b"\0").update(&kind);
    }
    Ok(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_answer_is_another_one_when_anything_but_the_times_changes() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "one").unwrap();
        for name in ["v1", "v2"] {
            fs::create_dir(at(name)).unwrap();
        }
        symlink("v1", at("current")).unwrap();
        symlink("later", at("to nothing")).unwrap();
        let of = |name: &str| answer(&at(name), &mut content);
        let differs = |name: &str, change: &dyn Fn()| {
            let before = of(name);
            change();
            assert_ne!(before, of(name), "{name}");
        };
        let before = of("file");
        let earlier = std::time::SystemTime::UNIX_EPOCH;
        let file = fs::File::options().write(true).open(at("file")).unwrap();
        file.set_modified(earlier).unwrap();
        assert_eq!(before, of("file"));
        differs("file", &|| fs::write(at("file"), "two").unwrap());
        differs("file", &|| {
            fs::set_permissions(at("file"), fs::Permissions::from_mode(0o755)).unwrap();
        });
        differs("current", &|| {
            fs::remove_file(at("current")).unwrap();
            symlink("v2", at("current")).unwrap();
        });
        differs("to nothing", &|| fs::write(at("later"), "").unwrap());
        differs("file", &|| {
            fs::remove_file(at("file")).unwrap();
            fs::create_dir(at("file")).unwrap();
        });
        differs("file", &|| fs::remove_dir(at("file")).unwrap());
    }

    #[test]
    fn a_folder_is_its_names_and_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let now = || entries_of(folder.path(), &BTreeSet::new()).unwrap();
        let one = folder.path().join("one");
        let empty = now();
        fs::write(&one, "").unwrap();
        let file = now();
        fs::remove_file(&one).unwrap();
        fs::create_dir(&one).unwrap();
        assert!(empty != file && file != now() && now() != empty);
    }
}

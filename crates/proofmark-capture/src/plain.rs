//! Folders whose paths survive the lists of words that builds make of them.

use std::env;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::objects::hash_bytes;

/// A symbolic link to a program or folder, replaced in one step where it pointed elsewhere.
pub(crate) fn point(place: &Path, program: &Path) -> io::Result<()> {
    if fs::read_link(place).is_ok_and(|target| target == program) {
        return Ok(());
    }
    let beside = tempfile::Builder::new()
        .prefix("link")
        .make_in(place.parent().unwrap_or(Path::new(".")), |beside| {
            std::os::unix::fs::symlink(program, beside)
        })?;
    beside.persist(place)?;
    Ok(())
}

/// A path that survives lists separated by colons, words separated by spaces, and cargo's wish for
/// UTF-8.
fn is_plain(path: &Path) -> bool {
    let byte_is_plain = |byte: &u8| !byte.is_ascii_whitespace() && !b":;'\"\\$#%".contains(byte);
    path.to_str().is_some() && path.as_os_str().as_bytes().iter().all(byte_is_plain)
}

/// The folder itself where its path is plain, and otherwise one of this user's own beside it in the
/// system's folder for temporary files. Builds put names from there into lists of words: the path
/// holds nothing that splits one.
///
/// # Errors
/// When that folder cannot be made, or is not this user's own.
pub fn plain_place(root: &Path) -> io::Result<PathBuf> {
    if is_plain(root) {
        return Ok(root.to_owned());
    }
    let hash = hash_bytes(root.as_os_str().as_bytes());
    let folder = own_temporary()?.join(hash.get(..16).unwrap_or(&hash));
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A plain name for a folder.
pub(crate) fn plain_link(folder: &Path) -> io::Result<PathBuf> {
    if is_plain(folder) {
        return Ok(folder.to_owned());
    }
    let hash = hash_bytes(folder.as_os_str().as_bytes());
    let link = own_temporary()?.join(format!("clang-{}", hash.get(..16).unwrap_or(&hash)));
    point(&link, folder)?;
    Ok(link)
}

/// A folder for temporary files that nobody else can write to.
fn own_temporary() -> io::Result<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let base = Some(env::temp_dir())
        .filter(|dir| is_plain(dir))
        .unwrap_or_else(|| PathBuf::from("/tmp"));
    let folder = base.join(format!("proofmark-{user}"));
    match fs::DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let about = fs::symlink_metadata(&folder)?;
    if !about.is_dir() || about.uid() != user || about.mode() & 0o022 != 0 {
        return Err(io::Error::other(format!(
            "{} is not a folder of this user's own; remove it",
            folder.display()
        )));
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn paths_that_compilers_would_split_are_not_plain() {
        assert!(is_plain(Path::new("/home/user/project/.proofmark")));
        for path in ["/a b", "/a:b", "/a\tb", "/a'b"] {
            assert!(!is_plain(Path::new(path)), "{path}");
        }
        assert!(!is_plain(Path::new(OsStr::from_bytes(b"/\xff"))));
    }
}

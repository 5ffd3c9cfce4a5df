//! Whether a build that runs in a copy took something from the work tree that it is a copy of.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::files::{absolute, distinct};
use super::finish::Finished;
use crate::error::BuildError;
use crate::states::names;

/// Refuses a build in `cwd` that linked, or compiled, or wrote files of `folder`. The store may lie
/// in there.
pub(super) fn check(
    finished: &Finished,
    folder: &Path,
    store: &Path,
    cwd: &Path,
) -> Result<(), BuildError> {
    let mut used: Vec<PathBuf> = Vec::new();
    for link in &finished.links {
        used.push(link.output.clone());
        let recipe = &link.recipe;
        for input in &recipe.inputs {
            let members = input.members.iter().map(|member| &member.given);
            used.extend(
                std::iter::once(&input.given)
                    .chain(members)
                    .map(|given| recipe.cwd.join(given)),
            );
        }
    }
    for object in &finished.objects {
        used.extend(object.source.clone());
    }
    // Where headers and libraries are looked for; paths that are only to be written otherwise say
    // nothing of it.
    let options = finished.objects.iter().flat_map(|object| &object.flags);
    let leading = options
        .filter(|option| leads_to(option, folder, cwd) && !names(option, store))
        .filter(|option| !option.to_string_lossy().contains("prefix-map"));
    let options: Vec<PathBuf> = distinct(leading.map(PathBuf::from).collect());
    let mut files: Vec<PathBuf> = used.iter().map(|path| absolute(path)).collect();
    files.retain(|file| file.starts_with(folder) && !file.starts_with(store));
    if files.is_empty() && options.is_empty() {
        return Ok(());
    }
    let mut files = distinct(files);
    files.extend(options);
    Err(BuildError::TakenFromWorkTree {
        files,
        folder: folder.to_owned(),
    })
}

/// Whether an option of a build in `cwd` names a folder. The path of a copy may end with that of
/// what it is a copy of, and then holds it.
fn leads_to(option: &OsStr, folder: &Path, cwd: &Path) -> bool {
    let below_root = folder.strip_prefix("/").unwrap_or(folder);
    let copy = cwd.ancestors().find(|above| above.ends_with(below_root));
    let Some(copy) = copy.map(|copy| copy.as_os_str().as_bytes()) else {
        return names(option, folder);
    };
    let mut text = option.as_bytes().to_owned();
    while let Some(at) = text.windows(copy.len()).position(|part| part == copy) {
        text.splice(at..at + copy.len(), *b":");
    }
    names(OsStr::from_bytes(&text), folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_copy_is_not_that_of_what_it_was_copied_from() {
        let folder = Path::new("/home/u/repo");
        let leads = |option: &str| {
            let cwd = Path::new("/cache/1f/home/u/repo/sub");
            leads_to(OsStr::new(option), folder, cwd)
        };
        // What cargo and cmake say of the place where they run.
        for option in [
            "dependency=/cache/1f/home/u/repo/target/release/deps",
            "-I/cache/1f/home/u/repo/include",
            "-Iinclude",
        ] {
            assert!(!leads(option), "{option}");
        }
        for option in [
            "-I/home/u/repo/include",
            "/cache/1f/home/u/repo/a:/home/u/repo/b",
        ] {
            assert!(leads(option), "{option}");
        }
        let elsewhere = |option: &str| leads_to(OsStr::new(option), folder, Path::new("/tmp/x"));
        assert!(elsewhere("-I/home/u/repo/include") && !elsewhere("-I/tmp/x/include"));
    }
}

//! Files that the words of compilers and linkers name.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use proofmark_capture::reads::Note;
use proofmark_capture::{CapturedLink, CompanionKind};
use proofmark_terms::OsText;

use super::found::Found;

/// Looks at the files that the words of compilers name.
pub(super) fn named(
    notes: &[Note],
    inputs: &[PathBuf],
    followed: bool,
    found: &mut Found<'_>,
) -> Result<(), String> {
    for note in notes {
        let cwd: &Path = note.cwd.as_ref().as_ref();
        let mut names: Vec<PathBuf> = note
            .named
            .iter()
            .map(|name| cwd.join(name.as_ref()))
            .collect();
        let mut known: BTreeSet<PathBuf> = BTreeSet::new();
        while let Some(name) = names.pop() {
            if found.look(&name)? && known.insert(name.clone()) {
                names.extend(taken_in(&name, cwd));
            }
        }
        for profile in &note.profiles {
            let Ok(place) = cwd.join(profile.as_ref()).canonicalize() else {
                continue;
            };
            let known = followed || inputs.iter().any(|input| input.starts_with(&place));
            if place.is_dir() && !place.starts_with(found.work) && !known {
                return Err(format!(
                    "-fprofile-use names the folder {}, outside of the source, and nobody knows which files of it were read: make it part of the source, or name it in `inputs`",
                    place.display()
                ));
            }
        }
    }
    Ok(())
}

/// The files that a file of options takes in: `%include <x>` in specifications of gcc, `@x` in a
/// configuration file of clang. A name counts from that file's folder, or from the compiler's.
fn taken_in(file: &Path, cwd: &Path) -> Vec<PathBuf> {
    const LARGEST: u64 = 1 << 20;
    if fs::metadata(file).map_or(true, |about| about.len() > LARGEST) {
        return Vec::new();
    }
    let text = fs::read(file).unwrap_or_default();
    let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let names = lines.filter_map(|line| {
        let name = match line.strip_prefix(b"%include") {
            Some(rest) => {
                let rest = rest
                    .strip_prefix(b"_noerr")
                    .unwrap_or(rest)
                    .trim_ascii_start();
                rest.strip_prefix(b"<")?.strip_suffix(b">")?
            }
            None => line.strip_prefix(b"@")?,
        };
        let name = name.strip_prefix(b"<CFGDIR>/").unwrap_or(name);
        Some(Path::new(std::ffi::OsStr::from_bytes(name)))
    });
    let beside = file.parent().unwrap_or(cwd);
    names
        .flat_map(|name| [beside.join(name), cwd.join(name)])
        .collect()
}

/// What a link read, and where it looked for libraries in vain.
pub(super) fn linked(link: &CapturedLink, found: &mut Found<'_>) -> Result<(), String> {
    for library in &link.companions {
        if let CompanionKind::Library | CompanionKind::LinkedLibrary = library.kind {
            found.look(&library.path)?;
        }
    }
    let recipe = link.as_built();
    let cwd = &recipe.cwd;
    found.look(&recipe.linker.path)?;
    let folders: Vec<PathBuf> = recipe
        .argv
        .iter()
        .filter_map(|word| word.as_bytes().strip_prefix(b"-L"))
        .filter(|folder| !folder.is_empty())
        .map(|folder| cwd.join(std::ffi::OsStr::from_bytes(folder)))
        .collect();
    for input in &recipe.inputs {
        let place = cwd.join(&input.given);
        // What has gone since was made by the build itself.
        if !place.exists() {
            continue;
        }
        found.look(&place)?;
        let hash = found.files.get(&OsText::from(place.as_path()));
        if hash.is_some_and(|hash| input.hash != hash.as_str()) {
            return Err(format!(
                "{} changed while the cell was built, which links it\n  next: give the command again",
                place.display()
            ));
        }
    }
    let libraries = recipe
        .argv
        .iter()
        .filter_map(|word| word.as_bytes().strip_prefix(b"-l"));
    for name in libraries.filter(|name| !name.is_empty()) {
        let files = [&b".so"[..], b".a"].map(|ending| {
            let file = match name.strip_prefix(b":") {
                Some(file) => file.to_vec(),
                None => [b"lib", name, ending].concat(),
            };
            PathBuf::from(std::ffi::OsStr::from_bytes(&file))
        });
        'folders: for folder in &folders {
            for file in &files {
                if found.look(&folder.join(file))? {
                    break 'folders;
                }
            }
        }
    }
    Ok(())
}

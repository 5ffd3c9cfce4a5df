//! Which of a build's links count: those whose image is still there at its end, wherever it has been moved to.
//!
//! `configure` and cmake link many probes and throw them away; their files never reach the store.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::run::{Run, modified_ns};
use crate::elf;
use crate::error::BuildError;
use crate::event::{Event, Linked};
use crate::objects::hash_file;

/// A link that counts.
#[derive(Clone, Debug)]
pub(super) struct FoundLink {
    pub event: Linked,
    /// Where the image lies, absolute.
    pub output: PathBuf,
    /// Where else the same code lies.
    pub aliases: Vec<PathBuf>,
    /// The file at `output` was changed after the link, and its code was not: stripped, most likely.
    pub changed: bool,
    /// BLAKE3 of its code; none without any.
    pub code: Option<String>,
}

/// An image in the tree that is newer than the build's start.
struct NewImage {
    path: PathBuf,
    inode: (u64, u64),
    hash: String,
    code: Option<String>,
    /// Its content is new, and not only its place.
    modified: bool,
}

/// The links of a run whose image is still there. `wanted` is kept even where it looks like a probe.
pub(super) fn links(run: &Run, wanted: Option<&Path>) -> Result<Vec<FoundLink>, BuildError> {
    let linked = last_of_each_output(run);
    let mut new = new_images(&run.cwd, run.started_ns);
    // Another link's own image is no copy of this one's, even where the two are equal.
    let own: HashSet<PathBuf> = linked
        .iter()
        .map(|event| absolute(&event.output_path()))
        .collect();
    new.retain(|image| !own.contains(&image.path));
    let mut found: Vec<FoundLink> = Vec::new();
    for event in &linked {
        let output = absolute(&event.output_path());
        if is_probe(&output) && wanted != Some(&*output) {
            continue;
        }
        found.extend(find(event, output, &new, run));
    }
    add_relocatable(&linked, &mut found);
    Ok(found)
}

/// Every image that the build linked, there or not.
pub(super) fn outputs(run: &Run) -> Vec<PathBuf> {
    last_of_each_output(run)
        .iter()
        .map(|event| absolute(&event.output_path()))
        .collect()
}

/// New executables and libraries in the tree that none of the links accounts for.
pub(super) fn unexplained(run: &Run, links: &[FoundLink]) -> Vec<PathBuf> {
    let events: Vec<&Linked> = run.events.iter().filter_map(linked).collect();
    let hashes: HashSet<&str> = events.iter().map(|event| event.hash.as_str()).collect();
    let places: HashSet<&PathBuf> = links
        .iter()
        .flat_map(|link| link.aliases.iter().chain([&link.output]))
        .collect();
    let new = new_images(&run.cwd, run.started_ns);
    let unknown = new.into_iter().filter(|image| {
        image.modified
            && !places.contains(&image.path)
            && !hashes.contains(image.hash.as_str())
            && !is_probe(&image.path)
    });
    unknown.map(|image| image.path).collect()
}

fn linked(event: &Event) -> Option<&Linked> {
    match event {
        Event::Linked(linked) => Some(linked),
        _ => None,
    }
}

/// A file linked twice is what the second link made.
fn last_of_each_output(run: &Run) -> Vec<&Linked> {
    let all: Vec<&Linked> = run.events.iter().filter_map(linked).collect();
    let mut last = HashMap::new();
    for (at, event) in all.iter().enumerate() {
        last.insert(event.output_path(), at);
    }
    let is_last = |(at, event): &(usize, &Linked)| last.get(&event.output_path()) == Some(at);
    all.into_iter()
        .enumerate()
        .filter(is_last)
        .map(|(_, event)| event)
        .collect()
}

fn find(event: &Linked, output: PathBuf, new: &[NewImage], run: &Run) -> Option<FoundLink> {
    let code = code_of(&run.session.blob(&event.hash));
    let same =
        |image: &&NewImage| image.hash == event.hash || (code.is_some() && image.code == code);
    let mut link = FoundLink {
        aliases: new
            .iter()
            .filter(same)
            .map(|image| image.path.clone())
            .collect(),
        event: event.clone(),
        changed: false,
        output,
        code,
    };
    if link.output.is_file() {
        link.changed = hash_file(&link.output).ok()? != event.hash;
        let replaced = link.changed && (link.code.is_none() || code_of(&link.output) != link.code);
        return (!replaced).then_some(link);
    }
    let moved = new.iter().find(|image| image.inode == event.inode);
    link.output = moved
        .map(|image| image.path.clone())
        .or_else(|| link.aliases.first().cloned())?;
    link.aliases.retain(|path| *path != link.output);
    Some(link)
}

fn code_of(image: &Path) -> Option<String> {
    elf::about(image, false)?.code
}

/// Relocatable outputs are no images in the tree; they count when they still exist, or when a link that counts has read them.
fn add_relocatable(linked: &[&Linked], found: &mut Vec<FoundLink>) {
    let mut at = 0;
    while let Some(link) = found.get(at) {
        let inputs: HashSet<String> = link
            .event
            .inputs
            .iter()
            .map(|input| input.hash.clone())
            .collect();
        for event in linked {
            let known = found
                .iter()
                .any(|link| link.event.hash == event.hash && link.event.output == event.output);
            if inputs.contains(&event.hash) && !known {
                let output = absolute(&event.output_path());
                found.push(FoundLink {
                    event: (*event).clone(),
                    output,
                    aliases: Vec::new(),
                    changed: false,
                    code: None,
                });
            }
        }
        at += 1;
    }
}

/// Executables and shared libraries in a tree that are not older than the build.
fn new_images(tree: &Path, started_ns: i64) -> Vec<NewImage> {
    let inner = |entry: &walkdir::DirEntry| {
        let name = entry.file_name();
        !(entry.file_type().is_dir()
            && (name == ".git" || name == ".proofmark" || name == ".hg" || name == ".svn"))
    };
    let files = WalkDir::new(tree)
        .into_iter()
        .filter_entry(inner)
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file());
    let mut found = Vec::new();
    for file in files {
        let Ok(about) = file.metadata() else { continue };
        let changed_ns = about
            .ctime()
            .saturating_mul(1_000_000_000)
            .saturating_add(about.ctime_nsec());
        let modified = modified_ns(&about) >= started_ns;
        if !(modified || changed_ns >= started_ns) || !elf::is_image(file.path()) {
            continue;
        }
        let Ok(hash) = hash_file(file.path()) else {
            continue;
        };
        let code = elf::about(file.path(), false).and_then(|about| about.code);
        found.push(NewImage {
            path: absolute(file.path()),
            inode: (about.dev(), about.ino()),
            hash,
            code,
            modified,
        });
    }
    found
}

/// The folder's symbolic links resolved, the file's own kept.
pub(super) fn absolute(path: &Path) -> PathBuf {
    match (
        path.parent()
            .and_then(|folder| fs::canonicalize(folder).ok()),
        path.file_name(),
    ) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

/// What build systems link to find out about the compiler, and what cargo runs at build time. Nobody measures these.
pub(super) fn is_probe(path: &Path) -> bool {
    let folders = ["CMakeFiles", "CMakeTmp", "CMakeScratch", "meson-private"];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.components()
        .any(|part| folders.iter().any(|folder| part.as_os_str() == *folder))
        || name.starts_with("conftest")
        || name.starts_with("build-script-")
        || name.starts_with("build_script_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_are_known_by_their_places() {
        for path in [
            "/b/CMakeFiles/3.25.1/CompilerIdC/a.out",
            "/b/conftest",
            "/b/target/release/build/x-1/build_script_build-1",
            "/b/meson-private/sanitycheckc.exe",
        ] {
            assert!(is_probe(Path::new(path)), "{path}");
        }
        assert!(!is_probe(Path::new("/b/lua")));
    }
}

//! Which of a build's links count: those whose image is still there at its end, wherever it has
//! been moved to.
//!
//! `configure` and cmake link many probes and throw them away; their files never reach the store.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use proofmark_terms::Digest;
use walkdir::WalkDir;

use super::files::{absolute, distinct, modified_ns};
use super::run::Run;
use crate::captured::LinkKind;
use crate::elf;
use crate::event::{Event, Linked};
use crate::objects::hash_file;
use crate::probes::is_probe;

/// A link that counts.
#[derive(Clone, Debug)]
pub(super) struct FoundLink {
    pub event: Linked,
    /// Where the image lies, absolute.
    pub output: PathBuf,
    /// Where else the same image lies.
    pub aliases: Vec<PathBuf>,
    /// What became of the file at `output` after the link.
    pub change: Change,
}

impl FoundLink {
    /// What was linked.
    pub(super) fn kind(&self, run: &Run) -> LinkKind {
        let shared =
            self.event.arguments.iter().any(|word| {
                [&b"-shared"[..], b"--shared", b"-Bshareable"].contains(&word.as_bytes())
            });
        let about = elf::about(&run.session.blob(&self.event.hash), shared);
        about
            .and_then(|about| about.kind)
            .unwrap_or(LinkKind::Executable)
    }
}

/// What a build did to an image after it had been linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It is the very file that the linker wrote.
    None,
    /// What a process sees of it is what the linker wrote; what only tools read is not: stripped,
    /// most likely.
    Stripped,
    /// What a process sees of it was changed, and the code was not.
    Edited,
}

/// A file that the build left.
struct LeftFile {
    path: PathBuf,
    inode: (u64, u64),
    hash: Digest,
    /// Its content is new, and not only its place.
    modified: bool,
}

/// The links of a run whose image is still there. `wanted` is kept even where it looks like a
/// probe.
///
/// Each file that the build left is one link's: the one that wrote these very bytes, or else the
/// one whose bytes a process would see in it. Its code alone does not tell: links of one program
/// with other data have it in common.
pub(super) fn links(run: &Run, wanted: Option<&Path>) -> Vec<FoundLink> {
    let events: Vec<&Linked> = run.events.iter().filter_map(linked).collect();
    let mut linked = Links::new(&events, run);
    let mut files: Vec<Vec<(LeftFile, Change)>> = events.iter().map(|_| Vec::new()).collect();
    for file in left_files(run, &events) {
        if let Some((at, change)) = linked.maker(&file)
            && let Some(made) = files.get_mut(at)
        {
            made.push((file, change));
        }
    }
    let mut found: Vec<FoundLink> = Vec::new();
    for (event, files) in events.iter().zip(files) {
        found.extend(found_link(event, files).filter(|link| {
            let is_wanted = |path: &PathBuf| wanted == Some(&**path);
            !is_probe(&absolute(&event.output_path()))
                || is_wanted(&link.output)
                || link.aliases.iter().any(is_wanted)
        }));
    }
    add_relocatable(&events, &mut found);
    found
}

/// One link with the files that are its: the one in its own place first, then the one that was
/// moved from there, then any.
fn found_link(event: &Linked, mut files: Vec<(LeftFile, Change)>) -> Option<FoundLink> {
    let own = absolute(&event.output_path());
    let rank = |file: &LeftFile| {
        if file.path == own {
            0
        } else if file.inode == event.inode {
            1
        } else if file.hash == event.hash {
            2
        } else {
            3
        }
    };
    files.sort_by_key(|(file, _)| rank(file));
    let mut files = files.into_iter();
    let (first, change) = files.next()?;
    Some(FoundLink {
        event: event.clone(),
        output: first.path,
        aliases: files.map(|(file, _)| file.path).collect(),
        change,
    })
}

/// The link that made the file at a place outside of the tree.
pub(super) fn maker<'a>(
    run: &Run,
    links: &'a [FoundLink],
    place: &Path,
) -> Option<(usize, &'a FoundLink)> {
    let events: Vec<&Linked> = links.iter().map(|link| &link.event).collect();
    let file = left_file(place, run.started_ns)?;
    let (at, change) = Links::new(&events, run).maker(&file)?;
    links
        .get(at)
        .filter(|_| change != Change::Edited)
        .map(|link| (at, link))
}

/// What is known of the images that were linked.
struct Links<'a> {
    events: &'a [&'a Linked],
    run: &'a Run,
    /// Read when it is asked for.
    about: Vec<Option<elf::About>>,
}

impl<'a> Links<'a> {
    fn new(events: &'a [&'a Linked], run: &'a Run) -> Links<'a> {
        Links {
            events,
            run,
            about: Vec::new(),
        }
    }

    /// The link that a file comes from, and what became of it since.
    fn maker(&mut self, file: &LeftFile) -> Option<(usize, Change)> {
        if let Some(at) = self.best(file, |at, links| {
            links
                .events
                .get(at)
                .is_some_and(|event| event.hash == file.hash)
        }) {
            return Some((at, Change::None));
        }
        let left = elf::about(&file.path, false)?;
        if self.about.is_empty() {
            let read = |event: &&Linked| elf::about(&self.run.session.blob(&event.hash), false);
            self.about = self.events.iter().map(read).collect();
        }
        let code = left.code?;
        let of = |at: usize, links: &Links<'_>| links.about.get(at).cloned().flatten();
        if let Some(at) = self.best(file, |at, links| {
            of(at, links).is_some_and(|about| about.loaded == left.loaded)
        }) {
            return Some((at, Change::Stripped));
        }
        // An edit is known by the place alone: nothing else tells which of several links with this
        // code it was.
        let at = self.events.iter().rposition(|event| is_at(event, file))?;
        (of(at, self)?.code? == code).then_some((at, Change::Edited))
    }

    /// Of the links that may have made a file the one that wrote to its place, then the one whose
    /// file was moved there, then the last.
    fn best(&self, file: &LeftFile, may: impl Fn(usize, &Links<'_>) -> bool) -> Option<usize> {
        let all: Vec<(usize, &Linked)> = (self.events.iter().copied().enumerate())
            .filter(|(at, _)| may(*at, self))
            .collect();
        let by = |fits: &dyn Fn(&Linked) -> bool| all.iter().rfind(|(_, event)| fits(event));
        by(&|event| is_at(event, file))
            .or_else(|| by(&|event| event.inode == file.inode))
            .or_else(|| all.last())
            .map(|(at, _)| *at)
    }
}

fn is_at(event: &Linked, file: &LeftFile) -> bool {
    absolute(&event.output_path()) == file.path
}

/// Every image that the build linked, there or not.
pub(super) fn outputs(run: &Run) -> Vec<PathBuf> {
    let events = run.events.iter().filter_map(linked);
    distinct(events.map(|event| absolute(&event.output_path())).collect())
}

/// New executables and libraries in the tree that none of the links accounts for.
pub(super) fn unexplained(run: &Run, links: &[FoundLink]) -> Vec<PathBuf> {
    let events: Vec<&Linked> = run.events.iter().filter_map(linked).collect();
    let hashes: HashSet<&str> = events.iter().map(|event| event.hash.as_str()).collect();
    let places: HashSet<&PathBuf> = links
        .iter()
        .flat_map(|link| link.aliases.iter().chain([&link.output]))
        .collect();
    let new = new_images(run);
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

/// Relocatable outputs are no images in the tree; they count when they still exist, or when a link
/// that counts has read them.
fn add_relocatable(linked: &[&Linked], found: &mut Vec<FoundLink>) {
    let mut at = 0;
    while let Some(link) = found.get(at) {
        let inputs: HashSet<Digest> = link
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
                    change: Change::None,
                });
            }
        }
        at += 1;
    }
}

/// What the build left: new images in its tree, and whatever lies where it linked to, in the tree
/// or not.
fn left_files(run: &Run, events: &[&Linked]) -> Vec<LeftFile> {
    let mut files = new_images(run);
    let known: HashSet<PathBuf> = files.iter().map(|file| file.path.clone()).collect();
    let places = events.iter().map(|event| absolute(&event.output_path()));
    let others = distinct(places.filter(|place| !known.contains(place)).collect());
    files.extend(
        others
            .iter()
            .filter_map(|place| left_file(place, run.started_ns)),
    );
    files
}

/// Whether a folder is that of a store, whose real path is `store`. Another store has the usual
/// name.
pub(super) fn is_store(folder: &Path, store: &Path) -> bool {
    let name = folder.file_name();
    name.is_some_and(|name| name == ".proofmark")
        || (name == store.file_name() && folder.canonicalize().is_ok_and(|real| real == store))
}

/// Executables and shared libraries in a tree that are not older than the build.
fn new_images(run: &Run) -> Vec<LeftFile> {
    let started_ns = run.started_ns;
    let inner = |entry: &walkdir::DirEntry| {
        let name = entry.file_name();
        !(entry.file_type().is_dir()
            && (name == ".git"
                || name == ".hg"
                || name == ".svn"
                || is_store(entry.path(), &run.store)))
    };
    let files = WalkDir::new(&run.cwd)
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
        let new = modified_ns(&about) >= started_ns || changed_ns >= started_ns;
        if new && elf::is_image(file.path()) {
            found.extend(left_file(file.path(), started_ns));
        }
    }
    found
}

fn left_file(path: &Path, started_ns: i64) -> Option<LeftFile> {
    let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some(LeftFile {
        path: absolute(path),
        inode: (about.dev(), about.ino()),
        hash: hash_file(path).ok()?,
        modified: modified_ns(&about) >= started_ns,
    })
}

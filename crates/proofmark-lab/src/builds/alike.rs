//! Whether two builds are one program, so that there is nothing to measure.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use proofmark_capture::libraries::{is_of_the_system, loaded};
use proofmark_capture::{CapturedLink, Companion, CompanionKind, Contents, Modified};
use proofmark_code::{is_link_input, load_alike, may_load_more};

use super::subject::{Source, Subject};

/// In what way two builds are one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alike {
    /// Image and libraries are the same bytes, and no others are loaded.
    Bytes,
    /// What is loaded is the same bytes: the files differ in debug information, symbol names or the
    /// build id alone.
    Loaded,
    /// One program at one place, with trees of the same files.
    Trees,
    /// The images are the same bytes, and nobody knows what they load while they run, what they
    /// read beside them, or what they make of their names.
    Perhaps,
}

/// A program that holds this looks for its own place, and may read what lies there.
const OWN_PLACE: &[u8] = b"/proc/self/exe";

/// Of more or larger files beside an image nobody knows whether they matter.
const NEIGHBOURS: usize = 64;
const NEIGHBOUR_BYTES: u64 = 1 << 20;

/// In what way two builds are alike; `None` where they differ, or cannot be read.
#[must_use]
pub fn alike(base: &Subject, new: &Subject) -> Option<Alike> {
    if belongings(base) != belongings(new) || !in_one_order(base, new) || share_a_library(base, new)
    {
        return None;
    }
    if let (Some(one), Some(other)) = (&base.tree, &new.tree) {
        if one.digest() != other.digest() {
            return None;
        }
        if base.shipped_hashes() == new.shipped_hashes() && place(base) == place(new) {
            return Some(Alike::Trees);
        }
    }
    let apart = called_apart(base, new) || neighbours_apart(base, new);
    let (base, new) = (base.shipped(), new.shipped());
    // Where a build is kept several times, each block draws one: they are alike where all of them
    // are.
    let first = read(base.first()?)?;
    let others = base.iter().chain(&new).skip(1);
    let mut way = Alike::Bytes;
    for other in others {
        let other = read(other)?;
        if other == first {
            continue;
        }
        if !load_alike(&first, &other) {
            return None;
        }
        way = Alike::Loaded;
    }
    let known = libraries(base.first()?)?;
    for image in base.iter().chain(&new) {
        if contents(&libraries(image)?) != contents(&known) {
            return None;
        }
    }
    let open = may_load_more(&first)
        || contains(&first, OWN_PLACE)
        || apart
        || known.iter().any(|(_, content)| may_load_more(content));
    match (way, open) {
        (Alike::Loaded, true) => None,
        (Alike::Bytes, true) => Some(Alike::Perhaps),
        (way, _) => Some(way),
    }
}

/// Whether runs of two builds can only be alike: one program of the same bytes at one place. One
/// that reads its own debug information, or what lies around its own place, may do something else
/// at each of two places, or with two files that load alike; and one of two captures may read what
/// their builds wrote elsewhere.
#[must_use]
pub fn cannot_differ(base: &Subject, new: &Subject) -> bool {
    match alike(base, new) {
        Some(Alike::Bytes) => place(base) == place(new) && wrote_alike(base, new),
        Some(Alike::Trees) => true,
        Some(Alike::Loaded | Alike::Perhaps) | None => false,
    }
}

/// Whether nothing that one build wrote, and the other did not, is unknown: of a capture that was
/// not followed it is known what lies beside its image, and of one that was made in a copy which
/// files that had.
fn wrote_alike(base: &Subject, new: &Subject) -> bool {
    let ran = |subject: &Subject| match &subject.source {
        Source::Captured { ran, .. } => *ran,
        Source::Executable { .. } => None,
    };
    let copies = |subject: &Subject| -> Option<Vec<Contents>> {
        let links = subject.links().unwrap_or_default().iter();
        let gone = links.filter_map(|link| link.gone.as_ref());
        gone.map(|gone| gone.contents().ok()).collect()
    };
    let same = |(one, other): (Vec<Contents>, Vec<Contents>)| {
        one.first() == other.first()
            && one
                .iter()
                .chain(&other)
                .all(|each| Some(each) == one.first())
    };
    ran(base) == ran(new) && copies(base).zip(copies(new)).is_some_and(same)
}

/// What a captured build left beside its image, by place and content. Objects and archives were
/// there to be linked.
fn belongings(subject: &Subject) -> BTreeMap<&Path, &str> {
    let links = subject.links().unwrap_or_default();
    let companions = links.iter().flat_map(|link| &link.companions);
    companions
        .filter(|companion| is_for_runs(companion))
        .map(|companion| (companion.path.as_path(), companion.hash.as_str()))
        .collect()
}

/// What a build's runs are made of: its images, what lies beside them, its tree of files, and how
/// it is run. Another way to make the same is the same.
pub(crate) fn content(subject: &Subject) -> serde_json::Value {
    let record = subject.record();
    let links = subject.links().unwrap_or_default();
    let folders: Vec<&Path> = links
        .iter()
        .filter_map(|link| link.output.parent())
        .collect();
    let beside = |path: &Path| {
        let within = folders
            .iter()
            .find_map(|folder| path.strip_prefix(folder).ok());
        within
            .unwrap_or(path)
            .as_os_str()
            .as_encoded_bytes()
            .to_vec()
    };
    let belongings: BTreeMap<Vec<u8>, &str> = belongings(subject)
        .into_iter()
        .map(|(path, hash)| (beside(path), hash))
        .collect();
    serde_json::json!([
        record.images,
        belongings.into_iter().collect::<Vec<_>>(),
        record.tree.map(|tree| tree.digest),
        record.run_as,
    ])
}

/// Whether no file of two builds is the newer one of two in one of them and the older one in the
/// other: programs take files for out of date by that.
fn in_one_order(base: &Subject, new: &Subject) -> bool {
    let links = [base, new].map(|subject| subject.links().unwrap_or_default());
    let all: Vec<BTreeMap<&Path, Modified>> = links.into_iter().flatten().map(written).collect();
    (all.iter().zip(all.iter().skip(1))).all(|(one, other)| are_in_one_order(one, other))
}

/// When an image and what the capture kept beside it were written.
fn written(link: &CapturedLink) -> BTreeMap<&Path, Modified> {
    let companions = link.companions.iter();
    let companions = companions.filter(|one| one.kind.is_file() && is_for_runs(one));
    let image = (link.output.as_path(), link.image_modified);
    let all = companions.map(|companion| (companion.path.as_path(), companion.modified));
    all.chain([image]).collect()
}

fn are_in_one_order(one: &BTreeMap<&Path, Modified>, other: &BTreeMap<&Path, Modified>) -> bool {
    let both = one.iter();
    let both = both.filter_map(|(path, time)| Some((*time, *other.get(path)?)));
    let mut both: Vec<(Modified, Modified)> = both.collect();
    both.sort();
    // The latest of the other's that are older here.
    let mut latest: Option<Modified> = None;
    for alike in both.chunk_by(|(here, _), (next, _)| here == next) {
        let there = || alike.iter().map(|(_, there)| *there);
        if latest.is_some_and(|latest| there().any(|there| there < latest)) {
            return false;
        }
        latest = latest.max(there().max());
    }
    true
}

/// Where runs see its program.
fn place(subject: &Subject) -> Vec<PathBuf> {
    match (&subject.source, &subject.tree) {
        (Source::Executable { path, .. }, Some(tree)) => vec![tree.seen(path)],
        (Source::Executable { path, .. }, None) => vec![path.clone()],
        (Source::Captured { links, .. }, _) => {
            links.iter().map(|link| link.output.clone()).collect()
        }
    }
}

/// Whether runs may read what lies beside an image.
fn is_for_runs(companion: &Companion) -> bool {
    companion.kind != CompanionKind::File || !is_for_the_linker(companion)
}

fn is_for_the_linker(companion: &Companion) -> bool {
    let blob = companion.blob.as_ref().map(fs::read);
    blob.and_then(Result::ok)
        .is_some_and(|content| is_link_input(&content))
}

/// Whether they are called by several names: many programs do what their name says (`argv[0]`).
fn called_apart(base: &Subject, new: &Subject) -> bool {
    let names: BTreeSet<_> = names(base).into_iter().chain(names(new)).collect();
    names.len() > 1
}

/// What a program is called where it runs.
fn names(subject: &Subject) -> Vec<Option<&OsStr>> {
    match &subject.source {
        Source::Executable { path, .. } => vec![path.file_name()],
        Source::Captured { links, .. } => {
            links.iter().map(|link| link.output.file_name()).collect()
        }
    }
}

/// Whether what lies beside files that were not captured differs, or is too much to be looked at: a
/// program finds it by its own name.
fn neighbours_apart(base: &Subject, new: &Subject) -> bool {
    let around = |subject: &Subject| match &subject.source {
        Source::Executable { path, .. } => neighbours(path),
        Source::Captured { .. } => Some(BTreeMap::new()),
    };
    if base.shipped() == new.shipped() {
        return false;
    }
    let (base, new) = (around(base), around(new));
    base.is_none() || base != new
}

/// The files beside an image by name and content; `None` where there are folders, or too many or
/// too large files.
fn neighbours(image: &Path) -> Option<BTreeMap<OsString, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(image.parent()?).ok()? {
        let entry = entry.ok()?;
        if Some(entry.file_name().as_os_str()) == image.file_name() {
            continue;
        }
        let metadata = fs::metadata(entry.path()).ok()?;
        if !metadata.is_file() || metadata.len() > NEIGHBOUR_BYTES || found.len() == NEIGHBOURS {
            return None;
        }
        found.insert(entry.file_name(), fs::read(entry.path()).ok()?);
    }
    Some(found)
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn read(path: &PathBuf) -> Option<Vec<u8>> {
    fs::read(path).ok()
}

/// Whether files that were not captured load one library: which of them it belongs to, nobody
/// knows.
fn share_a_library(base: &Subject, new: &Subject) -> bool {
    let of = |subject: &Subject| match &subject.source {
        Source::Executable { path, .. } => libraries(path).unwrap_or_default(),
        Source::Captured { .. } => Vec::new(),
    };
    let (base, new) = (of(base), of(new));
    base.iter()
        .any(|(path, _)| new.iter().any(|(other, _)| other == path))
}

/// Libraries by name.
fn contents(libraries: &[(PathBuf, Vec<u8>)]) -> BTreeMap<Option<&OsStr>, &[u8]> {
    libraries
        .iter()
        .map(|(path, content)| (path.file_name(), content.as_slice()))
        .collect()
}

/// The libraries outside the system that an image loads; `None` where one cannot be read.
fn libraries(image: &Path) -> Option<Vec<(PathBuf, Vec<u8>)>> {
    let own = image.canonicalize().ok();
    loaded(image, |_| {})
        .into_iter()
        .filter(|path| !is_of_the_system(path) && own.as_ref() != Some(path))
        .map(|path| {
            let content = fs::read(&path).ok()?;
            Some((path, content))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_of_two_files_is_newer_is_part_of_a_build() {
        let times = |seconds: [i64; 3]| -> BTreeMap<&'static Path, Modified> {
            let names = ["prog", "index", "source"].map(Path::new);
            let time = |seconds| Modified {
                seconds,
                nanoseconds: 0,
            };
            names.into_iter().zip(seconds.map(time)).collect()
        };
        let one = times([1, 2, 3]);
        for (seconds, expected) in [
            ([11, 12, 13], true),
            // Written within one tick of the clock.
            ([11, 11, 12], true),
            ([5, 5, 5], true),
            ([1, 3, 2], false),
            ([3, 1, 2], false),
        ] {
            let other = times(seconds);
            assert_eq!(are_in_one_order(&one, &other), expected, "{seconds:?}");
            assert_eq!(are_in_one_order(&other, &one), expected, "{seconds:?}");
        }
    }
}

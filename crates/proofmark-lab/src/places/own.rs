//! The place of each build: where its image lies, which files belong to it, and which of them
//! differ from those of others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proofmark_capture::{CapturedLink, Companion, CompanionKind, Modified, hash_entry};
use proofmark_terms::Digest;

use super::sources;
use crate::builds::{Source, Subject};
use crate::tree::Tree;

/// The place of one build, of one of its captures.
#[derive(Clone, Debug)]
pub(super) struct Own {
    /// Where its image lies, the path that it is started by first.
    pub(super) image: Vec<PathBuf>,
    /// When its build had last written it; none of an image that nobody captured.
    pub(super) modified: Option<Modified>,
    /// Whether the image is the file at that path itself, which nobody captured.
    pub(super) uncaptured: bool,
    /// Its companions that are not what lies on the disk for all builds.
    pub(super) files: Vec<Companion>,
    /// Files of other builds that it does not have, and that it would see all the same.
    pub(super) foreign: BTreeSet<PathBuf>,
    /// Of those, what others left outside of their folders, whether or not they are compared.
    pub(super) of_others: BTreeSet<PathBuf>,
    /// The folder of files that it reads, where each build has one of its own.
    pub(super) tree: Option<Tree>,
    /// The folder of all copies of sources, where it was made in one.
    pub(super) copies: Option<PathBuf>,
}

impl Own {
    /// Paths at which something of its own is to be seen.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        let kept = self.files.iter().filter(|file| file.blob.is_some());
        self.image.iter().chain(kept.map(|file| &file.path))
    }

    /// Whether a path is where copies of sources come and go.
    pub(super) fn is_in_copies(&self, path: &Path) -> bool {
        let copies = self.copies.as_ref();
        copies.is_some_and(|copies| path.starts_with(copies))
    }
}

/// The places of one build, one for each of its captures.
pub(super) fn own(subject: &Subject) -> Vec<Own> {
    let tree = subject.tree.as_ref();
    let mut all: Vec<Own> = match &subject.source {
        Source::Captured {
            links, of_others, ..
        } => (links.iter())
            .map(|link| captured(link, of_others.clone()))
            .collect(),
        Source::Executable { path, .. } => vec![Own {
            image: vec![tree.map_or_else(|| path.clone(), |tree| tree.seen(path))],
            modified: None,
            uncaptured: true,
            files: Vec::new(),
            foreign: BTreeSet::new(),
            of_others: BTreeSet::new(),
            tree: None,
            copies: None,
        }],
    };
    for own in &mut all {
        own.tree = tree.cloned();
        // What lies there is the tree's.
        own.files
            .retain(|file| tree.is_none_or(|tree| !tree.holds(&file.path)));
    }
    all
}

fn captured(link: &CapturedLink, of_others: BTreeSet<PathBuf>) -> Own {
    let mut image = vec![link.output.clone()];
    image.extend(link.aliases.iter().cloned());
    // cargo links `deps/name-hash` and gives it its name by a hard link in the folder above.
    let deps = link
        .output
        .parent()
        .filter(|folder| folder.ends_with("deps"));
    let named = deps
        .and_then(Path::parent)
        .and_then(|above| image.iter().position(|path| path.parent() == Some(above)));
    image.swap(0, named.unwrap_or(0));
    Own {
        image,
        modified: Some(link.image_modified),
        uncaptured: false,
        files: link.companions.clone(),
        foreign: BTreeSet::new(),
        of_others,
        tree: None,
        copies: sources::folder_of(link),
    }
}

/// When a companion was written, where copies of it are given that time.
fn given_time(file: &Companion) -> Option<Modified> {
    let given = file.blob.is_some() && file.kind != CompanionKind::LinkedExecutable;
    given.then_some(file.modified)
}

/// Finds the companions that others have; leaves out, where views can be had, those that are the
/// same in all builds and on the disk, with the time at which they were written.
pub(super) fn only_different(builds: &mut [Vec<Own>], leave_out: bool) -> BTreeSet<PathBuf> {
    let mut all: BTreeMap<PathBuf, BTreeSet<(Digest, Option<Modified>)>> = BTreeMap::new();
    let every = || builds.iter().flatten();
    for file in every().flat_map(|own| &own.files) {
        let known = all.entry(file.path.clone()).or_default();
        known.insert((file.hash.clone(), given_time(file)));
    }
    let captured: Vec<&Own> = every().filter(|own| !own.uncaptured).collect();
    let mut different: BTreeSet<PathBuf> = BTreeSet::new();
    // A folder that no build made is there by chance, or is not.
    let of_builds: BTreeSet<&PathBuf> = every()
        .flat_map(|own| &own.files)
        .filter(|file| file.kind != CompanionKind::FoundFolder)
        .map(|file| &file.path)
        .collect();
    for (path, known) in all.iter().filter(|(path, _)| of_builds.contains(path)) {
        // What lies among copies of sources now is another build's, and is covered.
        let comes_and_goes = leave_out && captured.iter().any(|own| own.is_in_copies(path));
        let lies_there = |(hash, time): &(Digest, Option<Modified>)| {
            let written = || Some(Modified::of(&path.symlink_metadata().ok()?));
            hash_entry(path).is_ok_and(|now| now == *hash) && (time.is_none() || *time == written())
        };
        let one = known.len() == 1 && !comes_and_goes && known.iter().all(lies_there);
        let everywhere = captured
            .iter()
            .all(|own| own.files.iter().any(|file| file.path == *path) || own.image.contains(path));
        if !one || !everywhere {
            different.insert(path.clone());
        }
    }
    // Where one is bound for a build there is a file for all.
    let bound: BTreeSet<PathBuf> = (builds.iter().flatten())
        .flat_map(|own| own.paths().cloned())
        .filter(|_| leave_out)
        .collect();
    for own in builds.iter_mut().flatten() {
        let has = |path: &PathBuf| {
            own.image.contains(path) || own.files.iter().any(|file| file.path == *path)
        };
        own.foreign = different
            .union(&own.of_others)
            .filter(|path| !has(path) && !own.is_in_copies(path))
            .filter(|path| bound.contains(*path) || path.symlink_metadata().is_ok())
            .cloned()
            .collect();
        own.files
            .retain(|file| !leave_out || different.contains(&file.path));
    }
    different
}

/// Names of companions in which captured builds differ, libraries first and plain files last. Cells
/// of a matrix are built in folders of different names: their files are the same where they have
/// the same content at the same place beside the image, and are named by that place.
pub(super) fn unlike(builds: &[Vec<Own>], different: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let every = || builds.iter().flatten();
    // What an executable that nobody captured finds is what lies on the disk.
    let uncaptured = every().any(|own| own.uncaptured);
    let mut all: BTreeMap<PathBuf, Vec<&Companion>> = BTreeMap::new();
    for own in every() {
        let folder = own.image.first().and_then(|image| image.parent());
        // A run that reads what was not kept is refused.
        let is_read = |file: &&Companion| {
            file.blob.is_some() || (file.kind != CompanionKind::File && file.kind.is_file())
        };
        for file in own
            .files
            .iter()
            .filter(|file| different.contains(&file.path))
            .filter(is_read)
        {
            let beside = folder.and_then(|folder| file.path.strip_prefix(folder).ok());
            let place = beside.unwrap_or(&file.path).to_owned();
            all.entry(place).or_default().push(file);
        }
    }
    let owners = every().filter(|own| !own.uncaptured).count();
    let mut unlike: Vec<(bool, PathBuf)> = Vec::new();
    for (beside, files) in all {
        let same = |other: &&Companion| files.iter().all(|file| file.hash == other.hash);
        let lies_there =
            |file: &&Companion| hash_entry(&file.path).is_ok_and(|now| now == file.hash);
        let is_found = !uncaptured || files.iter().all(lies_there);
        if is_found && files.len() == owners && files.first().is_some_and(same) {
            continue;
        }
        let plain = files.iter().any(|file| file.kind == CompanionKind::File);
        let paths: BTreeSet<&Path> = files.iter().map(|file| file.path.as_path()).collect();
        let name = match paths.first() {
            Some(only) if paths.len() == 1 => (*only).to_owned(),
            _ => beside,
        };
        unlike.push((plain, name));
    }
    unlike.sort();
    unlike.into_iter().map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(folder: &str, files: &[(&str, &str)]) -> Vec<Own> {
        let files = files.iter().map(|(name, hash)| Companion {
            path: Path::new(folder).join(name),
            hash: blake3::hash(hash.as_bytes()).into(),
            mode: 0o644,
            modified: Modified {
                seconds: 0,
                nanoseconds: 0,
            },
            kind: CompanionKind::File,
            blob: Some("blob".into()),
        });
        vec![Own {
            image: vec![Path::new(folder).join("prog")],
            modified: None,
            uncaptured: false,
            files: files.collect(),
            foreign: BTreeSet::new(),
            of_others: BTreeSet::new(),
            tree: None,
            copies: None,
        }]
    }

    #[test]
    fn files_of_cells_differ_by_content_and_not_by_the_names_of_their_folders() {
        let mut cells = [
            build("/none/a", &[("notes", "1"), ("data/x", "1"), ("one", "1")]),
            build("/none/b", &[("notes", "1"), ("data/x", "2")]),
        ];
        let different = only_different(&mut cells, true);
        assert_eq!(different.len(), 5, "each path is one build's alone");
        assert_eq!(
            unlike(&cells, &different),
            [Path::new("/none/a/one"), Path::new("data/x")]
        );
    }

    /// A program may compare the times of two files, and the disk has those of the last build.
    #[test]
    fn files_of_one_content_are_each_builds_own_where_their_times_differ() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().canonicalize().unwrap();
        let file = place.join("notes");
        std::fs::write(&file, "1").unwrap();
        let now = Modified::of(&file.metadata().unwrap());
        let bound = |times: [i64; 2]| {
            let mut builds = times.map(|later| {
                let mut own = build(place.to_str().unwrap(), &[("notes", "1")]);
                own[0].files[0].modified.clone_from(&now);
                own[0].files[0].modified.seconds += later;
                own
            });
            let different = only_different(&mut builds, true);
            assert!(unlike(&builds, &different).is_empty(), "the content is one");
            builds.map(|own| own[0].files.len())
        };
        assert_eq!(bound([0, 0]), [0, 0]);
        assert_eq!(bound([0, 1]), [1, 1]);
        assert_eq!(bound([1, 1]), [1, 1]);
    }

    #[test]
    fn a_folder_that_no_build_made_is_there_by_chance() {
        use CompanionKind::{File, FoundFolder, MadeFolder};
        let different = |kinds: [CompanionKind; 2]| {
            let mut builds = [
                build("/none/a", &[("folder", "folder")]),
                build("/none/a", &[("folder", "folder")]),
            ];
            for (own, kind) in builds.iter_mut().zip(kinds) {
                own[0].files[0].kind = kind;
                own[0].files[0].blob = None;
            }
            builds[1][0].files.truncate(usize::from(kinds[1] != File));
            only_different(&mut builds, true).len()
        };
        assert_eq!(different([FoundFolder, File]), 0);
        assert_eq!(different([MadeFolder, File]), 1);
        assert_eq!(different([FoundFolder, MadeFolder]), 1, "it is gone");
    }

    #[test]
    fn what_one_build_has_is_there_for_all_where_it_is_bound() {
        let of = |kept: bool| {
            let mut builds = [build("/none/a", &[("one", "1")]), build("/none/b", &[])];
            if !kept {
                builds[0][0].files[0].blob = None;
            }
            let different = only_different(&mut builds, true);
            let foreign = builds[1][0].foreign.clone();
            (foreign, unlike(&builds, &different))
        };
        let one = PathBuf::from("/none/a/one");
        assert_eq!(of(true), ([one.clone()].into(), vec![one]));
        // Nothing lies there, and no run reads what was not kept.
        assert_eq!(of(false), (BTreeSet::new(), vec![]));
    }
}

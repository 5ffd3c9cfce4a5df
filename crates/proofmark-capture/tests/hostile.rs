//! Patches that were changed at random, applied to a folder: they change what they name and nothing
//! else. Where no file crosses the border of a folder, its part changes nothing outside, the other
//! part nothing inside, and both together what the whole does. CI tries the first ones;
//! `bench/fuzz/run` goes on from there.

#![expect(
    clippy::print_stderr,
    reason = "a test that fails says which input it was"
)]

#[path = "../../../bench/fuzz/mutate.rs"]
mod mutate;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use mutate::{changed, each_seed, generator};
use proofmark_capture::states::git::{Part, apply_part, crossing, names};

/// The files that the patches of the corpus were made for.
const FILES: [(&str, &[u8]); 5] = [
    ("lib/a", b"1\n2\n3\n4\n5\n6\n7\n8\n"),
    ("lib/sub/b", b"1\n2\n3\n4\n5\n6\n7\n8\n"),
    ("src/c", b"x1\nx2\nx3\nx4\nx5\nx6\nx7\nx8\n"),
    ("l \u{e9}/d", b"y1\ny2\ny3\ny4\ny5\ny6\ny7\ny8\n"),
    ("src/bin", b"\0\x01\x02binary"),
];

/// What stands at each path: its kind and mode, and its content or target.
type Tree = BTreeMap<PathBuf, (u32, Vec<u8>)>;

/// A folder with the files of the corpus, in a folder of its own.
fn folder() -> (tempfile::TempDir, PathBuf) {
    let outer = tempfile::tempdir().unwrap();
    let place = outer.path().join("place");
    for (file, content) in FILES {
        let path = place.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    (outer, place)
}

/// All that is in a folder but folders.
fn tree(folder: &Path) -> Tree {
    let entries = walkdir::WalkDir::new(folder).into_iter();
    let entries = entries.map(Result::unwrap);
    let files = entries.filter(|entry| !entry.file_type().is_dir());
    let read = |entry: walkdir::DirEntry| {
        let path = entry.path();
        let content = match entry.path_is_symlink() {
            true => fs::read_link(path)
                .unwrap()
                .into_os_string()
                .into_encoded_bytes(),
            false => fs::read(path).unwrap(),
        };
        let mode = fs::symlink_metadata(path).unwrap().permissions().mode();
        let path = path.strip_prefix(folder).unwrap().to_owned();
        (path, (mode, content))
    };
    files.map(read).collect()
}

/// Applies parts of a patch to the files of the corpus; none where one of them does not apply, or is
/// no patch of these files.
fn applied(patch: &[u8], parts: &[Part<'_>]) -> Option<Tree> {
    let (outer, place) = folder();
    let name = Path::new("h.patch");
    let done = parts
        .iter()
        .all(|part| apply_part(name, patch, &place, *part).is_ok());
    let all = tree(outer.path());
    assert!(
        all.keys().all(|path| path.starts_with("place")),
        "{all:?} is not all in its place"
    );
    // To git `/dev/null` is a name where a patch has lost its line "deleted file".
    let after = done.then(|| tree(&place));
    after.filter(|after| !after.contains_key(Path::new("dev/null")))
}

#[test]
fn patches() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/fuzz/corpus/patch");
    let files = fs::read_dir(corpus).unwrap();
    let mut files: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let corpus: Vec<_> = files.iter().map(|file| fs::read(file).unwrap()).collect();
    let before = tree(&folder().1);
    each_seed(60, |seed| {
        let which = usize::try_from(seed).unwrap() % corpus.len();
        // The first ones as they are.
        let first = usize::try_from(seed).is_ok_and(|seed| seed < corpus.len());
        let patch = match first {
            true => corpus[which].clone(),
            false => changed(&corpus[which], &mut generator(seed)),
        };
        let whole = applied(&patch, &[Part::All]);
        assert!(!first || whole.is_some(), "{}", files[which].display());
        if let Some(after) = &whole {
            let named = names(Path::new("h.patch"), &patch).unwrap();
            for (path, now) in after {
                let is_named = named.contains(path);
                assert!(
                    is_named || before.get(path) == Some(now),
                    "{path:?}, {named:?}"
                );
            }
        }
        for folder in ["lib", "src", "l \u{e9}"].map(Path::new) {
            if crossing(&patch, folder).is_some() {
                continue;
            }
            let (within, without) = (Part::Within(folder), Part::Without(folder));
            let both = applied(&patch, &[within, without]);
            assert!(
                whole.is_none() || both == whole,
                "{folder:?}: {both:?}, {whole:?}"
            );
            for (part, is_within) in [(within, true), (without, false)] {
                let after = applied(&patch, &[part]).unwrap_or_else(|| before.clone());
                let paths = before.keys().chain(after.keys());
                let mut changed = paths.filter(|path| before.get(*path) != after.get(*path));
                let is_meant = |path: &PathBuf| path.starts_with(folder) == is_within;
                assert!(changed.all(is_meant), "{folder:?}: {after:?}");
            }
        }
    });
}

//! What a benchmark's own command names: known before anything runs.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use proofmark_evidence::record::{Benchmark, Stdin};
use proofmark_terms::{Digest, OsText};

use super::content::hashed;

/// Files that the command names, and its standard input.
pub(super) fn named(benchmark: &Benchmark) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = places(benchmark).filter(|path| path.is_file()).collect();
    if let Stdin::File(path) = &benchmark.stdin {
        found.push(PathBuf::from(path.as_ref()));
    }
    found
}

/// What the words of the command, and their values, may stand for: files, folders, or nothing.
pub(super) fn places(benchmark: &Benchmark) -> impl Iterator<Item = PathBuf> {
    let cwd = Path::new(benchmark.cwd.as_ref());
    let words = benchmark.argv.iter().map(|word| word.as_ref().as_bytes());
    let values = benchmark.argv.iter().filter_map(|word| {
        let bytes = word.as_ref().as_bytes();
        let at = bytes.iter().position(|&byte| byte == b'=')?;
        bytes.get(at + 1..)
    });
    words
        .chain(values)
        .filter(|word| !word.is_empty())
        .map(|word| cwd.join(OsStr::from_bytes(word)))
}

/// The hashes of what the command names: for what is known before anything runs. One that cannot be
/// read is told by its first run.
pub(crate) fn named_hashes(benchmark: &Benchmark) -> Vec<(OsText, Digest)> {
    let known = |path: PathBuf| {
        let (hash, _) = hashed(&path).ok().flatten()?;
        Some((path.into(), hash))
    };
    named(benchmark).into_iter().filter_map(known).collect()
}

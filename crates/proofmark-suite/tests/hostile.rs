//! Results of suites that were changed at random: a reader refuses them, or reads them, and never
//! panics. CI tries a few thousand; `bench/fuzz/run` goes on from there.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test says what it tried, and stops at the unexpected"
)]

#[path = "../../../bench/fuzz/mutate.rs"]
mod mutate;

use std::fs;
use std::path::Path;

use mutate::{changed, each_seed, generator};
use proofmark_suite::{Format, difference};

/// The files of a folder of the corpus, in the order of their names.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/fuzz/corpus");
    let entries = fs::read_dir(folder.join(name)).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

fn tried(format: Format, name: &str) {
    let corpus = corpus(name);
    let whole: Vec<_> = corpus.iter().map(|text| format.read(text)).collect();
    each_seed(5_000, |seed| {
        let mut random = generator(seed);
        let which = usize::try_from(seed).unwrap() % corpus.len();
        let text = changed(&corpus[which], &mut random);
        let Ok(read) = format.read(&text) else {
            return;
        };
        let counts = read.counts();
        let all = counts.passed + counts.failed + counts.skipped + counts.expected_failures;
        assert_eq!(all, read.len());
        if let Ok(base) = &whole[which] {
            let _ = difference(std::slice::from_ref(base), &read);
        }
    });
}

#[test]
fn junit() {
    tried(Format::Junit, "junit");
}

#[test]
fn tap() {
    tried(Format::Tap, "tap");
}

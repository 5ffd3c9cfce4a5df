//! Bundles that somebody put together by hand: changed as files, and changed in their records with
//! every name, chain and digest made right again. A reader refuses them, or verifies them, and
//! never panics. CI tries the first; `bench/fuzz/run` goes on from there.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test says what it tried, and stops at the unexpected"
)]

#[path = "../../../bench/fuzz/mutate.rs"]
mod mutate;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use mutate::{changed, each_seed, generator};
use proofmark_conclude::verify::verify;
use proofmark_evidence::Store;
use proofmark_evidence::bundle::Content;
use rand::RngExt as _;
use rand::seq::IndexedRandom as _;
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// The bundles of the corpus, in the order of their names.
fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/fuzz/corpus/bundle");
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Verifies a file, whatever it is.
fn looked_at(path: &Path) -> Option<bool> {
    let store = Store::open_bundle(path).ok()?;
    verify(&store).ok().map(|found| found.holds())
}

#[test]
fn the_corpus_holds() {
    for file in corpus() {
        assert_eq!(looked_at(&file), Some(true), "{}", file.display());
    }
}

#[test]
fn files_that_were_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("changed.pmb");
    let whole: Vec<Vec<u8>> = corpus()
        .iter()
        .map(|file| fs::read(file).unwrap())
        .collect();
    each_seed(300, |seed| {
        let which = usize::try_from(seed).unwrap() % whole.len();
        let bytes = changed(&whole[which], &mut generator(seed));
        fs::write(&file, bytes).unwrap();
        let _ = looked_at(&file);
    });
}

#[test]
fn records_that_were_changed_and_sealed_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sealed.pmb");
    let texts: Vec<String> = corpus()
        .iter()
        .map(|file| Content::read(file).unwrap().text().to_owned())
        .collect();
    let (refused, other, same) = (Count::default(), Count::default(), Count::default());
    each_seed(40, |seed| {
        let mut random = generator(seed);
        let which = usize::try_from(seed).unwrap() % texts.len();
        let text = sealed_again(&texts[which], &mut random);
        let packed = zstd::encode_all(text.as_bytes(), 1).unwrap();
        fs::write(&file, packed).unwrap();
        match looked_at(&file) {
            None => refused.one(),
            Some(false) => other.one(),
            Some(true) => same.one(),
        }
    });
    println!(
        "{} refused, {} not as claimed, {} as claimed",
        refused.0.get(),
        other.0.get(),
        same.0.get()
    );
    // Were names not made right again, all of them would be refused before anything is read.
    assert!(other.0.get() > 0);
}

#[derive(Default)]
struct Count(std::cell::Cell<u32>);

impl Count {
    fn one(&self) {
        self.0.set(self.0.get() + 1);
    }
}

/// The content with one to three values changed, and every name, chain and digest right.
fn sealed_again(text: &str, random: &mut ChaCha8Rng) -> String {
    let (manifest, rest) = text.split_once('\n').unwrap();
    let mut lines: Vec<Value> = rest
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for _ in 0..random.random_range(1..=3) {
        let which = random.random_range(0..lines.len());
        // A block is most of the bytes, and the ends of chains are what is computed.
        let line = &mut lines[which];
        if let Some(record) = line.get_mut("record") {
            change(record, random);
        }
    }
    let mut names: HashMap<String, String> = HashMap::new();
    let mut whole = String::new();
    let old = rest
        .lines()
        .map(|line| blake3::hash(line.as_bytes()).to_hex().to_string());
    for (line, old) in lines.iter().zip(old) {
        let mut line = line.to_string();
        // Names of other records, before and elsewhere, have changed with them.
        for (before, now) in &names {
            if line.contains(before.as_str()) {
                line = line.replace(before.as_str(), now);
            }
        }
        let name = blake3::hash(line.as_bytes()).to_hex().to_string();
        if name != old {
            names.insert(old, name);
        }
        whole.push_str(&line);
        whole.push('\n');
    }
    let mut manifest: Value = serde_json::from_str(manifest).unwrap();
    manifest["digest"] = blake3::hash(whole.as_bytes()).to_hex().to_string().into();
    let mut manifest = manifest.to_string();
    for (before, now) in &names {
        manifest = manifest.replace(before.as_str(), now);
    }
    format!("{manifest}\n{whole}")
}

/// Changes a value somewhere in this one.
fn change(value: &mut Value, random: &mut ChaCha8Rng) {
    let deeper = random.random_range(0..8) != 0;
    match value {
        Value::Object(all) if deeper && !all.is_empty() => {
            let names: Vec<String> = all.keys().cloned().collect();
            let name = names.choose(random).unwrap();
            match random.random_range(0..20) {
                0 => drop(all.remove(name)),
                _ => change(all.get_mut(name).unwrap(), random),
            }
        }
        Value::Array(all) if deeper && !all.is_empty() => {
            let at = random.random_range(0..all.len());
            match random.random_range(0..8) {
                0 => drop(all.remove(at)),
                1 => all.insert(at, all[at].clone()),
                2 => all.truncate(at),
                3 => all.reverse(),
                _ => change(&mut all[at], random),
            }
        }
        Value::Bool(is) => *is = !*is,
        Value::Number(number) => {
            let own = number.as_f64().unwrap_or_default();
            let others = [
                Value::from(0),
                Value::from(1),
                Value::from(-1),
                Value::from(own * 1.001),
                Value::from(own + 1.0),
                Value::from(number.as_u64().unwrap_or_default().saturating_add(1)),
                Value::from(u32::MAX),
                Value::from(u64::MAX),
                Value::from(i64::MIN),
                Value::from(f64::MAX),
                Value::from(f64::MIN_POSITIVE),
                Value::from(-own),
            ];
            *value = others.choose(random).unwrap().clone();
        }
        _ => {
            let others = [
                Value::Null,
                Value::from(""),
                Value::from("../../etc/passwd"),
                Value::from("⟨private 0⟩"),
                Value::from("0".repeat(64)),
                Value::from(0.5),
                Value::Array(Vec::new()),
                Value::Object(serde_json::Map::new()),
            ];
            *value = others.choose(random).unwrap().clone();
        }
    }
}

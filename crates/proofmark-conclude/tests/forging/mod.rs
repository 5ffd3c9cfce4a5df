//! A bundle changed by somebody who makes every name and digest right again.

use std::collections::HashMap;
use std::path::Path;

use proofmark_conclude::verify::{Verification, verify};
use proofmark_evidence::Store;
use proofmark_evidence::bundle::Content;
use serde_json::Value;

/// What `verify` finds of a bundle of the corpus, after its records of this kind were changed.
pub(crate) fn found(bundle: &str, kind: &str, change: impl Fn(&mut Value)) -> Verification {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/fuzz/corpus/bundle");
    let content = Content::read(&corpus.join(bundle)).unwrap();
    let (manifest, rest) = content.text().split_once('\n').unwrap();
    let mut names: HashMap<String, String> = HashMap::new();
    let renamed = |text: &str, names: &HashMap<String, String>| {
        let names = names.iter();
        names.fold(text.to_owned(), |text, (old, new)| text.replace(old, new))
    };
    let mut whole = String::new();
    for line in rest.lines() {
        let mut record: Value = serde_json::from_str(line).unwrap();
        if record["kind"] == kind {
            change(&mut record);
        }
        let changed = renamed(&record.to_string(), &names);
        let name = |line: &str| blake3::hash(line.as_bytes()).to_hex().to_string();
        if changed != line {
            names.insert(name(line), name(&changed));
        }
        whole.push_str(&changed);
        whole.push('\n');
    }
    let manifest = renamed(manifest, &names);
    opened(serde_json::from_str(&manifest).unwrap(), &whole)
}

/// What `verify` finds of these lines, behind a manifest whose digest is made right.
pub(crate) fn opened(mut manifest: Value, whole: &str) -> Verification {
    manifest["digest"] = blake3::hash(whole.as_bytes()).to_hex().to_string().into();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("changed.pmb");
    let packed = zstd::encode_all(format!("{manifest}\n{whole}").as_bytes(), 1).unwrap();
    std::fs::write(&file, packed).unwrap();
    verify(&Store::open_bundle(&file).unwrap()).unwrap()
}

//! Each way in which a bundle can be bad, by name: what is told, and that nothing is waited for or
//! unpacked without bounds.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use proofmark_conclude::verify::{Finding, verify};
use proofmark_evidence::bundle::{BundleError, Content};
use proofmark_evidence::{ChainSort, Store, StoreError};
use serde_json::Value;

const CORPUS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../bench/fuzz/corpus/bundle/all.pmb"
);

/// The manifest and the lines of a good bundle.
fn good() -> (Value, Vec<String>) {
    let content = Content::read(Path::new(CORPUS)).unwrap();
    let mut lines = content.text().lines();
    let manifest = serde_json::from_str(lines.next().unwrap()).unwrap();
    (manifest, lines.map(str::to_owned).collect())
}

/// A file of these lines whose manifest has the right digest and numbers of lines.
fn sealed(folder: &Path, mut manifest: Value, lines: &[String]) -> PathBuf {
    let rest: String = lines.iter().map(|line| format!("{line}\n")).collect();
    manifest["digest"] = blake3::hash(rest.as_bytes()).to_hex().to_string().into();
    manifest["records"] = (lines.len() as u64 - manifest["private"].as_u64().unwrap()).into();
    packed(folder, format!("{manifest}\n{rest}").as_bytes())
}

fn packed(folder: &Path, content: &[u8]) -> PathBuf {
    let file = folder.join("made.pmb");
    fs::write(&file, zstd::encode_all(content, 1).unwrap()).unwrap();
    file
}

fn refused(file: &Path) -> String {
    match Store::open_bundle(file) {
        Err(error) => error.to_string(),
        Ok(store) => verify(&store).unwrap_err().to_string(),
    }
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for path in [
        &pipe,
        Path::new("/dev/zero"),
        Path::new("/dev/null"),
        folder.path(),
    ] {
        let said = Content::read(path).unwrap_err().to_string();
        assert!(said.contains("it is no file"), "{said}");
    }
}

#[test]
fn a_bomb_is_refused_by_what_it_declares_and_by_what_it_unpacks_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bomb.pmb");
    // RFC 8878, section 3.1.1: a magic number, eight bytes of size, and nothing of it.
    let mut declared = vec![0x28, 0xb5, 0x2f, 0xfd, 0b1110_0000];
    declared.extend(100_000_000_000_u64.to_le_bytes());
    declared.extend([1, 0, 0]);
    fs::write(&file, declared).unwrap();
    let error = Content::read(&file).unwrap_err();
    assert!(
        matches!(error, BundleError::TooLarge { most, .. } if most == 16 << 20),
        "{error}"
    );
    let mut encoder = zstd::Encoder::new(fs::File::create(&file).unwrap(), 1).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..64 {
        encoder.write_all(&zeros).unwrap();
    }
    encoder.finish().unwrap();
    let error = Content::read(&file).unwrap_err();
    assert!(matches!(error, BundleError::TooLarge { .. }), "{error}");
}

#[test]
fn a_manifest_is_held_against_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (manifest, lines) = good();
    let changes: [(&str, Value, &str); 4] = [
        ("chains", 99.into(), "its manifest says 99"),
        (
            "asked",
            vec!["0".repeat(64)].into(),
            "was asked for and is not in it",
        ),
        ("version", 1e3.into(), "is no manifest"),
        ("format", "../../etc/passwd".into(), "it says that it is"),
    ];
    for (key, value, told) in changes {
        let mut manifest = manifest.clone();
        manifest[key] = value;
        let said = refused(&sealed(folder.path(), manifest, &lines));
        assert!(said.contains(told), "{told}: {said}");
    }
    let whole = sealed(folder.path(), manifest, &lines);
    assert!(
        verify(&Store::open_bundle(&whole).unwrap())
            .unwrap()
            .holds()
    );
}

#[test]
fn records_twice_left_out_moved_or_of_no_form_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let (manifest, lines) = good();
    let mut twice = lines.clone();
    twice.push(lines[3].clone());
    let mut left_out = lines.clone();
    left_out.remove(1);
    let mut moved = lines.clone();
    moved.swap(1, 2);
    let mut no_form = lines.clone();
    no_form[2] = "{}".to_owned();
    let mut part = lines.clone();
    part.push(r#"{"salt":"","values":[]}"#.to_owned());
    let mut with_part = manifest.clone();
    with_part["private"] = 1.into();
    for (manifest, lines, told) in [
        (&manifest, twice, "is there twice"),
        (&manifest, left_out, "is damaged"),
        (&manifest, moved, "is damaged"),
        (&manifest, no_form, "missing field"),
        (&with_part, part, "belongs to no record"),
    ] {
        let said = refused(&sealed(folder.path(), manifest.clone(), &lines));
        assert!(said.contains(told), "{told}: {said}");
    }
}

#[test]
fn numbers_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (manifest, lines) = good();
    let at = lines
        .iter()
        .position(|line| line.contains(r#""kind":"conclusion""#))
        .unwrap();
    for bad in [
        "NaN", "1e999", "-1e999", "Infinity", "0x10", "\"1\"", "null",
    ] {
        let mut lines = lines.clone();
        let (before, rest) = lines[at].split_once(r#""spread":"#).unwrap();
        let rest = rest
            .trim_start_matches(|letter: char| letter.is_ascii_digit() || ".e-+".contains(letter));
        lines[at] = format!(r#"{before}"spread":{bad}{rest}"#);
        let said = refused(&sealed(folder.path(), manifest.clone(), &lines));
        assert!(
            said.contains("damaged") || said.contains("not a whole bundle"),
            "{bad}: {said}"
        );
    }
}

/// They need no matrix and no manifest's word: each stands for itself.
#[test]
fn many_experiments_are_verified_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let (mut manifest, lines) = good();
    let first = lines
        .iter()
        .find(|line| line.contains(r#""kind":"experiment""#))
        .unwrap();
    let first: Value = serde_json::from_str(first).unwrap();
    let many: Vec<String> = (0..2_000_u64)
        .map(|seed| {
            let mut one = first.clone();
            one["record"]["seed"] = seed.to_string().into();
            if first["record"]["seed"].is_number() {
                one["record"]["seed"] = seed.into();
            }
            one.to_string()
        })
        .collect();
    manifest["chains"] = many.len().into();
    manifest["private"] = 0.into();
    manifest["asked"] = Vec::<Value>::new().into();
    let file = sealed(folder.path(), manifest, &many);
    let found = verify(&Store::open_bundle(&file).unwrap()).unwrap();
    assert_eq!(found.chains.len(), many.len());
    assert!(
        found
            .chains
            .iter()
            .all(|chain| chain.finding == Finding::NothingClaimed)
    );
}

/// A matrix that names one experiment a million times would ask for a million times its memory.
#[test]
fn a_matrix_with_one_experiment_twice_is_not_as_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let (mut manifest, lines) = good();
    let of = |line: &String| serde_json::from_str::<Value>(line).unwrap();
    let mut matrix = lines
        .iter()
        .map(of)
        .find(|line| line["kind"] == "matrix")
        .unwrap();
    let members = matrix["record"]["members"].as_array_mut().unwrap();
    let member = members[0].clone();
    let experiment = member["experiment"].as_str().unwrap().to_owned();
    members.extend(vec![member; 1000]);
    let own = |line: &&String| line.contains(&experiment) || name(line) == experiment;
    let mut kept: Vec<String> = lines
        .iter()
        .filter(own)
        .filter(|line| {
            ["matrix", "ledger"]
                .iter()
                .all(|kind| !line.contains(&format!(r#""kind":"{kind}"#)))
        })
        .cloned()
        .collect();
    kept.push(matrix.to_string());
    manifest["chains"] = 2.into();
    manifest["asked"] = Vec::<Value>::new().into();
    let file = sealed(folder.path(), manifest, &kept);
    match Store::open_bundle(&file).map(|store| verify(&store)) {
        Ok(Ok(found)) => {
            let matrix = found
                .chains
                .iter()
                .find(|one| one.sort == ChainSort::Matrix)
                .unwrap();
            assert!(
                !matrix.holds() || matrix.finding == Finding::NothingClaimed,
                "{matrix:?}"
            );
            let twice = Finding::NotConcluded {
                why: "an experiment is its member twice".to_owned(),
            };
            assert_eq!(matrix.finding, twice);
        }
        Ok(Err(StoreError::DamagedRecord { what, .. })) => unreachable!("{what}"),
        other => unreachable!("{other:?}"),
    }
}

fn name(line: &str) -> String {
    blake3::hash(line.as_bytes()).to_hex().to_string()
}

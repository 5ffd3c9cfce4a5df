//! Files behind the text of a bundle: as they went in, or refused.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_evidence::bundle::{
    BundleError, Content, EnclosedCapture, Enclosing, Packed, Packing, ToEnclose,
};
use proofmark_evidence::record::{BuildOrigin, Images};
use proofmark_evidence::{Enclosed, LockedStore, Store};
use proofmark_terms::Digest;
use tempfile::{TempDir, tempdir};

use crate::made;

fn digest(content: &[u8]) -> Digest {
    blake3::hash(content).into()
}

/// A store with an experiment whose builds have these images, and files to enclose.
struct Given {
    folder: TempDir,
    enclosing: Enclosing,
}

impl Given {
    /// `stray` is enclosed as well, and no record names it.
    fn of(images: [&[u8]; 2], stray: Option<&[u8]>) -> Given {
        let folder = tempdir().unwrap();
        let mut experiment = made::experiment(1);
        let mut enclosing = Enclosing::default();
        for (build, content) in experiment.builds.iter_mut().zip(images) {
            build.images = Images::of_program("fib", digest(content));
            build.origin = BuildOrigin::Executable {
                path: "/x/fib".into(),
            };
            enclosing.files.push(enclosed(folder.path(), content));
        }
        enclosing
            .files
            .extend(stray.map(|content| enclosed(folder.path(), content)));
        let mut store = LockedStore::open(folder.path()).unwrap();
        store.begin("key", &experiment).unwrap();
        Given { folder, enclosing }
    }

    fn packed(&self) -> Result<Packed, BundleError> {
        let store = Store::open(self.folder.path()).unwrap();
        let bundled = store.bundled(&["latest".to_owned()]).unwrap();
        let packing = Packing::default();
        Packed::enclosing(&store, &bundled, packing, "test", &self.enclosing)
    }

    fn bundle(&self) -> PathBuf {
        let file = self.folder.path().join("made.pmb");
        self.packed().unwrap().write(&file).unwrap();
        file
    }
}

fn enclosed(folder: &Path, content: &[u8]) -> ToEnclose {
    let path = folder.join(format!("file-{}", digest(content)));
    fs::write(&path, content).unwrap();
    ToEnclose {
        digest: digest(content),
        path,
        what: "the image of base, fib".to_owned(),
    }
}

/// As `verify` does.
fn verified(file: &Path) -> Result<Enclosed, BundleError> {
    let content = Content::read(file)?;
    Store::open_bundle(file)?.enclosed(content.enclosures())
}

fn refused(file: &Path) -> String {
    let error = verified(file).unwrap_err();
    assert!(matches!(error, BundleError::Damaged { .. }), "{error}");
    error.to_string()
}

#[test]
fn files_come_out_as_they_went_in_and_equal_files_are_equal_bytes() {
    let large: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    let given = Given::of([b"base", &large], None);
    let file = given.bundle();
    let first = fs::read(&file).unwrap();
    assert_eq!(fs::read(given.bundle()).unwrap(), first);
    let found = verified(&file).unwrap();
    assert_eq!((found.images, found.captures, found.objects), (2, 0, 0));
    assert_eq!(found.bytes, 1_200_004);
    let content = Content::read(&file).unwrap();
    let enclosures = content.enclosures();
    for image in [&b"base"[..], &large] {
        let place = given.folder.path().join("out");
        enclosures.extract(&digest(image), &place).unwrap();
        assert!(fs::read(&place).unwrap() == image);
    }
    let none = enclosures.extract(&digest(b"other"), &given.folder.path().join("out"));
    assert!(none.unwrap_err().to_string().contains("has no file"));
    // Whoever reads text alone passes over them.
    let text = zstd::stream::decode_all(&*first).unwrap();
    assert_eq!(text, content.text().as_bytes());
}

#[test]
fn a_bundle_without_files_is_of_the_first_version_and_names_none() {
    let mut given = Given::of([b"base", b"new"], None);
    given.enclosing = Enclosing::default();
    let packed = given.packed().unwrap();
    let line = packed.text().lines().next().unwrap();
    assert!(line.contains(r#""version":1"#), "{line}");
    assert!(
        !line.contains("files") && !line.contains("captures"),
        "{line}"
    );
}

#[test]
fn one_changed_byte_behind_the_text_is_found() {
    let given = Given::of([b"base", b"new"], None);
    let file = given.bundle();
    let whole = fs::read(&file).unwrap();
    let begin = whole
        .windows(4)
        .position(|four| four == [0x50, 0x2a, 0x4d, 0x18])
        .unwrap();
    for at in begin..whole.len() {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        fs::write(&file, changed).unwrap();
        match verified(&file) {
            Err(BundleError::Damaged { .. }) => {}
            other => unreachable!("byte {at}: {other:?}"),
        }
        fs::write(&file, &whole[..at]).unwrap();
        refused(&file);
    }
    fs::write(&file, [&whole[..], &whole[begin..]].concat()).unwrap();
    assert!(refused(&file).contains("more follows behind its end"));
}

#[test]
fn what_no_record_names_is_refused() {
    let stray = Given::of([b"base", b"new"], Some(b"something else"));
    assert!(refused(&stray.bundle()).contains("which no record in it names"));
    // Also where it passes for a capture that no experiment rests on, or for the file of one.
    let record = format!("{{\"blob\":\"{}\"}}", digest(b"object"));
    for (id, told) in [
        ("5e", None),
        ("6e", Some("no experiment in it has such a build")),
    ] {
        let mut given = Given::of([b"base", b"new"], Some(record.as_bytes()));
        let mut experiment = made::experiment(2);
        for build in &mut experiment.builds {
            build.images = Images::of_program("fib", digest(b"base"));
        }
        let mut store = LockedStore::open(given.folder.path()).unwrap();
        store.begin("captured", &experiment).unwrap();
        drop(store);
        given
            .enclosing
            .files
            .retain(|file| file.digest != digest(b"new"));
        let object = enclosed(given.folder.path(), b"object");
        given.enclosing.files.push(object);
        given.enclosing.captures.push(EnclosedCapture {
            id: id.repeat(32).parse().unwrap(),
            record: digest(record.as_bytes()),
        });
        let file = given.bundle();
        match told {
            Some(told) => assert!(refused(&file).contains(told)),
            None => assert_eq!(verified(&file).unwrap().objects, 2),
        }
    }
}

/// A bundle whose manifest says otherwise of its files than what stands there.
fn forged(given: &Given, change: &dyn Fn(&mut serde_json::Value)) -> PathBuf {
    let file = given.bundle();
    let whole = fs::read(&file).unwrap();
    let begin = whole
        .windows(4)
        .position(|four| four == [0x50, 0x2a, 0x4d, 0x18])
        .unwrap();
    let content = Content::read(&file).unwrap();
    let (line, rest) = content.text().split_once('\n').unwrap();
    let mut manifest = serde_json::from_str(line).unwrap();
    change(&mut manifest);
    let text = zstd::encode_all(format!("{manifest}\n{rest}").as_bytes(), 1).unwrap();
    fs::write(&file, [&text, &whole[begin..]].concat()).unwrap();
    file
}

#[test]
fn what_a_manifest_says_of_files_is_held_against_them() {
    let given = Given::of([b"base", b"new"], None);
    let huge = forged(&given, &|manifest| {
        manifest["files"][0]["bytes"] = 100_000_000_000_u64.into();
    });
    let error = verified(&huge).unwrap_err();
    assert!(matches!(error, BundleError::TooLarge { .. }), "{error}");
    let shorter = forged(&given, &|manifest| manifest["files"][0]["bytes"] = 2.into());
    assert!(refused(&shorter).contains("is not what its digest says"));
    let of_text = forged(&given, &|manifest| manifest["version"] = 1.into());
    assert!(refused(&of_text).contains("has no files"));
    let moved = forged(&given, &|manifest| {
        manifest["files"].as_array_mut().unwrap().swap(0, 1);
    });
    assert!(refused(&moved).contains("the order of the others"));
    let none = forged(&given, &|manifest| {
        manifest["files"].as_array_mut().unwrap().clear();
    });
    assert!(refused(&none).contains("more follows"));
}

/// Every checksum in the file is right.
#[test]
fn a_file_in_the_place_of_another_one_is_found() {
    let given = Given::of([b"base", b"next"], None);
    let file = given.bundle();
    let whole = fs::read(&file).unwrap();
    let begins = |four: &&[u8]| *four == [0x50, 0x2a, 0x4d, 0x18];
    let frames: Vec<usize> = (whole.windows(4).enumerate())
        .filter(|(_, four)| begins(four))
        .map(|(at, _)| at)
        .collect();
    let [one, two] = frames[..] else {
        unreachable!("{frames:?}");
    };
    let swapped = [&whole[..one], &whole[two..], &whole[one..two]].concat();
    fs::write(&file, swapped).unwrap();
    assert!(refused(&file).contains("is not what its digest says"));
}

#[test]
fn what_was_changed_or_holds_a_secret_does_not_go_in() {
    let given = Given::of([b"base", b"new"], None);
    fs::write(&given.enclosing.files[1].path, "newer").unwrap();
    let error = given.packed().unwrap_err().to_string();
    assert!(error.contains("the image of base, fib"), "{error}");
    assert!(error.contains("changed since it was measured"), "{error}");
    let secret = Given::of([b"base", b"\0\0glpat-abcdefghijklmnopqrstuv\0"], None);
    let error = secret.packed().unwrap_err();
    assert!(matches!(error, BundleError::Secrets { .. }), "{error}");
    assert!(
        error.to_string().contains("the image of base, fib"),
        "{error}"
    );
}

//! Evidence given away in a bundle: it holds as it was recorded, and a change to anything is found,
//! also where every name was made right again.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod claims;
#[path = "../support/conducted.rs"]
mod conducted;
#[path = "../support/mod.rs"]
mod support;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use conducted::conducted;
use proofmark_conclude::verify::{Finding, Implausible, Verification, verify};
use proofmark_evidence::bundle::{
    BundleError, Content, Enclosing, Packed, Packing, ToEnclose, VERSION,
};
use proofmark_evidence::record::{ArmRef, Block, Build, Experiment, Question, Round, Stop};
use proofmark_evidence::{LockedStore, Recorded, Store};
use proofmark_lab::Silent;
use proofmark_terms::{ArmIndex, BuildIndex, Digest};
use support::{World, experiment};

/// A world whose clock goes on with the runs, as clocks do.
fn world() -> World {
    World {
        ticks: true,
        ..World::new(1.03_f64.ln())
    }
}

fn recorded(folder: &Path, question: Question) -> Recorded {
    let mut store = LockedStore::open(folder).unwrap();
    conducted(&mut store, experiment(question), &mut world(), &mut Silent)
}

/// Writes the same experiment down again, as somebody would who makes every name right.
fn forged(recorded: &Recorded, folder: &Path) -> Store {
    let mut store = LockedStore::open(folder).unwrap();
    let id = store.begin("key", &recorded.experiment).unwrap();
    store.pilot(&id, recorded.pilot.as_ref().unwrap()).unwrap();
    for block in &recorded.blocks {
        store.block(&id, block).unwrap();
    }
    if let Some(conclusion) = &recorded.conclusion {
        store.conclude(&id, conclusion).unwrap();
    }
    if let Some(conclusion) = &recorded.null_conclusion {
        store.null_conclusion(&id, conclusion).unwrap();
    }
    store.unlocked()
}

fn bundle_of(folder: &Path, packing: Packing) -> Packed {
    let store = Store::open(folder).unwrap();
    let bundled = store.bundled(&["latest".to_owned()]).unwrap();
    Packed::new(&store, &bundled, packing, "test").unwrap()
}

fn bundled(folder: &Path) -> PathBuf {
    let file = folder.join("evidence.pmb");
    bundle_of(folder, Packing::default()).write(&file).unwrap();
    file
}

fn one(verification: &Verification) -> (&Finding, &[Implausible]) {
    let [chain] = verification.chains.as_slice() else {
        unreachable!("one experiment was recorded: {verification:?}");
    };
    (&chain.finding, &chain.implausible)
}

#[test]
fn what_was_recorded_holds_in_a_store_and_in_a_bundle() {
    for question in [Question::Compare, Question::Null] {
        let folder = tempfile::tempdir().unwrap();
        recorded(folder.path(), question);
        let file = bundled(folder.path());
        for store in [
            Store::open(folder.path()).unwrap(),
            Store::open(&file).unwrap(),
        ] {
            let found = verify(&store).unwrap();
            assert!(found.holds(), "{found:?}");
            let (finding, _) = one(&found);
            assert!(
                matches!(finding, Finding::AsClaimed { numbers } if *numbers > 10),
                "{finding:?}"
            );
        }
    }
}

/// A step of a bisection is over as soon as the commit has its place. Against the end that it is
/// like it has no verdict then.
#[test]
fn a_step_of_a_bisection_holds_though_one_end_is_undecided() {
    let folder = tempfile::tempdir().unwrap();
    let mut asked = experiment(Question::Between);
    let newer = asked.builds[1].clone();
    asked.builds.push(Build {
        name: "newer".to_owned(),
        ..newer
    });
    let mut world = World {
        as_base: Some(2),
        ..world()
    };
    let mut store = LockedStore::open(folder.path()).unwrap();
    let recorded = conducted(&mut store, asked.clone(), &mut world, &mut Silent);
    drop(store);
    let conclusion = recorded.conclusion.unwrap();
    assert_eq!(conclusion.stop, Stop::Decided);
    assert!(!conclusion.comparisons[1].verdict.is_decided());
    let found = verify(&Store::open(folder.path()).unwrap()).unwrap();
    assert!(found.holds(), "{found:?}");

    // Halfway between ends that are as it is, it never has a place.
    world.effect = 0.0;
    let other = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(other.path()).unwrap();
    let mut recorded = conducted(&mut store, asked, &mut world, &mut Silent);
    drop(store);
    let conclusion = recorded.conclusion.as_mut().unwrap();
    assert_eq!(conclusion.stop, Stop::Blocks);
    conclusion.stop = Stop::Decided;
    let other = tempfile::tempdir().unwrap();
    let found = verify(&forged(&recorded, other.path())).unwrap();
    assert!(!found.holds(), "{found:?}");
}

#[test]
fn equal_evidence_is_equal_bytes_and_a_bundle_can_be_bundled() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path(), Question::Compare);
    let first = std::fs::read(bundled(folder.path())).unwrap();
    let file = bundled(folder.path());
    assert_eq!(std::fs::read(&file).unwrap(), first);
    let again = Store::open(&file).unwrap();
    let chains = again.bundled(&["latest".to_owned()]).unwrap();
    let again = Packed::new(&again, &chains, Packing::default(), "test").unwrap();
    assert_eq!(again.digest(), Content::read(&file).unwrap().digest());
    assert!(matches!(
        LockedStore::open(&file),
        Err(proofmark_evidence::StoreError::ReadOnly { .. })
    ));
}

/// One sample is made better, and all digests are right.
#[test]
fn an_edited_sample_changes_a_number_that_is_claimed() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorded = recorded(folder.path(), Question::Compare);
    let arm = |build: u32| ArmRef::Drawn {
        build: BuildIndex(build),
    };
    let block = &mut recorded.blocks[3];
    let place = |arm: ArmRef| block.arms.iter().position(|&each| each == arm).unwrap();
    let pair = [0, 1].map(|build| ArmIndex::at(place(arm(build))));
    let schedule = recorded.pilot.as_ref().unwrap().schedule;
    let is_compared = |round: &Round| {
        round.schedule == schedule && pair.iter().all(|&arm| round.run_of(arm).is_some())
    };
    let number = block.rounds.iter().position(is_compared).unwrap();
    block.rounds[number].runs[0].value *= 0.999;
    let number = u32::try_from(number).unwrap();
    let other = tempfile::tempdir().unwrap();
    let found = verify(&forged(&recorded, other.path())).unwrap();
    let (finding, implausible) = one(&found);
    assert!(!found.holds());
    assert!(
        matches!(finding, Finding::Otherwise(all) if all.iter().any(|one| one.at.contains("interval"))),
        "{finding:?}"
    );
    let edited = Implausible::Value {
        block: 3,
        round: number,
    };
    assert_eq!(implausible, [edited]);
}

#[test]
fn an_edited_claim_is_named_with_both_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorded = recorded(folder.path(), Question::Compare);
    let conclusion = recorded.conclusion.as_mut().unwrap();
    conclusion.comparisons[0].median *= 1.001;
    conclusion.warnings.clear();
    let other = tempfile::tempdir().unwrap();
    let found = verify(&forged(&recorded, other.path())).unwrap();
    let (Finding::Otherwise(all), []) = one(&found) else {
        panic!("{found:?}");
    };
    assert_eq!(all[0].at, "comparisons[0].median");
    assert_ne!(all[0].claimed, all[0].found);
}

type Change = fn(&mut Experiment, &mut Vec<Block>);

/// What somebody does who puts samples together by hand.
#[test]
fn samples_that_belong_to_no_measurement_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let recorded = recorded(folder.path(), Question::Compare);
    let changes: [(Change, Implausible); 7] = [
        (
            // The faster one is said to be the base.
            |experiment, blocks| {
                let digests: [Digest; 2] =
                    ["a", "b"].map(|digit| digit.repeat(64).parse().unwrap());
                for (build, digest) in experiment.builds.iter_mut().zip(&digests) {
                    build.images.program.digest = digest.clone();
                }
                for block in blocks {
                    for (arm, image) in block.arms.iter().zip(&mut block.images) {
                        if let ArmRef::AsShipped { build } = arm {
                            *image = digests[1 - build.place()].clone();
                        }
                    }
                }
            },
            Implausible::Image { block: 0 },
        ),
        (
            // What the files would have told is left out.
            |_, blocks| {
                let is_shipped = |arm: &ArmRef| matches!(arm, ArmRef::AsShipped { .. });
                let shipped = blocks[1].arms.iter().position(is_shipped).unwrap();
                blocks[1].arms.truncate(shipped);
                blocks[1].images.truncate(shipped);
                let left = |round: &Round| round.order.iter().all(|arm| arm.place() < shipped);
                blocks[1].rounds.retain(left);
            },
            Implausible::Arms { block: 1 },
        ),
        (
            |experiment, _| experiment.seed += 1,
            Implausible::Layout { block: 0 },
        ),
        (
            |_, blocks| blocks[2].began_ms = blocks[1].began_ms,
            Implausible::Early { block: 2 },
        ),
        (
            |_, blocks| blocks[4].took_ms = 0,
            Implausible::Crowded { block: 4 },
        ),
        (
            |_, blocks| {
                let copied = blocks[1].rounds[1].runs.clone();
                blocks[1].rounds[2].runs = copied;
            },
            Implausible::Repeated { block: 1, round: 2 },
        ),
        (
            |_, blocks| {
                let rounds = blocks.iter_mut().flat_map(|block| &mut block.rounds);
                for run in rounds.flat_map(|round| &mut round.runs) {
                    run.wall_ns = run.wall_ns / 1000 * 1000;
                }
            },
            Implausible::Rounded,
        ),
    ];
    for (change, expected) in changes {
        let mut recorded = recorded.clone();
        change(&mut recorded.experiment, &mut recorded.blocks);
        let other = tempfile::tempdir().unwrap();
        let found = verify(&forged(&recorded, other.path())).unwrap();
        let (_, implausible) = one(&found);
        assert!(implausible.contains(&expected), "{expected:?}: {found:?}");
        assert!(!found.holds());
    }
}

#[test]
fn a_plan_of_other_rounds_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut recorded = recorded(folder.path(), Question::Compare);
    recorded.pilot.as_mut().unwrap().rounds += 1;
    let other = tempfile::tempdir().unwrap();
    let found = verify(&forged(&recorded, other.path())).unwrap();
    let (_, implausible) = one(&found);
    let expected = Implausible::Rounds { block: 0 };
    assert!(implausible.contains(&expected), "{found:?}");
    assert!(!found.holds());
}

/// A bit that fell over on the way.
#[test]
fn a_byte_that_is_damaged_anywhere_is_found() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path(), Question::Compare);
    let file = bundled(folder.path());
    let whole = std::fs::read(&file).unwrap();
    let digest = Content::read(&file).unwrap().digest();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        std::fs::write(&file, &damaged).unwrap();
        match Content::read(&file) {
            Err(BundleError::Damaged { .. }) => {}
            // A bit of the frame's header that nothing is read from.
            Ok(content) => assert_eq!(content.digest(), digest, "byte {at}"),
            other => panic!("byte {at}: {other:?}"),
        }
    }
    for length in (0..whole.len()).step_by(97) {
        std::fs::write(&file, &whole[..length]).unwrap();
        assert!(
            matches!(Content::read(&file), Err(BundleError::Damaged { .. })),
            "cut to {length} bytes"
        );
    }
}

/// A file with this content, packed as bundles are.
fn packed(folder: &Path, content: &[u8], behind: &[u8]) -> PathBuf {
    let file = folder.join("made.pmb");
    let mut encoder = zstd::Encoder::new(std::fs::File::create(&file).unwrap(), 3).unwrap();
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap().write_all(behind).unwrap();
    file
}

#[test]
fn files_that_were_made_to_hurt_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path(), Question::Compare);
    let content = Content::read(&bundled(folder.path())).unwrap();
    let text = content.text();
    let (manifest, rest) = text.split_once('\n').unwrap();
    let newer = manifest.replace("\"version\":1}", &format!("\"version\":{}}}", VERSION + 1));
    let newer = packed(folder.path(), format!("{newer}\n{rest}").as_bytes(), b"");
    assert!(matches!(
        Content::read(&newer),
        Err(BundleError::Newer { found, .. }) if found == VERSION + 1
    ));
    let bomb = packed(folder.path(), &vec![b'a'; 64 << 20], b"");
    assert!(matches!(
        Content::read(&bomb),
        Err(BundleError::TooLarge { .. })
    ));
    let damaged: [(&[u8], &[u8], &str); 5] = [
        (b"", b"", "no manifest"),
        (b"\xff\xfe\n", b"", "no text"),
        (
            b"{\"format\":\"else\",\"version\":1}\n",
            b"",
            "says that it is",
        ),
        (text.as_bytes(), b"more", "behind its end"),
        (&text.as_bytes()[..text.len() - 20], b"", "hashes to"),
    ];
    for (content, behind, said) in damaged {
        let file = packed(folder.path(), content, behind);
        let error = Content::read(&file).unwrap_err().to_string();
        assert!(error.contains(said), "{said}: {error}");
    }
    let missing = Content::read(&folder.path().join("none.pmb")).unwrap_err();
    assert!(matches!(missing, BundleError::Unread { .. }), "{missing}");
}

#[test]
fn names_stay_out_unless_they_are_asked_for_and_secrets_stop_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let mut asked = experiment(Question::Compare);
    asked.benchmark.cwd = "/home/somebody/work".into();
    conducted(&mut store, asked.clone(), &mut world(), &mut Silent);
    drop(store);
    let said = |packing: Packing| {
        let file = folder.path().join("said.pmb");
        bundle_of(folder.path(), packing).write(&file).unwrap();
        (
            Content::read(&file).unwrap(),
            verify(&Store::open(&file).unwrap()).unwrap(),
        )
    };
    let (without, found) = said(Packing::default());
    assert!(!without.text().contains("somebody"));
    assert!(found.holds(), "{found:?}");
    let (with, found) = said(Packing {
        private: true,
        secrets: false,
    });
    assert!(with.text().contains("/home/somebody/work"));
    assert!(found.holds(), "{found:?}");

    let mut store = LockedStore::open(folder.path()).unwrap();
    asked.benchmark.argv.push("--token=0123456789abcdef".into());
    conducted(&mut store, asked, &mut world(), &mut Silent);
    let store = store.unlocked();
    let bundled = store.bundled(&["latest".to_owned()]).unwrap();
    let refused = Packed::new(&store, &bundled, Packing::default(), "test").unwrap_err();
    assert!(matches!(refused, BundleError::Secrets { .. }), "{refused}");
    assert!(!refused.to_string().contains("0123456789"), "{refused}");
    let allowed = Packing {
        private: false,
        secrets: true,
    };
    Packed::new(&store, &bundled, allowed, "test").unwrap();
}

/// Somebody else's reader, written by the specification, comes to the same numbers.
#[test]
fn a_reader_in_another_language_draws_the_same_verdict() {
    let has = |tool: &str, argument: &str| {
        let ran = std::process::Command::new(tool).arg(argument).output();
        ran.is_ok_and(|output| output.status.success())
    };
    for tool in ["python3", "zstd"] {
        if !has(tool, "--version") {
            println!("skipped: needs {tool}");
            assert!(std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none());
            return;
        }
    }
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path(), Question::Compare);
    // With two files behind the text, as images are.
    let store = Store::open(folder.path()).unwrap();
    let chains = store.bundled(&["latest".to_owned()]).unwrap();
    let enclosed = ["base", "a longer new"].map(|content| {
        let path = folder.path().join(content);
        std::fs::write(&path, content).unwrap();
        ToEnclose {
            digest: blake3::hash(content.as_bytes()).into(),
            path,
            what: content.to_owned(),
        }
    });
    let enclosing = Enclosing {
        files: enclosed.to_vec(),
        captures: Vec::new(),
    };
    let packed = Packed::enclosing(&store, &chains, Packing::default(), "test", &enclosing);
    let file = folder.path().join("files.pmb");
    packed.unwrap().write(&file).unwrap();
    let read = std::process::Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verified/reader.py"))
        .arg(file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&read.stdout).into_owned();
    for file in &enclosed {
        let line = format!("{} {}\n", file.digest, file.what.len());
        assert!(said.contains(&line), "{said}");
    }
    let numbers: Vec<f64> = said
        .lines()
        .last()
        .unwrap()
        .split_whitespace()
        .map(|n| n.parse().unwrap())
        .collect();
    let [estimate, mean, half, half_again, spread, spread_again] = numbers[..] else {
        panic!("{said}{}", String::from_utf8_lossy(&read.stderr));
    };
    assert!((estimate - mean).abs() < 1e-12, "{said}");
    assert!((spread - spread_again).abs() < 1e-12, "{said}");
    // The level in the reader has four digits.
    assert!((half / half_again - 1.0).abs() < 1e-4, "{said}");
}

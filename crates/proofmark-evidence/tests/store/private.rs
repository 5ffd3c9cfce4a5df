//! What names persons and places is apart from the records, which go without it.

use std::path::Path;

use proofmark_evidence::record::{
    AskedAbout, Benchmark, BuildOrigin, Conclusion, Departure, Exclusion, Experiment, ImageFile,
    Images, Input, Inputs, Instructions, LayoutControl, Note, Revision, Stdin, Tool, Tree,
    TreeChange, TreeChangeKind, Vcs, Warning,
};
use proofmark_evidence::{ExperimentId, LockedStore, Privacy, PrivateParts, Store, StoreError};
use proofmark_terms::{BuildIndex, Machine, OsText, Reading};
use rusqlite::Connection;
use tempfile::tempdir;

use crate::{ended, made};

/// What stands in the records below, and must not stand in their public parts.
const SECRETS: [&str; 12] = [
    "somebody",
    "SOMEBODY",
    "my-box",
    "/home",
    "/opt",
    "/usr",
    "/sys",
    "/data",
    "/nowhere",
    "hunter2",
    "git.example.org",
    "secret-name",
];

fn privacy() -> Privacy {
    let mut salt = [0; 32];
    let names = ["somebody", "my-box", "root"].map(str::to_owned);
    Privacy::new(names, move || {
        salt[0] += 1;
        salt
    })
}

/// An experiment that names persons and places wherever one can.
fn telling() -> Experiment {
    let mut experiment = made::experiment(1);
    let [base, new] = experiment.builds.as_mut_slice() else {
        unreachable!()
    };
    base.name = "somebody-base".to_owned();
    base.origin = BuildOrigin::Executable {
        path: "/home/somebody/base".into(),
    };
    base.toolchain = vec![Tool {
        role: "compiler".to_owned(),
        path: "/opt/cc/bin/cc".into(),
        version: "cc 12.2.0 for somebody".to_owned(),
    }];
    base.revision = Some(Revision {
        vcs: Vcs::Git,
        id: "abc123".into(),
        dirty: false,
    });
    new.origin = BuildOrigin::Captured {
        ids: vec!["5e".repeat(32).parse().unwrap()],
        movable: 1.0,
        departures: vec![Departure::Lacking {
            objects: 1,
            example: "/home/somebody/x.o: no compiler".to_owned(),
        }],
    };
    new.images = Images {
        program: ImageFile {
            name: "somebody".into(),
            digest: "1a".repeat(32).parse().unwrap(),
        },
        libraries: vec![ImageFile {
            name: "libx.so.1".into(),
            digest: "2b".repeat(32).parse().unwrap(),
        }],
    };
    new.tree = Some(Box::new(Tree {
        from: "/home/somebody/lib".into(),
        at: "/data/lib".into(),
        digest: "3c".repeat(32).parse().unwrap(),
        files: 3,
        changes: vec![TreeChange {
            path: "x.lua".into(),
            how: TreeChangeKind::Changed,
            code: false,
        }],
    }));
    new.run_as = Some(Box::new(Benchmark {
        argv: vec!["{}".into(), "-L/opt/x".into()],
        ..Benchmark::default()
    }));
    experiment.benchmark = Benchmark {
        argv: [
            "{}",
            "--fast",
            "/home/somebody/fib.lua",
            "bench/fib.lua",
            "SOMEBODY",
        ]
        .map(OsText::from)
        .to_vec(),
        env: vec![("TOKEN".into(), "hunter2".into())],
        cwd: "/home/somebody".into(),
        stdin: Stdin::File("/home/somebody/in".into()),
        setup: Some("git clone git@git.example.org:x".to_owned()),
        prepare: Some("rm -f ~/x".to_owned()),
        output_filter: Some("sed s/a/b/".to_owned()),
        ..Benchmark::default()
    };
    experiment.inputs = Inputs {
        fixed: vec![Input {
            path: "/data/in".into(),
            hash: "c0".repeat(32).parse().unwrap(),
        }],
        asked: vec![AskedAbout {
            path: "/data/link".into(),
            answer: "link to /data/in".into(),
        }],
        absent: vec!["/nowhere/a".into()],
        state: vec!["secret-name".into()],
        written: vec!["/data/out".into()],
        between: vec!["/data/in".into()],
        in_trees: vec!["/data/lib/log".into()],
        read_themselves: Vec::new(),
        address_tables: Vec::new(),
        only_named: Some("strace is not at /usr/bin".to_owned()),
    };
    experiment.layouts = LayoutControl::AsShipped {
        reason: "`/home/somebody/base` was never captured".to_owned(),
    };
    experiment.machine = machine();
    experiment
}

fn machine() -> Machine {
    let facts = [
        (
            "cgroup",
            Reading::Known("v2 at /sys/fs/cgroup/x".to_owned()),
        ),
        ("kernel", Reading::Known("6.1 of my-box".to_owned())),
        ("cpu", Reading::Known("a processor".to_owned())),
        ("steal", Reading::Unavailable("/nowhere".to_owned())),
    ];
    Machine {
        facts: facts
            .into_iter()
            .map(|(key, reading)| (key.to_owned(), reading))
            .collect(),
    }
}

fn conclusion() -> Conclusion {
    let mut conclusion = ended::conclusion(2);
    conclusion.comparisons[0].instructions = Instructions::Unavailable {
        reason: "valgrind cannot run /home/somebody/base".to_owned(),
    };
    conclusion.warnings = vec![
        Warning::State {
            file: "secret-name".into(),
            more: 0,
        },
        Warning::NotTraced {
            why: "/usr/bin/x is missing".to_owned(),
        },
    ];
    conclusion
}

/// A store with a telling experiment.
fn stored(folder: &Path) -> ExperimentId {
    let mut store = LockedStore::open_with(folder, privacy()).unwrap();
    let id = store.begin("a digest of hunter2", &telling()).unwrap();
    store.pilot(&id, &ended::pilot()).unwrap();
    for index in 0..2 {
        let mut block = made::block(index, 1);
        block.machine = machine();
        store.block(&id, &block).unwrap();
    }
    let note = Note {
        at_ms: 1,
        text: "measured on my-box".to_owned(),
    };
    store.note(&id, &note).unwrap();
    let exclusion = Exclusion {
        build: BuildIndex(1),
        blocks: 2,
        why: "killed, see /home/somebody/log".to_owned(),
    };
    store.exclude(&id, &exclusion).unwrap();
    store.conclude(&id, &conclusion()).unwrap();
    id
}

fn bodies(folder: &Path, table: &str) -> Vec<String> {
    let connection = Connection::open(folder.join("evidence.db")).unwrap();
    let mut statement = connection
        .prepare(&format!("SELECT body FROM {table} ORDER BY rowid"))
        .unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

fn tamper(folder: &Path, statement: &str) {
    let connection = Connection::open(folder.join("evidence.db")).unwrap();
    let triggers = "DROP TRIGGER private_no_update; DROP TRIGGER private_no_delete; \
         DROP TRIGGER record_no_update";
    connection
        .execute_batch(&format!("{triggers}; {statement}"))
        .unwrap();
}

#[test]
fn what_names_persons_and_places_is_in_no_public_record_and_comes_back() {
    let folder = tempdir().unwrap();
    let id = stored(folder.path());
    let public = bodies(folder.path(), "record").join("\n");
    for secret in SECRETS {
        assert!(!public.contains(secret), "{secret}");
    }
    for said in [
        "cc 12.2.0 for ⟨private",
        "--fast",
        "bench/fib.lua",
        "sed s/a/b/",
        "-L⟨private",
        "TOKEN",
        "abc123",
        "libx.so.1",
        "valgrind cannot run ⟨private",
        "measured on ⟨private",
    ] {
        assert!(public.contains(said), "{said}: {public}");
    }
    let store = Store::open(folder.path()).unwrap();
    let recorded = store.load(id.as_str()).unwrap();
    assert_eq!(recorded.experiment, telling());
    assert_eq!(recorded.key, "a digest of hunter2");
    assert_eq!(recorded.blocks[1].machine, machine());
    assert_eq!(recorded.conclusion, Some(conclusion()));
    assert_eq!(recorded.notes[0].text, "measured on my-box");
    assert_eq!(recorded.exclusions[0].why, "killed, see /home/somebody/log");
    assert_eq!(recorded.private, PrivateParts::Here);
    store.check().unwrap();
}

#[test]
fn bytes_that_are_no_text_are_private_and_come_back() {
    use std::os::unix::ffi::OsStringExt as _;

    let folder = tempdir().unwrap();
    let odd = std::ffi::OsString::from_vec(b"some\xffbody".to_vec());
    let mut experiment = made::experiment(1);
    experiment.benchmark.argv.push(odd.into());
    let mut store = LockedStore::open_with(folder.path(), privacy()).unwrap();
    let id = store.begin("key", &experiment).unwrap();
    assert!(!bodies(folder.path(), "record")[0].contains("255"));
    assert_eq!(store.load(id.as_str()).unwrap().experiment, experiment);
}

#[test]
fn records_go_without_their_private_parts() {
    let folder = tempdir().unwrap();
    let id = stored(folder.path());
    let before = bodies(folder.path(), "record");
    tamper(folder.path(), "DELETE FROM private");
    assert_eq!(bodies(folder.path(), "record"), before);
    let store = Store::open(folder.path()).unwrap();
    store.check().unwrap();
    let recorded = store.load(id.as_str()).unwrap();
    // All but the pilot have one.
    assert_eq!(recorded.private, PrivateParts::NotHere { records: 6 });
    assert_eq!(recorded.blocks[1].rounds, made::block(1, 1).rounds);
    let benchmark = &recorded.experiment.benchmark;
    assert_eq!(benchmark.argv[1].display(), "--fast");
    assert!(benchmark.argv[2].display().starts_with("⟨private "));
    assert_eq!(store.list().unwrap().len(), 1);
    assert_eq!(store.unfinished("a digest of hunter2").unwrap(), None);
}

#[test]
fn a_change_to_a_private_part_is_found() {
    let of_record = "(SELECT private FROM record WHERE kind = 'experiment')";
    for (change, word) in [
        (
            "SET body = replace(body, 'hunter2', 'hunter3')",
            "its private part",
        ),
        (
            "SET body = replace(body, '\"salt\":\"0', '\"salt\":\"1')",
            "its private part",
        ),
        ("SET key = 'another'", "found by"),
    ] {
        let folder = tempdir().unwrap();
        let id = stored(folder.path());
        let changed = format!("UPDATE private {change} WHERE id = {of_record}");
        tamper(folder.path(), &changed);
        let store = Store::open(folder.path()).unwrap();
        for error in [
            store.load(id.as_str()).unwrap_err(),
            store.check().unwrap_err(),
        ] {
            let named =
                matches!(&error, StoreError::DamagedRecord { what, .. } if what.contains(word));
            assert!(named, "{change}: {error}");
        }
    }
}

#[test]
fn a_private_part_of_another_record_is_found() {
    let folder = tempdir().unwrap();
    let id = stored(folder.path());
    tamper(
        folder.path(),
        "UPDATE record SET private = (SELECT private FROM record WHERE kind = 'note') \
         WHERE kind = 'exclusion'",
    );
    let error = Store::open(folder.path()).unwrap().load(id.as_str());
    assert!(error.unwrap_err().to_string().contains("belongs elsewhere"));
}

#[test]
fn guesses_cannot_be_tested() {
    let twice = [(); 2].map(|()| {
        let folder = tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        store.begin("key", &telling()).unwrap();
        bodies(folder.path(), "record")
    });
    assert_ne!(twice[0], twice[1], "equal records have unequal commitments");
}

#[test]
fn what_is_the_same_in_a_sitting_is_kept_once() {
    let folder = tempdir().unwrap();
    stored(folder.path());
    // Of the experiment, of both blocks, of the note, the exclusion and the conclusion.
    assert_eq!(bodies(folder.path(), "private").len(), 5);
}

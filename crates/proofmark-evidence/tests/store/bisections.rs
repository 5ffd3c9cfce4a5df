//! Bisections: a chain of their own, with a record for each step.

use proofmark_evidence::record::{
    Axis, Bisect, BisectAnswer, BisectConclusion, BisectStep, End, Judge, StepOf, StepOutcome, Vcs,
};
use proofmark_evidence::{LockedStore, Privacy, Store, StoreError};
use proofmark_terms::{Commit, Machine, StateIndex};
use rusqlite::Connection;
use tempfile::tempdir;

fn commit(id: &str, parent: &str) -> Commit {
    Commit {
        id: id.into(),
        parents: vec![parent.into()],
        tree: format!("tree of {id}").into(),
        author: "Tester".to_owned(),
        date: "2026-01-01T00:00:00+00:00".to_owned(),
        subject: format!("commit {id}"),
    }
}

fn bisect(began_ms: u64) -> Bisect {
    Bisect {
        axis: Axis::Commits,
        vcs: Vcs::Git,
        older: commit("a", "0"),
        commits: vec![commit("b", "a"), commit("c", "b")],
        first_parent: false,
        survey: None,
        toolchain: None,
        judge: Judge::Script {
            command: "true".to_owned(),
        },
        confidence: 0.95,
        machine: Machine::default(),
        proofmark: "test".to_owned(),
        began_ms,
    }
}

fn step(index: u32, of: StepOf) -> BisectStep {
    BisectStep {
        index,
        of,
        outcome: StepOutcome::Exited {
            code: 1,
            like: Some(End::Newer),
        },
        took_ms: 5,
    }
}

#[test]
fn the_name_of_a_toolchain_may_be_private() {
    let privacy = Privacy::new(["somebody".to_owned()], || [7; 32]);
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open_with(folder.path(), privacy).unwrap();
    let asked = Bisect {
        toolchain: Some("gcc-somebody".to_owned()),
        ..bisect(1)
    };
    let id = store.begin_bisect("key", &asked).unwrap();
    let body = |kind: &str| -> String {
        let database = Connection::open(folder.path().join("evidence.db")).unwrap();
        let of_kind = "SELECT body FROM record WHERE kind = ?1";
        database
            .query_row(of_kind, [kind], |row| row.get(0))
            .unwrap()
    };
    assert!(!body("bisect").contains("somebody"), "{}", body("bisect"));
    assert_eq!(store.load_bisect(id.as_str()).unwrap().bisect, asked);
}

#[test]
fn a_bisection_is_found_by_its_key_with_its_steps() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin_bisect("key", &bisect(1)).unwrap();
    let steps = [
        step(0, StepOf::Ends),
        step(1, StepOf::Commit(StateIndex(0))),
    ];
    for step in &steps {
        store.bisect_step(&id, step).unwrap();
    }
    let found = store.bisect_of_key("key").unwrap().unwrap();
    assert_eq!((&found.id, &found.bisect), (&id, &bisect(1)));
    assert_eq!(
        (found.steps.as_slice(), found.conclusion),
        (&steps[..], None)
    );
    assert_eq!(store.bisect_of_key("other").unwrap(), None);
    let conclusion = BisectConclusion {
        answer: BisectAnswer::Found {
            commit: StateIndex(0),
        },
        ends: None,
        effect: None,
        code: None,
        files: vec!["M main.c".to_owned()],
        survey: None,
        rebuilt: None,
        rebuilt_of: None,
        took_ms: 10,
    };
    store.conclude_bisect(&id, &conclusion).unwrap();
    let found = store.load_bisect(id.short()).unwrap();
    assert_eq!(found.conclusion, Some(conclusion));
    // The one that was begun last counts.
    let later = store.begin_bisect("key", &bisect(2)).unwrap();
    assert_eq!(store.bisect_of_key("key").unwrap().unwrap().id, later);
    assert_eq!(store.load_bisect("latest").unwrap().id, later);
    assert!(matches!(
        store.load_bisect("ffff"),
        Err(StoreError::NoSuchBisect { .. })
    ));
    assert_eq!(store.check().unwrap().records, 5);
    assert_eq!(store.list().unwrap(), []);
}

#[test]
fn steps_that_do_not_add_up_are_damage() {
    for (index, of) in [(1, StepOf::Ends), (0, StepOf::Commit(StateIndex(2)))] {
        let folder = tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        let id = store.begin_bisect("key", &bisect(1)).unwrap();
        store.bisect_step(&id, &step(index, of)).unwrap();
        drop(store);
        let read = Store::open(folder.path()).unwrap().load_bisect("latest");
        assert!(
            matches!(read, Err(StoreError::DamagedRecord { .. })),
            "{read:?}"
        );
    }
}

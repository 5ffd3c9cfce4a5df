//! What goes in comes out, in order.

use proofmark_evidence::record::Note;
use proofmark_evidence::{Checked, LockedStore, Privacy, Store, StoreError};
use tempfile::tempdir;

use crate::{ended, made};

#[test]
fn every_record_comes_back_as_it_was() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(&folder.path().join("new/.proofmark")).unwrap();
    let experiment = made::experiment(u64::MAX);
    let id = store.begin("key", &experiment).unwrap();
    store.pilot(&id, &ended::pilot()).unwrap();
    let blocks: Vec<_> = (0..3).map(|index| made::block(index, index + 1)).collect();
    for block in &blocks {
        store.block(&id, block).unwrap();
    }
    store.conclude(&id, &ended::conclusion(2)).unwrap();
    store.conclude(&id, &ended::conclusion(3)).unwrap();
    let note = Note {
        at_ms: 5,
        text: "the first conclusion left out a block".to_owned(),
    };
    store.note(&id, &note).unwrap();
    drop(store);

    let store = Store::open(&folder.path().join("new/.proofmark")).unwrap();
    let read = store.load(id.as_str()).unwrap();
    assert_eq!(read.id, id);
    assert_eq!(read.key, "key");
    assert_eq!(read.experiment, experiment);
    assert_eq!(read.pilot, Some(ended::pilot()));
    assert_eq!(read.blocks, blocks);
    assert_eq!(
        read.conclusion,
        Some(ended::conclusion(3)),
        "the later conclusion corrects the earlier one"
    );
    assert_eq!(read.null_conclusion, None);
    assert_eq!(read.notes, [note]);
    assert_eq!(
        store.check().unwrap(),
        Checked {
            experiments: 1,
            records: 8,
            later: Vec::new(),
        }
    );
}

#[test]
fn a_null_test_comes_back_too() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin("key", &made::experiment(1)).unwrap();
    store
        .null_conclusion(&id, &ended::null_conclusion(4))
        .unwrap();
    assert_eq!(
        store.load("latest").unwrap().null_conclusion,
        Some(ended::null_conclusion(4))
    );
}

#[test]
fn blocks_come_in_order_and_whole_or_not_at_all() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin("key", &made::experiment(1)).unwrap();
    store.block(&id, &made::block(0, 1)).unwrap();
    for wrong in [0, 2] {
        let error = store.block(&id, &made::block(wrong, 1)).unwrap_err();
        assert!(
            matches!(&error, StoreError::Refused { index, .. } if *index == wrong),
            "{error}"
        );
        assert!(
            error.to_string().contains("the next block is number 1"),
            "{error}"
        );
    }
    let mut nonsense = made::block(1, 1);
    nonsense.rounds[0].runs[0].value = f64::NAN;
    assert!(matches!(
        store.block(&id, &nonsense).unwrap_err(),
        StoreError::Refused { .. }
    ));
    store.block(&id, &made::block(1, 1)).unwrap();
    assert_eq!(
        store.load("latest").unwrap().blocks,
        [made::block(0, 1), made::block(1, 1)]
    );
}

#[test]
fn one_experiment_is_begun_once_and_the_unknown_is_refused() {
    let folder = tempdir().unwrap();
    // With one salt for all, for otherwise no two experiments are the very same.
    let privacy = Privacy::new([], || [7; 32]);
    let mut store = LockedStore::open_with(folder.path(), privacy).unwrap();
    let id = store.begin("key", &made::experiment(1)).unwrap();
    let again = store.begin("key", &made::experiment(1)).unwrap_err();
    assert!(matches!(again, StoreError::BegunBefore { id: same } if same == *id.chain()));
    let elsewhere = tempdir().unwrap();
    let unknown = LockedStore::open(elsewhere.path())
        .unwrap()
        .begin("key", &made::experiment(2))
        .unwrap();
    assert!(matches!(
        store.pilot(&unknown, &ended::pilot()).unwrap_err(),
        StoreError::NoSuchExperiment { .. }
    ));
    assert!(matches!(
        store.block(&unknown, &made::block(0, 1)).unwrap_err(),
        StoreError::NoSuchExperiment { .. }
    ));
}

#[test]
fn a_reader_sees_finished_blocks_while_another_process_measures() {
    let folder = tempdir().unwrap();
    let mut writer = LockedStore::open(folder.path()).unwrap();
    let id = writer.begin("key", &made::experiment(1)).unwrap();
    let reader = Store::open(folder.path()).unwrap();
    for index in 0..3 {
        writer.block(&id, &made::block(index, 1)).unwrap();
        assert_eq!(
            reader.load("latest").unwrap().blocks.len(),
            index as usize + 1
        );
    }
}

#[test]
fn two_experiments_that_are_appended_to_by_turns_do_not_mix() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let one = store.begin("one", &made::experiment(1)).unwrap();
    let two = store.begin("two", &made::experiment(2)).unwrap();
    for index in 0..4 {
        store.block(&one, &made::block(index, 1)).unwrap();
        store.block(&two, &made::block(index, 2)).unwrap();
    }
    assert_eq!(
        store.load(two.as_str()).unwrap().blocks[3],
        made::block(3, 2)
    );
    assert_eq!(
        store.load(one.as_str()).unwrap().blocks[3],
        made::block(3, 1)
    );
    assert_eq!(store.check().unwrap().records, 10);
}

/// The block that a budget ended has the number of the one that is measured in its place.
#[test]
fn a_partial_block_is_kept_and_counts_for_nothing() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let id = store.begin("key", &made::experiment(1)).unwrap();
    store.block(&id, &made::block(0, 3)).unwrap();
    let partial = made::block(1, 1);
    store.partial_block(&id, &partial).unwrap();
    let recorded = store.load(id.as_str()).unwrap();
    assert_eq!(
        (recorded.blocks.len(), &recorded.partial),
        (1, &vec![partial])
    );
    store.block(&id, &made::block(1, 3)).unwrap();
    let recorded = store.load(id.as_str()).unwrap();
    assert_eq!((recorded.blocks.len(), recorded.partial.len()), (2, 1));
    assert_eq!(store.check().unwrap().records, 4);
}

#[test]
fn an_experiment_of_another_store_is_taken_in_as_it_stands() {
    let folder = tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let mut there = LockedStore::open(&place("there")).unwrap();
    let id = there.begin("key", &made::experiment(7)).unwrap();
    there.pilot(&id, &ended::pilot()).unwrap();
    for index in 0..3 {
        there.block(&id, &made::block(index, 2)).unwrap();
    }
    there.conclude(&id, &ended::conclusion(3)).unwrap();
    let recorded = there.load(id.as_str()).unwrap();
    let mut here = LockedStore::open(&place("here")).unwrap();
    here.begin("another", &made::experiment(8)).unwrap();
    here.adopt(&there, &id).unwrap();
    assert_eq!(
        here.load(id.as_str()).unwrap(),
        recorded,
        "private parts too"
    );
    // A second time changes nothing, and remarks are added as to one of its own.
    let note = Note {
        at_ms: 5,
        text: "it was measured elsewhere".to_owned(),
    };
    here.note(&id, &note).unwrap();
    here.adopt(&there, &id).unwrap();
    assert_eq!(here.load(id.as_str()).unwrap().notes, [note]);
    assert_eq!(here.check().unwrap().records, 1 + 6 + 1);
    let public = here.unlocked().without_private_parts();
    let mut third = LockedStore::open(&place("third")).unwrap();
    third.adopt(&public, &id).unwrap();
    let read = third.load(id.as_str()).unwrap();
    assert!(read.private != proofmark_evidence::PrivateParts::Here && read.key.is_empty());
}

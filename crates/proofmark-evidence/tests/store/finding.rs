//! Experiments found again: by name, by key, in the list.

use proofmark_evidence::record::{Question, Stop};
use proofmark_evidence::{LockedStore, Progress, StoreError};
use proofmark_terms::Verdict;
use tempfile::tempdir;

use crate::{ended, made};

#[test]
fn by_name_by_its_beginning_and_as_the_latest() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    assert!(matches!(
        store.load("latest").unwrap_err(),
        StoreError::NoSuchExperiment { .. }
    ));
    // Seventeen names of sixteen digits: two of them begin alike.
    let ids: Vec<_> = (0..17)
        .map(|seed| store.begin("key", &made::experiment(seed)).unwrap())
        .collect();
    for id in &ids {
        assert_eq!(store.find(id.as_str()).unwrap(), *id);
        assert_eq!(store.find(id.short()).unwrap(), *id);
        assert_eq!(store.find(&id.short().to_uppercase()).unwrap(), *id);
    }
    assert_eq!(store.find("latest").unwrap(), ids[16]);
    for nothing in ["", "g", "latest!", "%", &"0".repeat(65)] {
        assert!(
            matches!(
                store.find(nothing),
                Err(StoreError::NoSuchExperiment { .. })
            ),
            "{nothing}"
        );
    }
    let ambiguous = (0..16)
        .map(|digit| store.find(&format!("{digit:x}")))
        .find_map(|found| match found {
            Err(StoreError::Ambiguous { asked, candidates }) => Some((asked, candidates)),
            _ => None,
        });
    let (asked, candidates) = ambiguous.unwrap();
    assert!(candidates.len() > 1);
    assert!(
        candidates
            .iter()
            .all(|candidate| candidate.id.as_str().starts_with(&asked))
    );
    assert_eq!(candidates[0].names, ["base", "new"]);
    let message = StoreError::Ambiguous {
        asked,
        candidates: candidates.clone(),
    }
    .to_string();
    assert!(
        message.contains(candidates[1].id.short()) && message.contains("(base, new)"),
        "{message}"
    );
}

#[test]
fn an_unfinished_experiment_is_found_by_what_was_asked() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    assert_eq!(store.unfinished("key").unwrap(), None);
    let first = store.begin("key", &made::experiment(1)).unwrap();
    store.begin("another key", &made::experiment(2)).unwrap();
    assert_eq!(store.unfinished("key").unwrap().as_ref(), Some(&first));
    store.block(&first, &made::block(0, 1)).unwrap();
    assert_eq!(store.unfinished("key").unwrap().as_ref(), Some(&first));
    store.conclude(&first, &ended::conclusion(1)).unwrap();
    assert_eq!(store.unfinished("key").unwrap(), None);
    let second = store.begin("key", &made::experiment(3)).unwrap();
    assert_eq!(store.unfinished("key").unwrap().as_ref(), Some(&second));
    store
        .null_conclusion(&second, &ended::null_conclusion(1))
        .unwrap();
    assert_eq!(
        store.unfinished("key").unwrap(),
        None,
        "an older one that was left behind is not taken up"
    );
}

#[test]
fn the_list_says_how_far_each_got_and_what_was_found() {
    let folder = tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    assert_eq!(store.list().unwrap(), []);
    let finished = store.begin("a", &made::experiment(1)).unwrap();
    store.block(&finished, &made::block(0, 1)).unwrap();
    store.conclude(&finished, &ended::conclusion(1)).unwrap();
    let mut question = made::experiment(2);
    question.question = Question::Null;
    let null = store.begin("b", &question).unwrap();
    store
        .null_conclusion(&null, &ended::null_conclusion(4))
        .unwrap();
    let unfinished = store.begin("c", &made::experiment(3)).unwrap();
    store.pilot(&unfinished, &ended::pilot()).unwrap();
    store.block(&unfinished, &made::block(0, 1)).unwrap();
    store.block(&unfinished, &made::block(1, 1)).unwrap();

    let list = store.list().unwrap();
    assert_eq!(
        list.iter().map(|summary| &summary.id).collect::<Vec<_>>(),
        [&finished, &null, &unfinished]
    );
    assert_eq!(
        list.iter().map(|summary| summary.state).collect::<Vec<_>>(),
        [
            Progress::Finished {
                blocks: 1,
                stop: Stop::Decided
            },
            Progress::Finished {
                blocks: 4,
                stop: Stop::Blocks
            },
            Progress::Unfinished { blocks: 2 }
        ]
    );
    assert_eq!(list[0].names, ["base", "new"]);
    assert_eq!(list[0].command, ["{}", "fib.lua"]);
    assert_eq!(
        (
            list[0].verdicts[0].name.as_str(),
            list[0].verdicts[0].verdict
        ),
        ("new", Verdict::Faster)
    );
    assert_eq!(list[1].verdicts[0].name, "base");
    assert_eq!(list[1].question, Question::Null);
    assert_eq!(list[2].verdicts, []);
}

//! A matrix that somebody wrote down otherwise, and made every name of right again.

use proofmark_conclude::verify::{Finding, verify};
use proofmark_evidence::record::{Asked, MatrixConclusion, Stop};
use proofmark_evidence::{ChainSort, LockedStore};

use crate::two_benchmarks;

/// What is found of a matrix of two benchmarks whose second one has a seed that is so much larger,
/// with a conclusion that was edited.
fn found(seed: u64, edit: fn(&mut MatrixConclusion)) -> Finding {
    let (mut matrix, mut worlds) = two_benchmarks();
    let mut conclusion = matrix.conduct(&mut worlds, &Asked::default()).unwrap();
    edit(&mut conclusion);
    let mut run = matrix.store.load_matrix("latest").unwrap().run;
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    for (at, member) in run.members.iter_mut().enumerate() {
        let mut recorded = matrix.store.load(member.experiment.as_str()).unwrap();
        if at > 0 {
            recorded.experiment.seed += seed;
        }
        let id = store.begin(&at.to_string(), &recorded.experiment).unwrap();
        store.pilot(&id, recorded.pilot.as_ref().unwrap()).unwrap();
        for block in &recorded.blocks {
            store.block(&id, block).unwrap();
        }
        member.experiment = id;
    }
    let id = store.begin_matrix("key", &run).unwrap();
    store.conclude_matrix(&id, &conclusion).unwrap();
    let verification = verify(&store).unwrap();
    let mut chains = verification.chains.into_iter();
    chains
        .find(|chain| chain.sort == ChainSort::Matrix)
        .unwrap()
        .finding
}

#[test]
fn a_matrix_is_of_one_seed_and_stopped_for_its_reason() {
    let as_it_was = found(0, |_| {});
    assert!(
        matches!(as_it_was, Finding::AsClaimed { .. }),
        "{as_it_was:?}"
    );
    let several = found(1, |_| {});
    assert!(
        matches!(&several, Finding::NotConcluded { why } if why.contains("several seeds")),
        "{several:?}"
    );
    let precise = found(0, |conclusion| conclusion.stop = Stop::Precise);
    assert!(
        matches!(&precise, Finding::Otherwise(all) if all.iter().any(|one| one.at == "stop")),
        "{precise:?}"
    );
}

//! Claims that the samples do not bear out, though every number that stands beside them is right.

use proofmark_conclude::verify::{Verification, verify};
use proofmark_evidence::record::{Question, Stop};
use proofmark_evidence::{LockedStore, Recorded};
use proofmark_lab::Silent;
use proofmark_terms::BuildIndex;

use crate::conducted::conducted;
use crate::support::experiment;
use crate::{forged, world};

/// What is found of an experiment to this precision, after somebody edited it.
fn found(precision: Option<f64>, edit: fn(&mut Recorded)) -> Verification {
    let folder = tempfile::tempdir().unwrap();
    let mut store = LockedStore::open(folder.path()).unwrap();
    let mut asked = experiment(Question::Compare);
    asked.design.precision = precision;
    let mut recorded = conducted(&mut store, asked, &mut world(), &mut Silent);
    edit(&mut recorded);
    let other = tempfile::tempdir().unwrap();
    verify(&forged(&recorded, other.path())).unwrap()
}

fn stopped(recorded: &mut Recorded, stop: Stop) {
    recorded.conclusion.as_mut().unwrap().stop = stop;
}

#[test]
fn what_was_not_reached_is_not_why_it_stopped() {
    let wide = Some(0.5);
    assert!(found(wide, |_| {}).holds());
    assert!(found(None, |_| {}).holds());
    // Nobody asked for a width.
    assert!(!found(None, |recorded| stopped(recorded, Stop::Precise)).holds());
    // It was asked for, and is not there yet.
    let narrow = found(wide, |recorded| {
        recorded.experiment.design.precision = Some(1e-9);
        stopped(recorded, Stop::Precise);
    });
    assert!(!narrow.holds());
}

/// Its runs read the file that they run, so that nobody knows whether drawn images do the same.
#[test]
fn a_verdict_needs_the_look_that_it_hangs_on() {
    let found = found(None, |recorded| {
        assert_eq!(
            recorded.conclusion.as_ref().unwrap().comparisons[0].drawn,
            None
        );
        recorded.experiment.inputs.read_themselves = vec![BuildIndex::BASE];
    });
    assert!(!found.holds(), "{found:?}");
}

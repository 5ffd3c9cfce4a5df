//! An experiment from its beginning to its end.

use proofmark_evidence::record::Experiment;
use proofmark_evidence::{LockedStore, Recorded};
use proofmark_lab::{Observer, UnderWay, conduct};

use crate::support::World;

/// Begins an experiment, conducts it in a world, and gives what the store has of it then.
pub(crate) fn conducted(
    store: &mut LockedStore,
    experiment: Experiment,
    world: &mut World,
    observer: &mut dyn Observer,
) -> Recorded {
    let under_way = begun(store, experiment);
    let id = under_way.id.clone();
    conduct(under_way, world, store, observer).unwrap();
    store.load(&id.to_string()).unwrap()
}

/// An experiment of which nothing is measured yet.
pub(crate) fn begun(store: &mut LockedStore, experiment: Experiment) -> UnderWay {
    UnderWay {
        id: store.begin("key", &experiment).unwrap(),
        experiment,
        pilot: None,
        blocks: Vec::new(),
        earlier_blocks: 0,
        partial_ms: 0,
        began_ms: 0,
    }
}

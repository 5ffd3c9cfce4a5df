//! What a bench is made of, claimed from the machine.

use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use proofmark_measure::{
    CoreChoice, CoreLock, Instrument, InstrumentOptions, Interrupt, claim_core, read_machine,
};
use proofmark_terms::Machine;

use crate::error::LabError;
use crate::places::Places;

/// What a bench is made of.
pub(crate) struct BenchParts {
    /// The instrument; benchmarks of one suite share it.
    pub(crate) instrument: Rc<Instrument>,
    /// Where each build runs.
    pub(crate) places: Arc<Places>,
    /// The core that runs are pinned to.
    pub(crate) core: CoreChoice,
    /// Keeps others who measure off that core; benchmarks of one suite share it.
    pub(crate) lock: Option<Rc<CoreLock>>,
    /// The machine as it is now.
    pub(crate) machine: Machine,
    /// The folder in which blocks are placed; emptied at the end.
    pub(crate) folder: PathBuf,
    /// Raised when the user wants to stop.
    pub(crate) stop: Interrupt,
}

impl BenchParts {
    /// An instrument and a core for it; blocks are placed in `folder`.
    ///
    /// # Errors
    ///
    /// When the instrument cannot be started.
    pub(crate) fn claim(
        folder: PathBuf,
        places: Places,
        stop: &Interrupt,
    ) -> Result<Self, LabError> {
        let instrument = Instrument::new(InstrumentOptions {
            stop: stop.clone(),
            ..InstrumentOptions::default()
        })?;
        let (core, lock) = claim_core();
        Ok(BenchParts {
            instrument: Rc::new(instrument),
            places: Arc::new(places),
            core,
            lock: lock.map(Rc::new),
            machine: read_machine(),
            folder,
            stop: stop.clone(),
        })
    }

    /// The same instrument, core and places for another benchmark of a suite.
    pub(crate) fn shared(&self, folder: PathBuf) -> Self {
        BenchParts {
            instrument: Rc::clone(&self.instrument),
            places: Arc::clone(&self.places),
            core: self.core.clone(),
            lock: self.lock.clone(),
            machine: self.machine.clone(),
            folder,
            stop: self.stop.clone(),
        }
    }
}

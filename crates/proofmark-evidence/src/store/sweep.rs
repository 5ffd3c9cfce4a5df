//! What the records of a sweep add up to.

use super::chain::{Chain, Record};
use super::find::is_prefix;
use super::{LockedStore, Store};
use crate::envelope::{Flaw, Kind};
use crate::log::Order;
use crate::private::PrivateParts;
use crate::record::{Sweep, SweepBlock, SweepConclusion, SweepStop};
use crate::{ExperimentId, StoreError, SweepId};

/// Everything that a store holds of one sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedSweep {
    /// Its name.
    pub id: SweepId,
    /// What was fixed before the first block.
    pub sweep: Sweep,
    /// The blocks, in the order of measurement.
    pub blocks: Vec<SweepBlock>,
    /// What the blocks say, if they were concluded from; the last one counts.
    pub conclusion: Option<SweepConclusion>,
    /// Whether the private parts of its records were there.
    pub private: PrivateParts,
}

impl Chain for RecordedSweep {
    const BEGINS: Kind = Kind::Sweep;

    fn begin(first: &Record<'_>) -> Result<Self, Flaw> {
        Ok(RecordedSweep {
            sweep: first.open()?,
            id: named(first.chain().to_owned()),
            blocks: Vec::new(),
            conclusion: None,
            private: PrivateParts::Here,
        })
    }

    fn take(&mut self, record: &Record<'_>) -> Result<(), Flaw> {
        match record.kind {
            Kind::SweepBlock => {
                let block: SweepBlock = record.open()?;
                let next = u32::try_from(self.blocks.len()).unwrap_or(u32::MAX);
                if block.index != next {
                    return Err(format!("block {} stands where {next} belongs", block.index));
                }
                sound(&block)?;
                self.blocks.push(block);
            }
            Kind::SweepConclusion => self.conclusion = Some(record.open()?),
            _ => return Err(record.stray()),
        }
        Ok(())
    }

    fn private(&mut self, parts: PrivateParts) {
        self.private = parts;
    }
}

/// Whether each round has one run of each image, and each run a number.
fn sound(block: &SweepBlock) -> Result<(), Flaw> {
    let images = block.addresses.len() + 1;
    for round in &block.rounds {
        let mut order = round.order.clone();
        order.sort_unstable();
        let each = order
            .iter()
            .enumerate()
            .all(|(place, image)| *image as usize == place);
        if !each || order.len() != images || round.runs.len() != images {
            return Err(format!(
                "a round does not run its {images} images once each"
            ));
        }
        let usable = |value: f64| value > 0.0 && value.is_finite();
        if !round.runs.iter().all(|run| usable(run.value)) {
            return Err("a run has no positive, finite value".to_owned());
        }
    }
    Ok(())
}

impl Store {
    /// The latest sweep begun with this key that has more to measure: it has no conclusion, or its
    /// budget ended it.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or a record is damaged.
    pub fn unfinished_sweep(&self, key: &str) -> Result<Option<RecordedSweep>, StoreError> {
        for chain in self.log.by_key(Kind::Sweep, key)? {
            let read: RecordedSweep = self.read(&chain, u32::MAX)?;
            let ended = read.conclusion.as_ref().map(|conclusion| conclusion.stop);
            if matches!(ended, None | Some(SweepStop::Budget)) {
                return Ok(Some(read));
            }
        }
        Ok(None)
    }

    /// Loads a sweep by its name, by the beginning of it, or as `latest`.
    ///
    /// # Errors
    ///
    /// No sweep, or several, have this name; a record is damaged.
    pub fn load_sweep(&self, asked: &str) -> Result<RecordedSweep, StoreError> {
        let prefix = asked.to_ascii_lowercase();
        let found = if asked == "latest" {
            self.log.list(Kind::Sweep, Order::Appended, 1)?
        } else if is_prefix(&prefix) {
            self.log.by_prefix(Kind::Sweep, &prefix, 2)?
        } else {
            Vec::new()
        };
        match found.as_slice() {
            [one] => self.read(one, u32::MAX),
            _ => Err(StoreError::NoSuchSweep {
                path: self.path.clone(),
                asked: asked.to_owned(),
            }),
        }
    }
}

impl LockedStore {
    /// Begins a sweep. `key` is what the same sweep asked for again is recognised by, see
    /// [`Store::unfinished_sweep`].
    ///
    /// # Errors
    ///
    /// The very same sweep was begun before; the store cannot be written.
    pub fn begin_sweep(&mut self, key: &str, sweep: &Sweep) -> Result<SweepId, StoreError> {
        self.begin_chain(Kind::Sweep, key, sweep.clone())
            .map(SweepId::new)
    }

    /// Appends a finished block of a sweep.
    ///
    /// # Errors
    ///
    /// There is no such sweep; the store cannot be written.
    pub fn sweep_block(&mut self, id: &SweepId, block: &SweepBlock) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::SweepBlock, block.clone())
    }

    /// Appends what a sweep's blocks say. A later conclusion corrects an earlier one.
    ///
    /// # Errors
    ///
    /// There is no such sweep; the store cannot be written.
    pub fn conclude_sweep(
        &mut self,
        id: &SweepId,
        conclusion: &SweepConclusion,
    ) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::SweepConclusion, conclusion.clone())
    }
}

fn named(chain: String) -> SweepId {
    SweepId::new(ExperimentId::from_hex(chain))
}

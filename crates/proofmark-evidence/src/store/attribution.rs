//! What the records of an attribution add up to.

use super::chain::{Chain, Record};
use super::find::is_prefix;
use super::{LockedStore, Store};
use crate::envelope::{Flaw, Kind};
use crate::log::Order;
use crate::private::PrivateParts;
use crate::record::{Attribution, AttributionBlock, AttributionConclusion};
use crate::{AttributionId, ExperimentId, StoreError};

/// Everything that a store holds of one attribution.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedAttribution {
    /// Its name.
    pub id: AttributionId,
    /// What was fixed before the first block.
    pub attribution: Attribution,
    /// The blocks, in the order of measurement.
    pub blocks: Vec<AttributionBlock>,
    /// What the blocks say, if they were concluded from; the last one counts.
    pub conclusion: Option<AttributionConclusion>,
    /// Whether the private parts of its records were there.
    pub private: PrivateParts,
}

impl Chain for RecordedAttribution {
    const BEGINS: Kind = Kind::Attribution;

    fn begin(first: &Record<'_>) -> Result<Self, Flaw> {
        Ok(RecordedAttribution {
            attribution: first.open()?,
            id: AttributionId::new(ExperimentId::from_hex(first.chain().to_owned())),
            blocks: Vec::new(),
            conclusion: None,
            private: PrivateParts::Here,
        })
    }

    fn take(&mut self, record: &Record<'_>) -> Result<(), Flaw> {
        match record.kind {
            Kind::AttributionBlock => {
                let block: AttributionBlock = record.open()?;
                let next = u32::try_from(self.blocks.len()).unwrap_or(u32::MAX);
                if block.index != next {
                    return Err(format!("block {} stands where {next} belongs", block.index));
                }
                sound(&block, self.attribution.functions.len())?;
                self.blocks.push(block);
            }
            Kind::AttributionConclusion => self.conclusion = Some(record.open()?),
            _ => return Err(record.stray()),
        }
        Ok(())
    }

    fn private(&mut self, parts: PrivateParts) {
        self.private = parts;
    }
}

/// Whether each round has one run of each image, each run a number, and each layout a start of each
/// function.
fn sound(block: &AttributionBlock, functions: usize) -> Result<(), Flaw> {
    let images = block.groups.len() + 2 + usize::from(block.others);
    for round in block.measured.iter().flatten() {
        let mut order = round.order.clone();
        order.sort_unstable();
        let each = (0..).zip(&order).all(|(place, image)| *image == place);
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
    if block.measured.iter().any(Vec::is_empty) {
        return Err("a layout was not measured twice".to_owned());
    }
    let known = |function: &u32| usize::try_from(*function).is_ok_and(|index| index < functions);
    if !block.groups.iter().flatten().all(known)
        || block.starts.iter().any(|starts| starts.len() != functions)
    {
        return Err(format!("it is not of the {functions} functions"));
    }
    Ok(())
}

impl Store {
    /// The latest attribution begun with this key that has no conclusion.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or a record is damaged.
    pub fn unfinished_attribution(
        &self,
        key: &str,
    ) -> Result<Option<RecordedAttribution>, StoreError> {
        for chain in self.log.by_key(Kind::Attribution, key)? {
            let read: RecordedAttribution = self.read(&chain, u32::MAX)?;
            if read.conclusion.is_none() {
                return Ok(Some(read));
            }
        }
        Ok(None)
    }

    /// Loads an attribution by its name, by the beginning of it, or as `latest`.
    ///
    /// # Errors
    ///
    /// No attribution, or several, have this name; a record is damaged.
    pub fn load_attribution(&self, asked: &str) -> Result<RecordedAttribution, StoreError> {
        let prefix = asked.to_ascii_lowercase();
        let found = if asked == "latest" {
            self.log.list(Kind::Attribution, Order::Appended, 1)?
        } else if is_prefix(&prefix) {
            self.log.by_prefix(Kind::Attribution, &prefix, 2)?
        } else {
            Vec::new()
        };
        match found.as_slice() {
            [one] => self.read(one, u32::MAX),
            _ => Err(StoreError::NoSuchAttribution {
                path: self.path.clone(),
                asked: asked.to_owned(),
            }),
        }
    }
}

impl LockedStore {
    /// Begins an attribution. `key` is what the same one asked for again is recognised by, see
    /// [`Store::unfinished_attribution`].
    ///
    /// # Errors
    ///
    /// The very same attribution was begun before; the store cannot be written.
    pub fn begin_attribution(
        &mut self,
        key: &str,
        attribution: &Attribution,
    ) -> Result<AttributionId, StoreError> {
        self.begin_chain(Kind::Attribution, key, attribution.clone())
            .map(AttributionId::new)
    }

    /// Appends a finished block of an attribution.
    ///
    /// # Errors
    ///
    /// There is no such attribution; the store cannot be written.
    pub fn attribution_block(
        &mut self,
        id: &AttributionId,
        block: &AttributionBlock,
    ) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::AttributionBlock, block.clone())
    }

    /// Appends what an attribution's blocks say. A later conclusion corrects an earlier one.
    ///
    /// # Errors
    ///
    /// There is no such attribution; the store cannot be written.
    pub fn conclude_attribution(
        &mut self,
        id: &AttributionId,
        conclusion: &AttributionConclusion,
    ) -> Result<(), StoreError> {
        self.append(id.chain(), Kind::AttributionConclusion, conclusion.clone())
    }
}

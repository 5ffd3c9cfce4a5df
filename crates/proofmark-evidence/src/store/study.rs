//! What sweeps, attributions and explanations have in common: a build that is measured block by block, in a chain
//! of a first record, blocks and conclusions.

use proofmark_terms::ImageIndex;
use serde::de::DeserializeOwned;

use super::Store;
use super::chain::{Chain, Record};
use crate::StoreError;
use crate::envelope::{Flaw, Kind};
use crate::log::{ALL, Order};
use crate::private::Parts;
use crate::record::Run;

/// The records of such a chain.
pub(super) trait Study: Chain {
    type Block: DeserializeOwned + Parts;
    type Conclusion: DeserializeOwned + Parts;

    /// What a block is.
    const BLOCK: Kind;

    /// What a conclusion is.
    const CONCLUSION: Kind;

    /// A block's number, from 0.
    fn index(block: &Self::Block) -> u32;

    /// What is wrong with a block of this study.
    fn sound(&self, block: &Self::Block) -> Result<(), Flaw>;

    /// Its blocks, and what they say.
    fn measured(&mut self) -> (&mut Vec<Self::Block>, &mut Option<Self::Conclusion>);

    /// Whether there is more to measure.
    fn is_open(&self) -> bool;
}

/// Makes a study a chain: what is fixed before its first block is in the field that is named, and
/// all else begins empty.
macro_rules! chain_of_study {
    ($name:ident { $fixed:ident }, $begins:expr) => {
        impl $crate::store::chain::Chain for $name {
            const BEGINS: $crate::envelope::Kind = $begins;

            fn begin(
                first: &$crate::store::chain::Record<'_>,
            ) -> Result<Self, $crate::envelope::Flaw> {
                Ok($name {
                    $fixed: first.open()?,
                    id: first.id()?,
                    blocks: Vec::new(),
                    conclusion: None,
                    private: $crate::private::PrivateParts::Here,
                })
            }

            fn take(
                &mut self,
                record: &$crate::store::chain::Record<'_>,
            ) -> Result<(), $crate::envelope::Flaw> {
                $crate::store::study::take(self, record)
            }

            fn private(&mut self, parts: $crate::private::PrivateParts) {
                self.private = parts;
            }
        }
    };
}

pub(super) use chain_of_study;

/// Takes a record that follows the first one.
pub(super) fn take<S: Study>(study: &mut S, record: &Record<'_>) -> Result<(), Flaw> {
    if record.kind == S::BLOCK {
        let block: S::Block = record.open()?;
        let (index, next) = (S::index(&block), study.measured().0.len());
        if usize::try_from(index) != Ok(next) {
            return Err(format!("block {index} stands where {next} belongs"));
        }
        study.sound(&block)?;
        study.measured().0.push(block);
    } else if record.kind == S::CONCLUSION {
        *study.measured().1 = Some(record.open()?);
    } else {
        return Err(record.stray());
    }
    Ok(())
}

/// Whether a round has one run of each image, and each run a number.
pub(super) fn sound_round(order: &[ImageIndex], runs: &[Run], images: usize) -> Result<(), Flaw> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.iter().copied().eq(ImageIndex::all(images)) || runs.len() != images {
        return Err(format!(
            "a round does not run its {images} images once each"
        ));
    }
    let usable = |value: f64| value > 0.0 && value.is_finite();
    if !runs.iter().all(|run| usable(run.value)) {
        return Err("a run has no positive, finite value".to_owned());
    }
    Ok(())
}

impl Store {
    /// All studies of a kind, in the order in which they were begun.
    pub(super) fn studies<S: Study>(&self) -> Result<Vec<S>, StoreError> {
        let chains = self.log.list(S::BEGINS, Order::Begun, ALL)?;
        let begun_first = chains.iter().rev();
        begun_first
            .map(|chain| self.read(chain, u32::MAX))
            .collect()
    }

    /// The study begun last with this key that has more to measure.
    pub(super) fn open_study<S: Study>(&self, key: &str) -> Result<Option<S>, StoreError> {
        for chain in self.log.by_key(S::BEGINS, key)? {
            let read: S = self.read(&chain, u32::MAX)?;
            if read.is_open() {
                return Ok(Some(read));
            }
        }
        Ok(None)
    }
}

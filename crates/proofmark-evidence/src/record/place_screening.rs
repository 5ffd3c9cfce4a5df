//! What the layouts of a recorded comparison say of whose place matters.

use serde::{Deserialize, Serialize};

use super::{ByChance, HotFunction, LayoutSpread, ShareFound};
use crate::ExperimentId;
use crate::private::parts;

/// The layouts of one build in a comparison, held against where its functions started in each: they
/// are drawn again from their seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceScreening {
    /// The comparison, or null test.
    pub experiment: ExperimentId,
    /// Its layouts of the build.
    pub layouts: u32,
    /// The spread between them; absent where there are too few to tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<LayoutSpread>,
    /// The functions that were looked at.
    pub functions: Vec<HotFunction>,
    /// Those whose place seems to explain most, in order, up to the first that does not stand out.
    pub places: Vec<ScreenedPlace>,
    /// So many layouts it takes until a function that carries half of the spread stands out in 9 of
    /// 10 comparisons; absent where that cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needed: Option<u32>,
}

parts!(PlaceScreening {
    experiment: open,
    layouts: open,
    spread: open,
    functions: inner,
    places: open,
    needed: open,
});

/// What a function's place seems to explain of the spread of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScreenedPlace {
    /// Its index among those that were looked at.
    pub function: u32,
    /// Its start modulo this, in bytes, explains most.
    pub modulus: u64,
    /// The share of the variance between layouts; of several functions the one that seems to
    /// explain most was chosen, so that it is rather too large.
    pub share: ShareFound,
    /// How often chance does as much to the one that it does most to.
    pub by_chance: ByChance,
    /// It stands out.
    pub named: bool,
}

//! What of a function's place goes with the metric: a description, and no cause.

use proofmark_terms::FunctionIndex;
use serde::{Deserialize, Serialize};

use super::ByChance;

/// The feature of a function's place that explains most of what the place does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ByPlaceFeature {
    /// The feature.
    pub feature: PlaceFeature,
    /// How often the best of all features would seem to explain as much if none did.
    pub by_chance: ByChance,
    /// It explains something by more than chance. Where it does not, none does.
    pub explains: bool,
    /// Features that were tried.
    pub tried: u32,
    /// The share of what the place does that it explains, 0 to 1.
    pub share: f64,
    /// Its classes, in ascending order.
    pub classes: Vec<FeatureClass>,
}

/// A feature of a function's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PlaceFeature {
    /// Where it starts.
    Start {
        /// Modulo this, in bytes.
        modulus: u64,
        /// In steps of so many bytes.
        step: u64,
    },
    /// How many of its loops begin with an instruction that crosses a line.
    Heads {
        /// Bytes of a line.
        line: u64,
    },
    /// Whether it shares sets of the first instruction cache with another function: 0 or 1.
    Sets {
        /// The index of that function.
        other: FunctionIndex,
    },
}

/// Places that are alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureClass {
    /// What they have in common: the first start, the count, or 0 and 1.
    pub class: u64,
    /// Layouts with such a place.
    pub layouts: u32,
    /// The metric ÷ the mean of all classes.
    pub ratio: f64,
}

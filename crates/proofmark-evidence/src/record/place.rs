//! Functions whose places are in question, and how much of a spread is theirs.

use serde::{Deserialize, Serialize};

use crate::private::parts;

/// A function whose place is in question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HotFunction {
    /// As people call it; with its file or address behind it where others are called the same.
    pub name: String,
    /// Its symbol.
    pub symbol: String,
    /// Bytes.
    pub bytes: u64,
    /// Loops, by the places that jumps back lead to.
    pub loops: u64,
    /// Offset and length, in bytes, of the first instruction of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heads: Vec<[u64; 2]>,
    /// Samples, or instructions, in it; absent where it was asked for by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
}

parts!(HotFunction {
    name: mixed,
    symbol: mixed,
    bytes: open,
    loops: open,
    heads: open,
    samples: open,
});

/// How much layouts differ: standard deviations, relative.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayoutSpread {
    /// Between layouts, noise removed; 0 where noise explains what is seen.
    pub estimate: f64,
    /// Lower bound; 0 where layouts may be all alike.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Of one measurement of a layout.
    pub noise: f64,
}

/// A share with its own interval, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareFound {
    /// The estimate.
    pub share: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

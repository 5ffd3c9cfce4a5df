//! The layouts that a seed draws from.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The layouts that a seed draws from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Population {
    /// The build's own order, a random gap before each function: "the same program, had unrelated
    /// code been a little different".
    Pad,
    /// A random order as well: every placement there is.
    Shuffle,
}

impl fmt::Display for Population {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Population::Pad => "pad",
            Population::Shuffle => "shuffle",
        })
    }
}

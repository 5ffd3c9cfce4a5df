//! What the images as shipped say of a difference that is not there over layouts.

use serde::{Deserialize, Serialize};

use super::PlaceFound;
use crate::private::parts;

/// A difference by place: who carries it, and what of the code's place may make it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlacementFound {
    /// Places whose time differs as shipped and not over layouts, the largest difference first.
    pub places: Vec<PlaceFound>,
    /// How many places were held against noise as shipped; their intervals hold together.
    pub compared: u32,
    /// What the hot code of the slower image meets more of; absent where nothing is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Conflict>,
}

parts!(PlacementFound {
    places: inner,
    compared: open,
    conflict: inner,
});

/// What the hot code of the slower image meets more of than that of the faster one. Pairs are of
/// base and build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Conflict {
    /// More lines fall into sets of the instruction cache than these can hold.
    CacheSets {
        /// Lines beyond.
        beyond: [u64; 2],
        /// Groups of sets that are overfull.
        sets: [u64; 2],
        /// Lines in the fullest group.
        fullest: [u64; 2],
        /// Lines that a group can hold.
        room: u64,
        /// Functions of the slower image that have lines there.
        functions: u32,
        /// The hottest of them, by name.
        names: Vec<String>,
    },
    /// Jumps that Intel's erratum slows down, in loops of functions that differ.
    Jumps {
        /// Such jumps.
        jumps: [u64; 2],
        /// The functions, by name.
        names: Vec<String>,
    },
    /// Loops of functions that differ touch more lines than they need.
    Loops {
        /// Lines of 64 bytes beyond the fewest.
        lines: [u64; 2],
        /// Loops whose first instruction crosses a line.
        across: [u64; 2],
        /// The functions, by name.
        names: Vec<String>,
    },
}

parts!(
    enum Conflict {
        CacheSets {
            beyond: open,
            sets: open,
            fullest: open,
            room: open,
            functions: open,
            names: mixed,
        },
        Jumps {
            jumps: open,
            names: mixed,
        },
        Loops {
            lines: open,
            across: open,
            names: mixed,
        },
    }
);

//! Why blocks carry no conclusion.

use thiserror::Error;

/// Why blocks carry no conclusion.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConcludeError {
    /// There is no interval for such a design.
    #[error("{0}")]
    Design(String),
    /// There are fewer blocks than the design's first look.
    #[error("{blocks} blocks carry no {what}; the fewest are {fewest}")]
    TooFew {
        /// Blocks that there are.
        blocks: usize,
        /// What they would have to carry, such as "interval".
        what: &'static str,
        /// The first look.
        fewest: u32,
    },
    /// A block does not hold what it must: the record is damaged.
    #[error("block {block} of the evidence {why}")]
    Damaged {
        /// Its index.
        block: u32,
        /// What is wrong.
        why: String,
    },
}

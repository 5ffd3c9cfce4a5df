//! What the addresses of a function do to a metric: one number for each address and block, beside
//! the same image with the function where it was shipped.

mod bits;
mod chance;
mod estimate;
mod two_way;

pub use bits::{BitShare, LowBits, explained_by_low_bits};
pub use chance::{Chance, differ_beyond_chance};
pub use estimate::{AddressEffect, address_effects, beside_anchor, spread_beside, t_interval};
pub use two_way::{TableCell, TableShare, TwoWay, two_way};

/// One address in one block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Index of the address.
    pub address: usize,
    /// Index of the block.
    pub block: u32,
    /// ln(at the address ÷ as shipped) of what is looked at; finite.
    pub value: f64,
}

//! What the addresses of a function do to a metric: one number for each address and block, beside
//! the same image with the function where it was shipped.

mod beside;
mod bits;
mod chance;
mod estimate;
mod measured;
mod two_way;

pub use bits::{BitShare, LowBits, explained_by_low_bits};
pub use chance::{Chance, differ_beyond_chance};
pub use estimate::{AddressEffect, address_effects, paired, t_interval};
pub use measured::BlockValues;
pub use two_way::{TableCell, TableShare, TwoWay, two_way};

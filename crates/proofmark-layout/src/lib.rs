//! Layouts drawn from a seed, and the linkers that carry them out.

mod content;
mod data;
mod draw;
mod elf;
mod error;
mod link;
mod linker;
mod lossless;
mod name;
mod pairing;
mod plan;
mod population;
mod prepared;
mod recipe;
mod set;
mod staged;
mod strip;
mod survey;
mod units;
mod verify;

pub use draw::{Function, Placement, draw, room};
pub use error::LayoutError;
pub use link::relink;
pub use population::Population;
pub use recipe::{Input, InputKind, Linker, LinkerKind, Lto, Member, Recipe};
pub use set::{Image, LayoutSet, Matching};
pub use survey::{MATCHED_UP_TO, Movability, Reason, differing_share, movability};
pub use verify::{Elsewhere, Promises};

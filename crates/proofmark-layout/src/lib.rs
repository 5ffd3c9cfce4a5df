//! Layouts drawn from a seed, and the linkers that carry them out.

mod error;
mod link;
mod lossless;
mod population;
mod recipe;

pub use error::LayoutError;
pub use link::relink;
pub use population::Population;
pub use recipe::{Input, InputKind, Linker, LinkerKind, Lto, Member, Recipe};

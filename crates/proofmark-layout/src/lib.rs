//! Layouts drawn from a seed, and the linkers that carry them out.

mod population;

pub use population::Population;

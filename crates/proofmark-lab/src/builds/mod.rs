//! The builds that are measured, as they are at hand, and what is to be known of them before.

mod alike;
mod enclosed;
pub(crate) mod held;
mod of_cells;
mod rights;
mod subject;
mod whole;

pub(crate) use alike::content;
pub use alike::{Alike, alike, cannot_differ};
pub use enclosed::{Enclose, EnclosedBuilds, EnclosedImage, EnclosedObjects, checked, enclosed};
pub(crate) use of_cells::of_cells;
pub(crate) use rights::{refuse_lent, refuse_special};
pub use subject::{Source, Subject};
pub(crate) use subject::{patches_of, records_in};
pub use whole::cut_alike;

//! Variants: a program's builds as the product of axes (toolchains, sources, flag sets, program options), each a captured build.
//!
//! [`Definitions`] are what a project writes down; [`cells`] makes the cells of its matrix from them, without touching the machine.

mod built;
mod cell;
mod definition;
mod expand;
mod problem;
mod select;
mod words;

pub use built::{BuiltCell, Failure, Feature, Finding, FlagReport, Made, MissingFlag, Outcome};
pub use cell::{Axes, Cell};
pub use definition::{Definitions, FlagSet, Matrix, ProgramOptions, SourceDefinition};
pub use expand::{Cells, cells};
pub use problem::{Problem, nearest};
pub use words::{Names, ShellWords};

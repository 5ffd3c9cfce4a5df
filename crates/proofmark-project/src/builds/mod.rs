//! Variants: a program's builds as the product of axes (toolchains, sources, flag sets, program
//! options), each a captured build.
//!
//! [`Definitions`] are what a project writes down; [`cells`] makes the cells of its matrix from
//! them, without touching the machine. A [`Workshop`] looks at the machine ([`Workshop::plan`]) and
//! makes the builds that are missing ([`Workshop::build`]).

mod asked;
mod build;
mod built;
mod cell;
mod compare;
mod definition;
mod environment;
mod expand;
mod features;
mod freeze;
mod git;
mod links;
mod plan;
mod problem;
mod reads;
mod record;
mod select;
mod snapshot;
mod source;
mod words;

pub use build::{BuildObserver, Unwatched};
pub use built::{BuiltCell, Failure, Feature, Finding, FlagReport, Made, MissingFlag, Outcome};
pub use cell::{Axes, Cell};
pub use compare::{Uneven, identical, uneven};
pub use definition::{Definitions, FlagSet, Matrix, ProgramOptions, SourceDefinition};
pub use expand::{Cells, cell_named, cells};
pub use plan::{Plan, Planned, State, Workshop};
pub use problem::{Problem, nearest};
pub use words::{Names, ShellWords};

//! A project: what its file, `proofmark.toml`, says, and the builds that come of it.
//!
//! A [`Project`] is the file, read and checked. Its matrix is the product of sources, toolchains,
//! flag sets and program options ([`Cells`]), without looking at the machine. A [`Workshop`] looks
//! at the machine ([`Workshop::plan`]) and captures the builds that are missing
//! ([`Workshop::build`]), each with the [`Toolchain`] that its cell names.
//!
//! ```
//! use std::path::Path;
//!
//! use proofmark_project::Project;
//!
//! let text = r#"
//! [source.lua]
//! path = "lua"
//! build = "make CC={cc} MYCFLAGS='{flags}' linux"
//!
//! [flags.native]
//! add = "-march=native"
//!
//! [matrix]
//! toolchains = ["gcc12", "clang19"]
//! flags = ["", "native"]
//! "#;
//! let project = Project::of_text(text, Path::new("/p/proofmark.toml"))?;
//! let names: Vec<&str> = project.cells.all.iter().map(|cell| &*cell.name).collect();
//! assert_eq!(names, ["gcc12", "gcc12 native", "clang19", "clang19 native"]);
//! # Ok::<(), proofmark_project::ProjectError>(())
//! ```

mod builds;
mod cells;
mod definition;
mod environment;
mod ledger;
mod memory;
mod project;
mod sources;
mod toolchain;

pub use builds::{
    BuildObserver, BuildOutcome, BuildPlan, BuiltCell, CellState, Failure, FlagReport, Made,
    MissingFlag, Planned, Recipe, Uneven, Unwatched, Workshop, identical, uneven,
};
pub use cells::{Axes, Cell, Cells, cell_named, cells};
pub use definition::{
    BenchmarkDefinition, ClaimDefinition, Definitions, Expected, FlagSet, GateDefinition,
    HistoryDefinition, IdeaDefinition, LedgerDefinition, MatrixDefinition, Names, Problem,
    ProgramOptions, ShellWords, SourceDefinition, StackDefinition, StoreDefinition,
    ToolchainDefinition, TreeInstead, nearest,
};
pub use ledger::{
    BASE, BASE_AGAIN, Idea, Ideas, LedgerBuild, LedgerPlan, PlannedIdea, PlannedPlace,
    PlannedStack, Stack,
};
pub use project::{
    FILE, Part, Project, ProjectError, ProjectHistory, Purpose, Selection, in_the_file, said_by,
};
pub use sources::MadeTree;
pub use toolchain::{Finding, Making, Toolchain, ToolchainError, Toolchains};

//! A project's file, `proofmark.toml`: what is built, what is run, what is claimed.
//! `docs/matrix.md` describes it.

mod check;
mod error;
mod history;
mod keys;
mod ledger;
mod parse;
mod part;
mod place;
mod tables;

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use proofmark_terms::Digest;

use crate::cells::{Cells, cells};
use crate::definition::{
    BenchmarkDefinition, ClaimDefinition, Definitions, GateDefinition, LedgerDefinition, Problem,
};
use crate::ledger::Ideas;

pub use error::ProjectError;
pub use history::ProjectHistory;
pub use keys::in_the_file;
pub use part::{Part, Purpose, Selection};

/// The name of the file.
pub const FILE: &str = "proofmark.toml";

/// A project's file, read and checked: every name in it means something.
#[derive(Clone, Debug)]
pub struct Project {
    /// The file, absolute.
    pub file: PathBuf,
    /// The folder that it is in, absolute; paths in the file are relative to it.
    pub folder: PathBuf,
    /// What builds are made from.
    pub definitions: Definitions,
    /// The builds of the matrix.
    pub cells: Cells,
    /// `[benchmark.NAME]` in the order of the file; a single `[benchmark]` has the name
    /// `benchmark`.
    pub benchmarks: IndexMap<String, BenchmarkDefinition>,
    /// `[claim.NAME]` in the order of the file; a single `[claim]` has the name `claim`.
    pub claims: IndexMap<String, ClaimDefinition>,
    /// `[gate.NAME]` in the order of the file; a single `[gate]` has the name `gate`.
    pub gates: IndexMap<String, GateDefinition>,
    /// `[ledger]`.
    pub ledger: LedgerDefinition,
    /// `[idea.NAME]` and `[stack.NAME]`.
    pub ideas: Ideas,
}

/// A command that is a path counts from the file's folder, wherever one stands.
fn placed_in(folder: &Path, command: &mut Option<String>) {
    if let Some(command) = command
        && command.contains('/')
    {
        *command = folder.join(&*command).to_string_lossy().into_owned();
    }
}

/// A digest of all that a project's file says, its comments and spaces apart. `None` where it cannot
/// be read, or is no TOML.
#[must_use]
pub fn said_by(file: &Path) -> Option<Digest> {
    let text = std::fs::read_to_string(file).ok()?;
    let table: toml::Table = toml::from_str(&text).ok()?;
    Some(blake3::hash(table.to_string().as_bytes()).into())
}

impl Project {
    /// Reads a project's file.
    ///
    /// # Errors
    /// When it cannot be read, is no TOML, or says something that has no meaning: with line,
    /// column, and the nearest name that has one.
    pub fn read(file: &Path) -> Result<Project, ProjectError> {
        let text = std::fs::read_to_string(file).map_err(|source| ProjectError::Read {
            file: file.to_owned(),
            source,
        })?;
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        Project::of_text(&text, &absolute)
    }

    /// Reads a project's file whose text is at hand. `file` is where it lies, absolute.
    ///
    /// # Errors
    /// As [`Project::read`].
    pub fn of_text(text: &str, file: &Path) -> Result<Project, ProjectError> {
        let folder = file.parent().unwrap_or(Path::new("/"));
        let mut parsed = parse::parse(text, file)?;
        for toolchain in parsed.definitions.toolchains.values_mut() {
            match &mut toolchain.source {
                // Its files are where it is made.
                Some(source) => *source = folder.join(&*source),
                None => {
                    placed_in(folder, &mut toolchain.command);
                    placed_in(folder, &mut toolchain.cxx);
                }
            }
            for patch in &mut toolchain.patch.0 {
                *patch = folder.join(&*patch).to_string_lossy().into_owned();
            }
        }
        let placed = |problem: Problem| place::problem(text, file, &problem);
        let cells = cells(&parsed.definitions).map_err(placed)?;
        let ideas = Ideas::of(&parsed.ideas, &parsed.stacks).map_err(placed)?;
        let project = Project {
            folder: folder.to_owned(),
            file: file.to_owned(),
            definitions: parsed.definitions,
            cells,
            benchmarks: parsed.benchmarks,
            claims: parsed.claims,
            gates: parsed.gates,
            ledger: parsed.ledger,
            ideas,
        };
        check::claims(&project).map_err(placed)?;
        check::benchmarks(&project).map_err(placed)?;
        check::gates(&project).map_err(placed)?;
        check::ledger(&project).map_err(placed)?;
        Ok(project)
    }

    /// The nearest `proofmark.toml` in `folder` or above it.
    #[must_use]
    pub fn find(folder: &Path) -> Option<PathBuf> {
        folder
            .ancestors()
            .map(|folder| folder.join(FILE))
            .find(|file| file.is_file())
    }

    /// Names of the baselines' cells, in the order in which they are written down.
    pub fn baselines(&self) -> impl Iterator<Item = &str> {
        let names = self.cells.baselines.iter();
        names.map(|index| self.cells.all[*index].name.as_str())
    }
}

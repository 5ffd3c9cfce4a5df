//! What is asked: the gates of a project's file, and the builds of its cells.

use proofmark_project::{BuiltCell, GateDefinition, ProgramOptions, Project};

use crate::builds::Subject;
use crate::error::LabError;
use crate::matrix::in_order;

/// The gates of a project, and the builds of its cells, the one that others are held against first.
#[derive(Debug)]
pub struct GatesRequest<'a> {
    pub(super) project: &'a Project,
    pub(super) cells: Vec<Gated<'a>>,
}

/// The build of a cell.
#[derive(Debug)]
pub(super) struct Gated<'a> {
    pub(super) subject: Subject,
    pub(super) options: Option<&'a ProgramOptions>,
}

impl<'a> GatesRequest<'a> {
    /// The gates of a project's file for the cells that have a build.
    ///
    /// # Errors
    ///
    /// When no baseline has a build, or a capture lacks its image.
    pub fn of_project(project: &'a Project, built: &[BuiltCell]) -> Result<Self, LabError> {
        let mut cells = Vec::new();
        let made = |name: &str| {
            built
                .iter()
                .any(|cell| cell.cell.name == name && cell.made().is_some())
        };
        if project.baselines().next().is_some() && !project.baselines().any(made) {
            return Err(LabError::Refused(
                "no baseline has a build, so that gates have nothing to hold the others against\n  \
                 next: mend its build, or name another in `baselines`"
                    .to_owned(),
            ));
        }
        for cell in in_order(project, built) {
            let Some(made) = cell.made() else { continue };
            let options = cell.cell.axes.options.as_ref();
            cells.push(Gated {
                subject: Subject::of_cell(&cell.cell, made)?,
                options: options.and_then(|name| project.definitions.options.get(name)),
            });
        }
        Ok(GatesRequest { project, cells })
    }

    /// Whether there is nothing to be run.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gates().next().is_none() || self.cells.is_empty()
    }

    pub(super) fn gates(&self) -> impl Iterator<Item = (&'a str, &'a GateDefinition)> {
        let gates = self.project.gates.iter();
        gates.map(|(name, gate)| (name.as_str(), gate))
    }
}

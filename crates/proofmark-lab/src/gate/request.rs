//! What is asked: the gates of a project's file, and the builds of its cells.

use std::path::Path;

use proofmark_project::{BuiltCell, Cell, GateDefinition, Made, ProgramOptions, Project};

use crate::builds::{Subject, of_cells};
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
    /// The gates of a project's file for the cells that have a build; `own` is proofmark's own
    /// folder.
    ///
    /// # Errors
    ///
    /// When no baseline has a build, a capture lacks its image, or a tree of files cannot be put in
    /// its place.
    pub fn of_project(
        project: &'a Project,
        built: &[BuiltCell],
        own: &Path,
    ) -> Result<Self, LabError> {
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
        let all = in_order(project, built).into_iter();
        let all: Vec<(&Cell, &Made)> = all
            .filter_map(|cell| Some((&cell.cell, cell.made()?)))
            .collect();
        let subjects = match project.gates.is_empty() {
            true => Vec::new(),
            false => of_cells(&all, own)?,
        };
        let cells = subjects
            .into_iter()
            .zip(all)
            .map(|(subject, (cell, _))| Gated {
                subject,
                options: (cell.axes.options.as_ref())
                    .and_then(|name| project.definitions.options.get(name)),
            });
        Ok(GatesRequest {
            project,
            cells: cells.collect(),
        })
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

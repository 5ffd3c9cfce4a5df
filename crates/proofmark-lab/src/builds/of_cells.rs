//! The builds of a project's cells, each with the files that its runs read.

use std::path::Path;

use proofmark_project::{Cell, Made, MadeTree};

use super::subject::Subject;
use crate::error::LabError;
use crate::tree::{Folder, Tree};

impl Subject {
    /// A cell of a matrix, by the cell's name, where nothing else has to be put in the place of
    /// what its runs read.
    ///
    /// # Errors
    ///
    /// When its capture does not have the image, or its source has a tree.
    pub fn of_cell(cell: &Cell, made: &Made) -> Result<Subject, LabError> {
        match &made.tree {
            None => Ok(Subject::without_tree(cell, made)?),
            Some(_) => Err(LabError::Refused(format!(
                "the runs of `{cell}` read a tree of files, which its source says (`tree`), and only \
                 a matrix and a ledger put one in its place\n  next: name a cell of a source \
                 without `tree`"
            ))),
        }
    }
}

/// The builds of cells. Where their sources have trees, the runs of all see theirs where the first
/// one's is; `own` is proofmark's own folder.
///
/// # Errors
///
/// When a capture does not have its image, a cell lacks a tree that another one has, or a tree
/// cannot be put in its place.
pub(crate) fn of_cells(cells: &[(&Cell, &Made)], own: &Path) -> Result<Vec<Subject>, LabError> {
    let subjects = cells.iter();
    let subjects = subjects.map(|(cell, made)| Subject::without_tree(cell, made));
    let mut subjects = subjects.collect::<Result<Vec<_>, _>>()?;
    let trees: Vec<&MadeTree> = cells
        .iter()
        .filter_map(|(_, made)| made.tree.as_ref())
        .collect();
    let Some(first) = trees.first() else {
        return Ok(subjects);
    };
    if let Some((cell, _)) = cells.iter().find(|(_, made)| made.tree.is_none()) {
        return Err(LabError::Refused(format!(
            "the source of `{cell}` has no `tree`, and that of another cell has one: the runs of all \
             cells see theirs at one path\n  next: give it a `tree` too"
        )));
    }
    let folders: Vec<Folder> = trees.iter().map(|tree| folder(tree)).collect();
    let trees = Tree::of_folders(&folders, &first.at, own)?;
    for (subject, tree) in subjects.iter_mut().zip(trees) {
        subject.tree = Some(tree);
    }
    Ok(subjects)
}

fn folder(tree: &MadeTree) -> Folder {
    Folder {
        lies: tree.lies.clone(),
        kept: Some(tree.folder.clone()),
        inside: tree.inside.clone(),
    }
}

//! Cells by their names.

use super::cell::Cell;
use crate::definition::Problem;

/// The cells of a matrix, in the order of its axes: toolchains, then sources, flag sets, program
/// options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Each one; names differ.
    pub all: Vec<Cell>,
    /// Indices of the baselines, in the order in which they are written down.
    pub baselines: Vec<usize>,
}

impl Cells {
    /// The cell with this name, its words in any order where only one cell has them.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Cell> {
        let names: Vec<&str> = self.all.iter().map(|cell| cell.name.as_str()).collect();
        cell_named(&names, name)
            .ok()
            .and_then(|at| self.all.get(at))
    }

    /// The cell with this name, its words in any order where only one cell has them.
    ///
    /// # Errors
    /// When there is none, or more than one: names the nearest.
    pub fn named(&self, name: &str) -> Result<&Cell, Problem> {
        let names: Vec<&str> = self.all.iter().map(|cell| cell.name.as_str()).collect();
        let at = cell_named(&names, name)?;
        self.all
            .get(at)
            .ok_or_else(|| Problem::new(&[], "there is no such cell"))
    }
}

/// Which of these cells is meant: the one of exactly this name, or else the only one that has these
/// words.
///
/// # Errors
/// When there is none, or several: flag sets that are joined in another order make another cell.
pub fn cell_named(names: &[&str], asked: &str) -> Result<usize, Problem> {
    let exact = asked.split_whitespace().collect::<Vec<&str>>().join(" ");
    if let Some(at) = names.iter().position(|name| *name == exact) {
        return Ok(at);
    }
    let words = sorted(asked);
    let same = |at: &usize| sorted(names[*at]) == words;
    let found: Vec<usize> = (0..names.len()).filter(same).collect();
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let what = format!("there is no cell `{asked}` in the matrix");
            Err(Problem::new(&[], what).among(asked, names.iter().copied()))
        }
        several => {
            let could: Vec<String> = several
                .iter()
                .map(|at| format!("`{}`", names[*at]))
                .collect();
            let what = format!("`{asked}` could be {}", could.join(" or "));
            let next =
                "the order of flag sets tells them apart: write the words as in one of these";
            Err(Problem::new(&[], what).next(next))
        }
    }
}

/// The words of a name, in an order of their own.
pub(super) fn sorted(name: &str) -> Vec<&str> {
    let mut words: Vec<&str> = name.split_whitespace().collect();
    words.sort_unstable();
    words
}

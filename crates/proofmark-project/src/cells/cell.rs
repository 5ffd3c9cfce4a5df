//! One combination of a matrix.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One combination of a matrix: a build, and how it is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Its words: toolchain, source (where the matrix has several), flag sets, program options.
    pub name: String,
    /// What it is made of.
    pub axes: Axes,
    /// One of the matrix's baselines.
    pub baseline: bool,
}

/// The values of a cell along the axes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Axes {
    /// The toolchain's name.
    pub toolchain: String,
    /// The source's name.
    pub source: String,
    /// Names of flag sets, in the order in which they are added; empty for none.
    pub flags: Vec<String>,
    /// The name of the program options; `None` for none.
    pub options: Option<String>,
}

impl Axes {
    /// Every word that a selection may name it by.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        [self.toolchain.as_str(), self.source.as_str()]
            .into_iter()
            .chain(self.flags.iter().map(String::as_str))
            .chain(self.options.as_deref())
    }

    /// The words of its name. The source is said only where there are several.
    pub(super) fn name(&self, with_source: bool) -> String {
        let words = self
            .words()
            .enumerate()
            .filter(|(at, _)| *at != 1 || with_source);
        words.map(|(_, word)| word).collect::<Vec<&str>>().join(" ")
    }

    /// Whether both are the same build, however they are run.
    #[must_use]
    pub fn same_build(&self, other: &Axes) -> bool {
        self.toolchain == other.toolchain
            && self.source == other.source
            && self.flags == other.flags
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

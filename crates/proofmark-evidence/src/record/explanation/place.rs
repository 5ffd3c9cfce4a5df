//! Where CPU time is spent, and by how much that differs.

use serde::{Deserialize, Serialize};

use super::FunctionBetween;
use crate::private::parts;

/// A difference, new less base, with its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DifferenceFound {
    /// The mean over blocks.
    pub estimate: f64,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl DifferenceFound {
    /// Whether 0 lies outside of its interval.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Where CPU time is spent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PlaceOf {
    /// In a function of the image.
    Function {
        /// Its symbol in the build, or in the base where the build has it not.
        symbol: String,
        /// As people call it.
        name: String,
    },
    /// In functions of the image that the file does not name.
    Nameless,
    /// In a file that is not the image: a library.
    Library {
        /// The file's name, without its folder.
        file: String,
    },
    /// In the kernel, with the start of the process.
    Kernel,
    /// Where no file lies: code made while the program ran.
    Unknown,
}

parts!(
    enum PlaceOf {
        Function { symbol: mixed, name: mixed },
        Nameless,
        Library { file: mixed },
        Kernel,
        Unknown,
    }
);

/// A place, and how much of the time of a run is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaceFound {
    /// The place.
    pub place: PlaceOf,
    /// Its share of the base's CPU time.
    pub base: f64,
    /// Its CPU time in the new build, as a share of the base's CPU time.
    pub new: f64,
    /// New less base, on the same scale; the intervals of all places that were held against noise
    /// hold together. Absent of a place that is too small for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<DifferenceFound>,
    /// How its machine code changed; absent where it did not, and of what is no function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<FunctionBetween>,
    /// The source line of which the time differs most; absent without line tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<LineFound>,
}

parts!(PlaceFound {
    place: inner,
    base: open,
    new: open,
    difference: open,
    code: inner,
    line: inner,
});

/// A line of a source file, and how much of the time of a run is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineFound {
    /// The file's name, without its folder.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// Its share of the base's CPU time.
    pub base: f64,
    /// Its CPU time in the new build, as a share of the base's CPU time.
    pub new: f64,
}

parts!(LineFound {
    file: mixed,
    line: open,
    base: open,
    new: open,
});

//! The machine, written down: what a reader needs to know before believing a number from it.

pub(crate) mod read;

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// One thing read off the machine, or the reason why it could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fact {
    /// As found.
    Known(String),
    /// Not to be had, and why.
    Unavailable(String),
}

impl Fact {
    /// The words, known or not.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Fact::Known(text) | Fact::Unavailable(text) => text,
        }
    }
}

/// A machine at one moment. Keys are stable words: `cpu`, `microcode`, `kernel`, `governor`, `turbo`, `smt`, `hypervisor`, `cores`,
/// `memory`, `load`, `steal`, `aslr`, `perf-events`, `cgroup`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Machine {
    /// Fact by key.
    pub facts: BTreeMap<String, Fact>,
}

/// Reads this machine as it is now. Takes a tenth of a second, during which load and steal are watched.
#[must_use]
pub fn read_machine() -> Machine {
    read::read(Path::new("/"))
}

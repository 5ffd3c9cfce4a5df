//! The machine, written down: what a reader needs to know before believing a number from it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One thing read off the machine, or the reason why it could not be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reading {
    /// As found.
    Known(String),
    /// Not to be had, and why.
    Unavailable(String),
}

impl Reading {
    /// The words, known or not.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Reading::Known(text) | Reading::Unavailable(text) => text,
        }
    }
}

/// A machine at one moment. Keys are stable words: `cpu`, `microcode`, `kernel`, `governor`,
/// `turbo`, `smt`, `hypervisor`, `cores`, `memory`, `load`, `steal`, `aslr`, `perf-events`,
/// `cgroup`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Machine {
    /// What was read, by key.
    pub facts: BTreeMap<String, Reading>,
}

//! A compilation that is made once more, and what is known of it.

use std::time::SystemTime;

use super::environment::Environment;
use super::notes::Compilation;

/// A compilation that is made once more.
pub(super) struct Job {
    pub number: usize,
    pub again: Again,
    pub compilation: Compilation,
    pub first: First,
}

/// What is known of the first compilation.
#[derive(Clone, Default)]
pub(super) struct First {
    /// What it ran with, where it was seen running.
    pub environment: Option<Environment>,
    /// When it began; nothing where the file system does not tell.
    pub began: Option<SystemTime>,
}

/// What is compiled once more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Again {
    /// With function sections.
    Second,
    /// Just so: the first object was gone or another one before anybody saw it, and is known by
    /// what the same compilation gives.
    First,
}

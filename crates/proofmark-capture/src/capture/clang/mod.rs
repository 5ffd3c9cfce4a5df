//! clang, which assembles within itself and starts nothing that could be a shim: what it notes of
//! its compilations, and the second compilation of what it notes.

mod again;
mod environment;
mod inputs;
mod job;
mod notes;
mod queue;
mod second;
mod workers;

pub(super) use notes::{Compilation, compilations};
pub(super) use second::{ClangSecond, Watch};

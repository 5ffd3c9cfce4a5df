//! Project files, matrices and what their cells are built of.
//!
//! All of it is one program: linking takes its time once, and a test that waits leaves its core to
//! the tests of other files.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected stops there and then, and says what it skips"
)]

mod closure;
mod file;
mod followed;
mod matrix;
mod support;

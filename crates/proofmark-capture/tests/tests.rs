//! Builds by real tools under capture: what is kept, and what the build leaves.
//!
//! All of it is one program: linking takes its time once, and a test that waits leaves its core to
//! the tests of other files.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected stops there and then, and says what it skips"
)]

mod bad_input;
mod hostile;
mod left;
mod lto;
mod make;
mod projects;
mod store;
mod support;
mod trouble;
mod twice;

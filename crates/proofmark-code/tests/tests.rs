//! Machine code by real compilers, held against other readers of it.
//!
//! All of it is one program: linking takes its time once, and a test that waits leaves its core to
//! the tests of other files.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected stops there and then, and says what it skips"
)]

mod alike;
mod bad_input;
mod chosen;
mod cost;
mod difference;
mod documentation;
mod expectations;
mod hazards;
mod objects;
mod one_name;
mod oracle;
mod padded;
mod separate;
mod sources;
mod support;
mod tables;
mod unwind;

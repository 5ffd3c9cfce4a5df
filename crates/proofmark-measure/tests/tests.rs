//! Runs of real programs, held against what is known of them.
//!
//! All of it is one program: linking takes its time once, and a test that waits leaves its core to
//! the tests of other files.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected stops there and then, and says what it skips"
)]

mod accounting;
mod count;
mod killed;
mod model;
mod round;
mod run;
mod sample;
mod sandbox;
mod support;
mod tax;
mod trace;

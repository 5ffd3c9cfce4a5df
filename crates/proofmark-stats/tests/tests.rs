//! Statistics held against known truth: simulations, published tables, scipy.
//!
//! All of it is one program: linking takes its time once, and a test that waits leaves its core to
//! the tests of other files.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod agreement;
mod alarms;
mod attribute;
mod blocks;
mod changes;
mod claims;
mod instrument;
mod known_truth;
mod layouts;
mod ledger;
mod looks;
mod planning;
mod properties;
mod scale;
mod scipy;
mod simulation;
mod slicing;
mod sweep;
mod verdicts;

//! Gates: what the build of each cell has to get right before it is timed.
//!
//! A gate is a suite of tests whose results are held against those of base ([`suite`]), or inputs
//! that base and build have to answer alike ([`differential`]), or a size that they may have
//! ([`size`]). Builds run as they were shipped, each at its own place and with its own libraries,
//! as the runs do that are timed. What did not open the build's image did not judge it
//! ([`opened`]).

mod bench;
mod differential;
mod inputs;
mod judged;
mod kept;
mod opened;
mod request;
mod run;
mod shrink;
mod size;
mod suite;

pub use request::GatesRequest;
pub use run::{passing, run_gates};

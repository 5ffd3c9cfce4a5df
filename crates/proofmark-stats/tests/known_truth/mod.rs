//! Simulated blocks whose true effect is known, and how the stopping rule fares on them.
#![allow(
    dead_code,
    reason = "every user of this module needs another part of it"
)]

pub(crate) mod noise;
pub(crate) mod tally;

pub(crate) use noise::Noise;
pub(crate) use tally::run;

//! Evidence that somebody else recorded, checked: every number of a conclusion is computed again
//! from the raw samples, and the samples are held against their plan. Nothing is measured, started
//! or fetched.

mod experiment;
mod matrix;
mod numbers;
mod plausible;
mod studies;
mod verified;

pub use numbers::{Disagreement, TOLERANCE};
pub use plausible::Implausible;
pub use verified::{Finding, Verification, VerifiedChain, verify};

//! Evidence that somebody else recorded, checked: every number of a conclusion is computed again
//! from the raw samples, and the samples are held against their plan. Nothing is measured, started
//! or fetched.

mod confirmation;
mod experiment;
mod found;
mod gated;
mod ledger;
mod ledger_names;
mod matrix;
mod numbers;
mod plausible;
mod studies;
mod verified;

pub use found::{Disagreement, Finding, Verification, VerifiedChain};
pub use numbers::TOLERANCE;
pub use plausible::Implausible;
pub use verified::verify;

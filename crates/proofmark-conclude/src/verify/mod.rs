//! Evidence that somebody else recorded, checked: every number of a conclusion is computed again
//! from the raw samples, and the samples are held against their plan. Nothing is measured, started
//! or fetched.

mod absent;
mod bisect;
mod confirmation;
mod experiment;
mod experiments;
mod found;
mod gated;
mod ledger;
mod ledger_copies;
mod ledger_names;
mod matrix;
mod numbers;
mod plausible;
mod series;
mod studies;
mod verified;

pub use found::{AsRecorded, Disagreement, Finding, Verification, VerifiedChain};
pub use numbers::TOLERANCE;
pub use plausible::Implausible;
pub use verified::verify;

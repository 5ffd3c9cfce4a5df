//! Remedies against a placement: builds in which hot functions stand otherwise, each held against
//! the build as it was, and the one that helps most measured afresh.
//!
//! [`run_remedies`] makes them from the captured build, without compiling: `hot` knows which
//! functions are hot, `made` what is tried and what came of it.

mod hot;
mod made;
mod request;
mod run;

pub use made::{Made, Outcome, Remedy, Tried};
pub use request::RemediesRequest;
pub use run::{RemediesRun, run_remedies};

//! An explanation: what a change that a comparison found is made of.
//!
//! [`run_explanation`] reads like a table of contents: the machine code of both builds is compared,
//! traced runs say what is asked of the system, sampled runs of both in the images of the
//! comparison's blocks say where the time is, a model of caches is asked, and what they add up to is
//! concluded.

mod asked;
mod code;
mod conduct;
mod request;
mod run;
mod sampled;
mod simulated;

pub use request::ExplanationRequest;
pub use run::run_explanation;

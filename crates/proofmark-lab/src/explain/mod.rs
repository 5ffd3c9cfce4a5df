//! An explanation: what a change that a comparison found is made of.
//!
//! [`run_explanation`] reads like a table of contents: the machine code of both builds is compared,
//! traced runs say what is asked of the system, sampled runs of both in the images of the
//! comparison's blocks say where the time is, counters and a model of caches are asked, the hot code
//! of the images as shipped is looked at, and what all that adds up to is concluded.

mod asked;
mod called;
mod code;
mod conduct;
mod hardware;
mod missed;
mod placed;
mod request;
mod run;
mod sampled;
mod simulated;

pub use called::CalledRuns;
pub use request::ExplanationRequest;
pub use run::{ExplanationRun, run_explanation};

//! A bisection carried out: the ends first, then commit after commit beside both of them, each step
//! stored before the next begins.
//!
//! [`run_bisect`] is the whole of it. `course` goes from step to step, `ends` asks whether there is
//! anything to look for, `step` judges one commit, `scripted` has a command judge, `found` looks at
//! what the answer changes.

mod code;
mod course;
mod ends;
mod found;
mod request;
mod run;
mod scripted;
mod step;

pub use request::{BisectRequest, Revisions, Role};
pub use run::run_bisect;

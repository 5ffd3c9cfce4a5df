//! A bisection carried out: the ends first, then commit after commit beside both of them, each step
//! stored before the next begins.
//!
//! [`run_bisect`] is the whole of it. `course` goes from step to step, `ends` asks whether there is
//! anything to look for, `rebuilt` whether a build is a property
//! of its commit at all, `step` judges one commit, `survey` looks for every change and not for one,
//! `departed` whether an earlier answer still stands, `scripted` has a command judge, `found` looks
//! at what the answer changes. `same_work` keeps all of them from what only drawn images do.

mod code;
mod course;
mod departed;
mod ends;
mod found;
mod rebuilt;
mod request;
mod run;
mod same_work;
mod scripted;
mod step;
mod survey;

pub(crate) use departed::Look;
pub(crate) use rebuilt::rebuilt;
pub use request::{BisectRequest, Kept, Revisions, Role};
pub use run::run_bisect;
pub(crate) use same_work::same_work;
pub(crate) use step::{first_line, own_matter};

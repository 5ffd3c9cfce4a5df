//! A sweep: one build with a function at many addresses, measured beside the same image with the
//! function where it was shipped.
//!
//! [`run_sweep`] reads like a table of contents: the function is chosen, its images can be made,
//! the program is looked at, blocks are measured until each address is known well enough.

mod addresses;
mod apart;
mod choose;
mod conduct;
mod images;
mod look;
mod moving;
mod reached;
mod request;
mod run;
mod trap;

pub(crate) use apart::Apart;
pub(crate) use choose::{Found, functions, heads};
pub(crate) use reached::reached;
pub use request::SweepRequest;
pub use run::run_sweep;

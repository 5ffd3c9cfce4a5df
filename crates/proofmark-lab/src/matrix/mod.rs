//! A matrix measured: blocks that contain all builds, benchmark by benchmark in step, and every
//! build held against every baseline.
//!
//! Each benchmark (at each of its sizes) is an experiment of the usual kind whose builds are all
//! cells, the main baseline first. All have one seed, so that block i is of the same layouts, and
//! of the same images, everywhere; that is what makes one number a block of a whole suite. A
//! [`Sheet`](proofmark_conclude::Sheet) holds what the blocks say and which questions are open;
//! [`conduct_matrix`] measures the blocks that those need.

mod begin;
mod code;
mod conduct;
mod doubts;
mod forecast;
mod inputs;
mod member;
mod project;
mod request;
mod run;
mod stage;

pub use begin::load_matrix;
pub use conduct::{Stage, conduct_matrix};
pub use forecast::forecast_matrix;
pub use member::{MatrixUnderWay, MemberUnderWay};
pub(crate) use project::in_order;
pub use project::{MatrixCode, MatrixDesign, benchmarks_of};
pub use request::{MatrixRequest, MemberRequest};
pub use run::run_matrix;

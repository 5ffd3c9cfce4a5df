//! One experiment, from a request to a conclusion in the store.
//!
//! [`run`] is the whole of it: the builds are held fast and looked at, [`begin`] writes down what
//! is asked, [`conduct`] measures block after block until a verdict and concludes.

mod answer;
mod begin;
mod conclude;
mod conduct;
mod doubt;
mod heap;
mod inherited;
mod layouts;
mod measure;
mod populations;
mod ready;
mod request;
mod run;
mod under_way;

pub use begin::begin;
pub(crate) use begin::{digest, this_machine, warmed, without_budget};
pub use conduct::conduct;
pub(crate) use conduct::piloted;
pub(crate) use doubt::Compared;
pub(crate) use heap::heap_start;
pub(crate) use layouts::{layout_control_of_matrix, layouts_without_linking, unguarded};
pub(crate) use measure::{Measured, NextBlock, measure};
pub(crate) use ready::Ready;
pub use request::{CountedRuns, LayoutChoice, Request};
pub(crate) use run::compare_until_told;
pub use run::{compare, run};
pub use under_way::UnderWay;

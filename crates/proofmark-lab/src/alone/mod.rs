//! What experiments on one build alone have in common: sweeps, attributions, and whether a place is
//! ever reached. The build is held fast and its benchmark set up, fresh copies of its images run in
//! turn, and outputs are held against those of the first image.

mod bench;
mod nature;
mod setting;
mod trapped;

pub(crate) use bench::{AloneBench, Put};
pub(crate) use nature::{Nature, nature};
pub(crate) use setting::{Setting, inputs_hold, link_of};

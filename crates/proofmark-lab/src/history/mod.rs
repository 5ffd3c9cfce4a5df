//! A series of commits measured point by point beside anchors, each point stored before the next
//! begins.
//!
//! [`run_history`] samples a range and refines where the level changes; [`add_to_history`] is for
//! one more commit. `course` knows what there is, `point` measures one commit, `pair` compares two
//! with fresh layouts, `survey` goes from point to point, `stands` asks whether earlier points are
//! of what there is now.

mod check;
mod course;
mod pair;
mod point;
mod request;
mod run;
mod stands;
mod survey;

pub use check::{Added, OpenAlarm, add_to_history};
pub use request::{HistoryRequest, SeriesRequest};
pub use run::{Ran, run_history};

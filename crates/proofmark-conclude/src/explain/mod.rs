//! What a change is made of: a comparison and sampled blocks in, the first cause out.
//!
//! [`conclude`] adds up where the time is and what was counted; [`first_cause`] decides, by numbers
//! alone.

mod cause;
mod conclude;
mod counts;
mod kernel;
mod known;
mod missed;
mod placement;
mod places;
mod processor;
mod remedies;
mod worked;

pub use cause::first_cause;
pub use conclude::{conclude, is_by_place, unseen};
pub use known::Known;
pub use missed::Missed;
pub use processor::OfProcessor;
pub use remedies::best_remedy;
pub use worked::Worked;

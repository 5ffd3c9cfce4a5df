//! A bisection: which commit is tried next, at which level, and what its blocks say. Pure: the
//! graph of commits is given as numbers, the blocks as recorded.

mod figures;
mod history;
mod search;
mod side;
mod spending;
mod survey;

pub use figures::{
    EndsSay, beside, effect_of, effect_of_ends, exited_like, measured, of_ends, only_comparison,
};
pub use history::{History, HistoryError};
pub use search::{Next, Search};
pub use side::{Judgement, Mark, Nearer, ends_sign, is_placed, judge, judge_values};
pub use spending::level;
pub use survey::{Look, Survey, before, stretch};

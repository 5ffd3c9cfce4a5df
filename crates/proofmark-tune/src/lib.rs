//! Settings of a machine for the time of a measurement, and always back.
//!
//! A [`Plan`] says what would be set; nothing is changed until a [`Tuner`] carries it out. Former
//! values are written down before the first change, in a folder that root alone can write. Whatever
//! ends the process that made the changes, they are taken back: by itself, or by the next command.

mod change;
mod company;
mod error;
mod group;
mod item;
mod journal;
mod leftover;
mod lock;
mod mount;
mod plan;
mod setting;
mod surroundings;
#[cfg(test)]
mod tests;
mod tree;
mod tuner;
mod undo;

pub use change::{Change, Failed};
pub use company::{Company, name_of};
pub use error::TuneError;
pub use group::Group;
pub use item::Item;
pub use journal::{Journal, Lasting};
pub use leftover::{Leftover, put_back_leftover, tuned_core};
pub use mount::Mount;
pub use plan::{Finding, Held, Plan, Step, Wanted, cores_in_use};
pub use setting::Setting;
pub use surroundings::{Power, Surroundings};
pub use tree::{About, Disk, Kind, Tree};
pub use tuner::{Tuned, Tuner};
pub use undo::Undone;

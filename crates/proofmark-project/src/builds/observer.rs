//! Who is told what happens while builds are made.

use super::built::BuiltCell;
use crate::cells::Cell;

/// What happens while builds are made.
pub trait BuildObserver: Sync {
    /// A build begins.
    fn begins(&self, _cell: &Cell) {}

    /// A build has ended, well or not.
    fn ends(&self, _cell: &BuiltCell) {}

    /// Whether to end the builds under way, and begin no further one.
    fn stopped(&self) -> bool {
        false
    }
}

/// Watches nothing, and never stops.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl BuildObserver for Unwatched {}

//! What goes on beside the blocks of a bench.

use std::cell::RefCell;
use std::rc::Rc;

use proofmark_layout::Recipe;

use crate::beside::{Counting, Reading};
use crate::images::Maker;

/// What is under way on other threads.
#[derive(Default)]
pub(crate) struct Alongside {
    /// The images of the blocks to come; absent where placement is not varied. Benchmarks of one
    /// suite share it.
    pub(crate) maker: Option<Rc<RefCell<Maker>>>,
    /// Instructions.
    pub(crate) counting: Option<Counting>,
    /// Whether drawn images that are in question are counted at the end.
    pub(crate) counts_drawn: bool,
    /// The link of each build, in their order, where matched layouts make data alike.
    pub(crate) links: Vec<Recipe>,
    /// Machine code.
    pub(crate) reading: Option<Reading>,
}

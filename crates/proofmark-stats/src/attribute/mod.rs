//! Whose place carries the spread between layouts: shares of its variance from layouts of which one
//! keeps the places of some functions of another.
//!
//! A block has a layout A, an independent layout B, and for each group of functions a layout U that
//! has the group's places from A and everything else from B. Every layout is measured twice, in
//! fresh copies of its image, and only products of one measurement with the other count: what noise
//! does to one it does not do to the other, so that it takes no part in the mean.

mod bursts;
mod chance;
mod features;
mod needed;
mod recorded;
mod shares;

pub use bursts::without_bursts;
pub use chance::{Sign, signs};
pub use features::{ByFeature, Feature, explained_by_features};
pub use needed::layouts_needed;
pub use recorded::{ByPlace, Places, explained_by_places};
pub use shares::{Bounded, Part, Shares, shares};

/// The logarithm of a metric in one layout, measured twice. Within a block the zero is arbitrary.
pub type Twice = [f64; 2];

/// The layouts of one block.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixed {
    /// Layout A.
    pub one: Twice,
    /// Layout B, drawn independently.
    pub other: Twice,
    /// For each group: its places from A, everything else from B.
    pub kept: Vec<Twice>,
}

impl Mixed {
    /// Whether all values are numbers, and there are so many groups.
    fn is_of(&self, groups: usize) -> bool {
        let all = [self.one, self.other];
        let mut all = all.iter().chain(&self.kept).flatten();
        self.kept.len() == groups && all.all(|value| value.is_finite())
    }
}

/// The mean of both ways to multiply one measurement of x with the other of y.
fn crossed(x: Twice, y: Twice) -> f64 {
    (x[0] * y[1] + x[1] * y[0]) / 2.0
}

fn less(x: Twice, y: Twice) -> Twice {
    [x[0] - y[0], x[1] - y[1]]
}

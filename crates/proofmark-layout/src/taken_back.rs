//! What matched layouts take back of a change: where functions and data stand, and how densely they
//! lie.

use crate::LayoutError;
use crate::density::{Spread, spread_at_all};
use crate::evened::Evened;
use crate::recipe::Recipe;
use crate::reordered::reordered;
use crate::survey::Look;

/// What matched layouts of two builds take back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakenBack {
    /// Another order of functions and data.
    Order(Evened),
    /// Code or data that lies more densely in the file.
    Spread(Spread),
}

/// What matched layouts of two builds take back, the order first; `None` where that is little. An
/// order of `few` bytes or less is. Links both once, in folders for temporary files.
///
/// # Errors
/// When an input cannot be read or a link fails.
pub fn taken_back(a: &Recipe, b: &Recipe, few: u64) -> Result<Option<TakenBack>, LayoutError> {
    let (a, b) = rayon::join(|| Look::at(a), || Look::at(b));
    let looks = [a?, b?];
    let spread = spread_at_all(&looks).map(TakenBack::Spread);
    Ok(reordered(looks, few).map(TakenBack::Order).or(spread))
}

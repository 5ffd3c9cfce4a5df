//! What a search can see of a history.

/// Commits of a history.
pub(crate) const COMMITS: usize = 1000;

/// A history whose builds can be measured.
pub(crate) trait World {
    /// A block of the ends: ln(newer ÷ older).
    fn ends(&mut self) -> f64;

    /// A block of a commit beside both ends: ln(older ÷ commit) and ln(newer ÷ commit).
    fn beside(&mut self, commit: usize) -> [f64; 2];

    /// ln of the median of five runs of a commit as it was linked, or of the older end.
    fn median(&mut self, commit: Option<usize>) -> f64;
}

//! A row of the table of nominal levels.

/// How many last looks the table has.
pub(super) const COLUMNS: usize = 10;

/// The levels of designs that differ in their last look only.
pub(super) struct Row {
    pub(super) confidence: f64,
    pub(super) comparisons: u32,
    pub(super) min: u32,
    pub(super) levels: [f64; COLUMNS],
}

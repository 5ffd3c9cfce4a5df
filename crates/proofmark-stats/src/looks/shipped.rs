//! Reading the table of nominal levels.

use super::table::{LAST_LOOKS, TABLE};

/// The levels of designs that differ in their last look only.
pub(super) struct Row {
    pub(super) confidence: f64,
    pub(super) comparisons: u32,
    pub(super) min: u32,
    pub(super) levels: [f64; LAST_LOOKS.len()],
}

/// α′ of a design, if the table has it.
pub(super) fn nominal_alpha(confidence: f64, comparisons: u32, min: u32, max: u32) -> Option<f64> {
    let column = LAST_LOOKS.iter().position(|&last| last == max)?;
    let same = |row: &&Row| {
        (row.confidence - confidence).abs() < 1e-12
            && row.comparisons == comparisons
            && row.min == min
    };
    TABLE
        .iter()
        .find(same)
        .map(|row| row.levels[column])
        .filter(|&level| level > 0.0)
}

//! Reading the table of nominal levels.

use super::row::Row;
use super::table::{LAST_LOOKS, TABLE};

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

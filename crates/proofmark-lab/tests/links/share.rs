//! The cells that are run by default: of each feature those that it names, and of every fifth one
//! without such a cell in turn, so that together they meet every toolchain. `bench/links` runs all.

use std::collections::HashSet;

use crate::cell::Cell;

/// The names of those cells.
pub(crate) fn of(cells: &[Cell]) -> HashSet<String> {
    let mut chosen = HashSet::new();
    let mut turn = 0;
    for row in
        cells.chunk_by(|a, b| a.feature.name == b.feature.name && a.variant.name == b.variant.name)
    {
        let named: Vec<&Cell> = row
            .iter()
            .filter(|cell| cell.feature.share.contains(&cell.toolchain.name))
            .collect();
        if !named.is_empty() {
            chosen.extend(named.into_iter().map(Cell::name));
            continue;
        }
        // In steps that share no factor with the usual number of toolchains, and one feature of
        // five: the share has a minute.
        let possible: Vec<&Cell> = row.iter().filter(|cell| cell.may_work()).collect();
        let cell = possible.get(turn % possible.len().max(1));
        if let Some(cell) = cell.filter(|_| turn / 5 % 5 == 0) {
            chosen.insert(cell.name());
        }
        turn += 5;
    }
    chosen
}

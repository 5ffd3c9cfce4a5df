//! The addresses of a sweep as rows and columns: rows are the high bits, columns the low ones.

use proofmark_evidence::record::{Sweep, SweptAddress};

/// Columns of a map.
pub(super) const COLUMNS: usize = 16;
/// Most rows of a map of scattered addresses.
const MOST_ROWS: u64 = 64;

/// Addresses by row and column.
#[derive(Debug)]
pub(super) struct Grid {
    /// What the columns are called: what is added to the address of the row.
    pub(super) columns: Vec<String>,
    /// What the rows are called: the address of their first column.
    pub(super) rows: Vec<String>,
    /// The index of the address at each place; none where nothing was measured.
    pub(super) cells: Vec<Vec<Option<usize>>>,
}

impl Grid {
    /// The addresses of a sweep. The step from one column to the next is the largest that all
    /// addresses have in common. Where they are too scattered for a map, they stand one behind the
    /// other, each with its own name.
    pub(super) fn of(sweep: &Sweep) -> Grid {
        if sweep.against.is_some() {
            return Grid::of_pairs(sweep);
        }
        let addresses: Vec<u64> = sweep.addresses.iter().map(|one| one.address).collect();
        Grid::of_addresses(&addresses)
    }

    /// These addresses, in ascending order.
    fn of_addresses(addresses: &[u64]) -> Grid {
        let first = addresses.first().copied().unwrap_or(0);
        let last = addresses.last().copied().unwrap_or(0);
        let step = addresses
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .fold(0, common)
            .max(1);
        let row_bytes = step * COLUMNS as u64;
        // Rows begin where the bits of the columns are zero, so that columns are bits. Those below
        // are the same in all addresses.
        let start = if row_bytes.is_power_of_two() {
            first - first % row_bytes + first % step
        } else {
            first
        };
        let rows = (last - start) / row_bytes + 1;
        // Where every second place at least has an address, more rows are no scatter.
        let dense = 2 * addresses.len() as u64 / COLUMNS as u64;
        if rows > MOST_ROWS.max(dense) {
            return Grid::scattered(addresses);
        }
        let at = |row: u64, column: usize| start + row * row_bytes + column as u64 * step;
        let found = |row| {
            (0..COLUMNS)
                .map(|column| addresses.binary_search(&at(row, column)).ok())
                .collect()
        };
        Grid {
            columns: (0..COLUMNS)
                .map(|column| column_name(column as u64 * step, start.is_multiple_of(row_bytes)))
                .collect(),
            rows: (0..rows).map(|row| format!("{:#x}", at(row, 0))).collect(),
            cells: (0..rows).map(found).collect(),
        }
    }

    /// Rows are the starts of the functions, columns the lowest twelve bits of the starts of those
    /// that move against them.
    fn of_pairs(sweep: &Sweep) -> Grid {
        let distinct = |all: Vec<u64>| {
            let mut all = all;
            all.sort_unstable();
            all.dedup();
            all
        };
        let rows = distinct(sweep.addresses.iter().map(|one| one.address).collect());
        let columns = distinct(sweep.addresses.iter().filter_map(|one| one.other).collect());
        let cell = |row: u64, column: u64| {
            let is_it = |one: &SweptAddress| one.address == row && one.other == Some(column);
            sweep.addresses.iter().position(is_it)
        };
        Grid {
            columns: columns
                .iter()
                .map(|at| format!("{:x}", at % 4096))
                .collect(),
            rows: rows.iter().map(|at| format!("{at:#x}")).collect(),
            cells: rows
                .iter()
                .map(|&row| columns.iter().map(|&column| cell(row, column)).collect())
                .collect(),
        }
    }

    fn scattered(addresses: &[u64]) -> Grid {
        let indices: Vec<usize> = (0..addresses.len()).collect();
        let row = |chunk: &[usize]| {
            let mut cells: Vec<Option<usize>> = chunk.iter().copied().map(Some).collect();
            cells.resize(COLUMNS, None);
            cells
        };
        Grid {
            columns: (1..=COLUMNS).map(|nth| nth.to_string()).collect(),
            rows: addresses
                .chunks(COLUMNS)
                .map(|chunk| format!("{:#x}…", chunk[0]))
                .collect(),
            cells: indices.chunks(COLUMNS).map(row).collect(),
        }
    }

    /// Where an address stands.
    pub(super) fn place(&self, index: usize) -> Option<(usize, usize)> {
        self.cells.iter().enumerate().find_map(|(row, cells)| {
            let column = cells.iter().position(|cell| *cell == Some(index))?;
            Some((row, column))
        })
    }
}

/// A column's low bits, or what it adds to the row's address.
fn column_name(bytes: u64, bits: bool) -> String {
    if bits {
        format!("{bytes:x}")
    } else {
        format!("+{bytes:x}")
    }
}

/// The greatest common divisor.
fn common(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::{Grid, common};

    #[test]
    fn every_address_has_a_place_whatever_steps_lie_between_them() {
        let runs = [
            (0x1000, 1),
            (0x1001, 2),
            (0x1185, 16),
            (0x2003, 3),
            (0x1fff, 64),
        ];
        for (first, step) in runs {
            let addresses: Vec<u64> = (0..40).map(|at| first + at * step).collect();
            let grid = Grid::of_addresses(&addresses);
            for index in 0..addresses.len() {
                assert!(grid.place(index).is_some(), "{first:#x} {step} {index}");
            }
        }
        let page: Vec<u64> = (0..4096).collect();
        assert_eq!(Grid::of_addresses(&page).rows[255], "0xff0");
        let few = Grid::of_addresses(&[0x1185, 0x1195, 0x1419]);
        assert!((0..3).all(|index| few.place(index).is_some()));
    }

    #[test]
    fn what_steps_have_in_common() {
        assert_eq!([1, 2, 1].into_iter().fold(0, common), 1);
        assert_eq!([64, 128, 192].into_iter().fold(0, common), 64);
        assert_eq!(common(0, 0), 0);
    }
}

//! What two starts do that are swept against each other: each by itself, and both together.

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StudentT};

/// Tables of noise that are drawn: the least p value is one in so many and one more.
const DRAWS: u32 = 999;

/// One place of a table with its effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableCell {
    /// Index of its first start.
    pub row: usize,
    /// Index of its second start.
    pub column: usize,
    /// On the scale of ln.
    pub value: f64,
    /// Variance of that estimate.
    pub variance: f64,
    /// Blocks that it rests on.
    pub blocks: u32,
}

/// A share of the variance between the places of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TableShare {
    /// Noise removed; 0 to 1.
    pub share: f64,
    /// How often noise alone would make as much, 0 to 1.
    pub p_value: f64,
}

/// What rows, columns and both together explain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoWay {
    /// The rows by themselves.
    pub rows: TableShare,
    /// The columns by themselves.
    pub columns: TableShare,
    /// What is left: what a row does in one column and not in others.
    pub both: TableShare,
}

/// How the variance between the places of a full table parts into rows, columns and both together;
/// none where a place is missing or a side has fewer than two.
///
/// The sums of squares are those of a two-way analysis of variance with one value in each place
/// (Fisher 1925). With v the mean variance of the estimates and d the degrees of freedom of a part,
/// its share is (SS − d·v) ÷ (SST − (N − 1)·v), kept within 0 and 1. Its p value is the share of
/// 1,000 tables of noise alone, each place drawn from t(blocks − 1) times its standard error, in
/// which the part's SS is as large; the table itself counts as one of them.
#[must_use]
pub fn two_way(cells: &[TableCell], seed: u64) -> Option<TwoWay> {
    let rows = cells.iter().map(|cell| cell.row).max()? + 1;
    let columns = cells.iter().map(|cell| cell.column).max()? + 1;
    let sound =
        |cell: &TableCell| cell.value.is_finite() && cell.variance.is_finite() && cell.blocks > 1;
    let mut sorted: Vec<TableCell> = cells.iter().copied().filter(sound).collect();
    sorted.sort_by_key(|cell| (cell.row, cell.column));
    sorted.dedup_by_key(|cell| (cell.row, cell.column));
    if sorted.len() != rows * columns || rows < 2 || columns < 2 {
        return None;
    }
    let values: Vec<f64> = sorted.iter().map(|cell| cell.value).collect();
    let found = squares(&values, columns);
    let noise = sorted.iter().map(|cell| cell.variance).sum::<f64>() / sorted.len() as f64;
    let freedom = [
        (rows - 1) as f64,
        (columns - 1) as f64,
        ((rows - 1) * (columns - 1)) as f64,
    ];
    let signal = found.iter().sum::<f64>() - (sorted.len() - 1) as f64 * noise;
    let mut draw = ChaCha8Rng::seed_from_u64(seed);
    let mut as_large = [0_u32; 3];
    for _ in 0..DRAWS {
        let drawn: Vec<f64> = sorted
            .iter()
            .map(|cell| {
                let t = StudentT::new(f64::from(cell.blocks - 1)).map(|t| t.sample(&mut draw));
                t.unwrap_or(0.0) * cell.variance.sqrt()
            })
            .collect();
        for (count, (drawn, found)) in as_large
            .iter_mut()
            .zip(squares(&drawn, columns).iter().zip(&found))
        {
            *count += u32::from(*drawn >= found * (1.0 - 1e-12));
        }
    }
    let told = |part: usize| TableShare {
        share: if signal > 0.0 {
            ((found[part] - freedom[part] * noise) / signal).clamp(0.0, 1.0)
        } else {
            0.0
        },
        p_value: f64::from(as_large[part] + 1) / f64::from(DRAWS + 1),
    };
    Some(TwoWay {
        rows: told(0),
        columns: told(1),
        both: told(2),
    })
}

/// Sums of squares of a table given row by row: of rows, of columns, and of what is left.
fn squares(values: &[f64], columns: usize) -> [f64; 3] {
    let rows = values.len() / columns;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let of_row: Vec<f64> = values
        .chunks(columns)
        .map(|row| row.iter().sum::<f64>() / columns as f64)
        .collect();
    let of_column: Vec<f64> = (0..columns)
        .map(|column| values.iter().skip(column).step_by(columns).sum::<f64>() / rows as f64)
        .collect();
    let square = |means: &[f64]| means.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
    let left = values
        .iter()
        .enumerate()
        .map(|(at, value)| (value - of_row[at / columns] - of_column[at % columns] + mean).powi(2));
    [
        columns as f64 * square(&of_row),
        rows as f64 * square(&of_column),
        left.sum(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(value: impl Fn(usize, usize) -> f64, variance: f64) -> Vec<TableCell> {
        let cell = |at: usize| TableCell {
            row: at / 8,
            column: at % 8,
            value: value(at / 8, at % 8),
            variance,
            blocks: 9,
        };
        (0..64).map(cell).collect()
    }

    #[test]
    fn each_part_is_found_where_it_was_planted() {
        let bit = |at: usize| (at & 1) as f64 / 10.0;
        let shares = |value: &dyn Fn(usize, usize) -> f64| {
            let found = two_way(&table(value, 1e-6), 1).unwrap();
            [found.rows, found.columns, found.both]
                .map(|part| (part.share > 0.99, part.p_value <= 0.001))
        };
        let (is, not) = ((true, true), false);
        let of_rows = shares(&|row, _| bit(row));
        assert_eq!((of_rows[0], of_rows[1].0, of_rows[2].0), (is, not, not));
        let of_columns = shares(&|_, column| bit(column));
        assert_eq!(
            (of_columns[0].0, of_columns[1], of_columns[2].0),
            (not, is, not)
        );
        let of_both = shares(&|row, column| bit(row ^ column));
        assert_eq!((of_both[0].0, of_both[1].0, of_both[2]), (not, not, is));
        let halves = two_way(&table(|row, column| bit(row) + bit(column), 1e-9), 1).unwrap();
        assert!(
            (halves.rows.share - 0.5).abs() < 1e-3 && (halves.columns.share - 0.5).abs() < 1e-3
        );
    }

    #[test]
    fn noise_alone_is_told_from_a_part_at_the_rate_of_chance() {
        let mut draw = ChaCha8Rng::seed_from_u64(7);
        let mut seen = [0; 3];
        for round in 0..40 {
            let t = StudentT::new(8.0).unwrap();
            let noise: Vec<f64> = (0..9).map(|_| t.sample(&mut draw) * 0.01).collect();
            let mut cells = table(|row, column| noise[(row * 3 + column) % 9], 1e-4);
            cells.retain(|cell| cell.row < 3 && cell.column < 3);
            let found = two_way(&cells, round).unwrap();
            for (count, part) in seen.iter_mut().zip([found.rows, found.columns, found.both]) {
                *count += u32::from(part.p_value <= 0.05);
            }
        }
        // 2 are expected of 40; 8 come in one of 1,500 cases.
        assert!(seen.iter().all(|count| *count < 8), "{seen:?}");
    }

    #[test]
    fn a_table_with_a_gap_says_nothing() {
        let mut cells = table(|row, _| row as f64, 1e-6);
        cells.pop();
        assert_eq!(two_way(&cells, 1), None);
        assert_eq!(two_way(&cells[..8], 1), None);
    }
}

//! Writes the table of nominal levels, `src/looks/table.rs`, and the record of its simulation,
//! `tests/data/alpha_simulated.csv`:
//!
//! ```text
//! cargo run -p proofmark-stats --release --example alpha_table > crates/proofmark-stats/src/looks/table.rs
//! cargo run -p proofmark-stats --release --example alpha_table -- --simulate 20000000 > crates/proofmark-stats/tests/data/alpha_simulated.csv
//! ```
#![expect(clippy::print_stdout, reason = "a generator prints what it generates")]

mod simulate;

use std::fmt::Write as _;

use proofmark_stats::solve_nominal_alpha;

const CONFIDENCES: [f64; 3] = [0.9, 0.95, 0.99];
const COMPARISONS: [u32; 4] = [1, 2, 3, 4];
const FIRST_LOOKS: [u32; 9] = [3, 5, 6, 8, 10, 12, 15, 20, 30];
const LAST_LOOKS: [u32; 10] = [20, 30, 40, 50, 60, 80, 100, 120, 150, 200];

fn main() {
    match (
        std::env::args().nth(1).as_deref(),
        std::env::args().nth(2).and_then(|paths| paths.parse().ok()),
    ) {
        (None, _) => print!("{}", table()),
        (Some("--simulate"), Some(paths)) => print!("{}", simulate::record(paths)),
        _ => println!("usage: alpha_table [--simulate PATHS]"),
    }
}

fn table() -> String {
    let rows = CONFIDENCES.len() * COMPARISONS.len() * FIRST_LOOKS.len();
    let mut source = format!(
        "//! Nominal levels α′ of the common designs. Written by the example `alpha_table`, from which any of\n\
         //! it can be had again.\n\n\
         use super::row::Row;\n\n\
         /// The last looks, one to a column.\n\
         pub(super) const LAST_LOOKS: [u32; {}] = {LAST_LOOKS:?};\n\n\
         /// One row for each confidence, number of comparisons and first look, in this order. 0 where the\n\
         /// last look comes before the first.\n\
         #[rustfmt::skip]\n\
         pub(super) const TABLE: [Row; {rows}] = [\n",
        LAST_LOOKS.len(),
    );
    for confidence in CONFIDENCES {
        for comparisons in COMPARISONS {
            for min in FIRST_LOOKS {
                let alpha = (1.0 - confidence) / f64::from(comparisons);
                let levels: Vec<String> = LAST_LOOKS
                    .iter()
                    .map(|&max| {
                        if max < min {
                            "0.0".to_owned()
                        } else {
                            format!("{:.5e}", solve_nominal_alpha(alpha, min, max))
                        }
                    })
                    .collect();
                let _ = writeln!(
                    source,
                    "    Row {{ confidence: {confidence:?}, comparisons: {comparisons}, min: {min}, levels: [{}] }},",
                    levels.join(", ")
                );
            }
        }
    }
    source + "];\n"
}

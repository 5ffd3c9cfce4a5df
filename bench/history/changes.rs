//! `history_changes < SERIES`: a JSON list of numbers on each line; prints for each the positions
//! of its changes, where the first of them may lie as well, and how long it took, in seconds.

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

use proofmark_stats::changes::levels;
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let series: Vec<f64> = serde_json::from_str(&line?)?;
        let start = Instant::now();
        let found = levels(&series, 1).ok_or("a series without values")?;
        let seconds = start.elapsed().as_secs_f64();
        let at: Vec<usize> = found.changes.iter().map(|change| change.at).collect();
        let within = found
            .changes
            .iter()
            .map(|one| [one.within.start, one.within.end]);
        let within: Vec<[usize; 2]> = within.collect();
        writeln!(
            out,
            "{}",
            json!({"at": at, "within": within, "seconds": seconds})
        )?;
    }
    Ok(())
}

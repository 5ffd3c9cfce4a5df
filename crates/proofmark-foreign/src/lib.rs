//! Reads histories that other tools have recorded: one value of a metric for each commit or day.
//!
//! What is read is a file of CSV (as Apache Otava reads it, or with a row for each value), a folder
//! of results of asv (airspeed velocity), or a folder of pyperf's JSON. Such values have no blocks
//! and no layouts behind them: they tell where a level changed, and not why.
//!
//! ```
//! let folder = std::env::temp_dir().join("proofmark-foreign-example");
//! std::fs::create_dir_all(&folder)?;
//! let path = folder.join("history.csv");
//! std::fs::write(&path, "commit,seconds\na1,1.5\nb2,1.6\n")?;
//! let series = proofmark_foreign::read(&path)?;
//! assert_eq!(series[0].name, "seconds");
//! assert_eq!(series[0].points[1].commit.as_deref(), Some("b2"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod asv;
mod error;
mod pyperf;
mod table;
mod time;
mod unit;

use std::fs;
use std::path::Path;

pub use error::ForeignError;
use proofmark_conclude::history::{Point, Series};

/// The histories that a file or a folder holds, by metric, each in the order of time where times
/// are known and in that of the file where not.
///
/// # Errors
/// When there is nothing, it is of no known kind, or it is damaged: with the file and the place.
pub fn read(path: &Path) -> Result<Vec<Series>, ForeignError> {
    let about = fs::metadata(path).map_err(|source| ForeignError::file(path, source))?;
    let mut series = if !about.is_dir() {
        if pyperf::is_called_so(path) {
            pyperf::read_files(&[path.to_path_buf()])?
        } else {
            table::read(path)?
        }
    } else if let Some(folder) = asv::results_in(path) {
        asv::read(&folder)?
    } else {
        pyperf::read_folder(path)?
    };
    for one in &mut series {
        in_order(&mut one.points);
    }
    series.retain(|one| !one.points.is_empty());
    if series.is_empty() {
        return Err(ForeignError::Empty {
            path: path.to_path_buf(),
        });
    }
    Ok(series)
}

/// Puts values into the order of their times, where all have one.
fn in_order(points: &mut [Point]) {
    if points.iter().any(|point| point.time_ms.is_none()) {
        return;
    }
    // What has the newest first, as `git log` writes, has it so within a day or a second as well.
    if points.is_sorted_by(|one, next| one.time_ms >= next.time_ms)
        && points.first().map(|one| one.time_ms) != points.last().map(|one| one.time_ms)
    {
        points.reverse();
    }
    points.sort_by_key(|point| point.time_ms);
}

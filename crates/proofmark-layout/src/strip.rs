//! The few bytes of a staged copy that differ from layout to layout: sizes of sections, which hold the gap behind each function, and names of sections that sort. They are overwritten where they stand.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::LayoutError;
use crate::staged::DIGITS;

/// Where a unit goes in one layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat {
    /// Its place in the order of everything that makes up the code.
    pub(crate) place: usize,
    /// Its size with the gap behind it, in bytes.
    pub(crate) size: u64,
}

/// What stands at a spot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// The digits of a name.
    Place,
    /// The size in a section's header; it is this where no layout says otherwise.
    Size(u64),
}

/// Some bytes of a file that a layout decides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    /// Offset in the file.
    pub(crate) at: usize,
    pub(crate) unit: u32,
    pub(crate) holds: Holds,
}

/// A stretch of a file with the spots in it, written in one go.
pub(crate) struct Strip {
    file: PathBuf,
    at: usize,
    bytes: Vec<u8>,
    spots: Vec<Spot>,
}

impl Strip {
    /// The stretch of a file's content that these spots take up; none for no spots.
    pub(crate) fn of(file: &Path, content: &[u8], spots: Vec<Spot>) -> Option<Strip> {
        let at = spots.iter().map(|spot| spot.at).min()?;
        let end = spots
            .iter()
            .map(|spot| spot.at + DIGITS.max(8))
            .max()?
            .min(content.len());
        Some(Strip {
            file: file.to_path_buf(),
            at,
            bytes: content.get(at..end)?.to_vec(),
            spots,
        })
    }

    /// Writes what this layout decides.
    pub(crate) fn set(&mut self, seats: &HashMap<u32, Seat>) -> Result<(), LayoutError> {
        for spot in &self.spots {
            let (at, seat) = (spot.at - self.at, seats.get(&spot.unit));
            match spot.holds {
                Holds::Place => {
                    // What is in no image sorts last.
                    let digits = seat.map_or_else(
                        || "9".repeat(DIGITS),
                        |seat| format!("{:0DIGITS$}", seat.place),
                    );
                    self.bytes[at..at + DIGITS].copy_from_slice(digits.as_bytes());
                }
                Holds::Size(own) => self.bytes[at..at + 8]
                    .copy_from_slice(&seat.map_or(own, |seat| seat.size).to_le_bytes()),
            }
        }
        let file = OpenOptions::new()
            .write(true)
            .open(&self.file)
            .map_err(LayoutError::file("open", &self.file))?;
        file.write_all_at(&self.bytes, self.at as u64)
            .map_err(LayoutError::file("write", &self.file))
    }
}

//! The few bytes of a staged copy that differ from layout to layout: sizes of sections, which hold
//! the gap behind each function, and names of sections that sort. They are overwritten where they
//! stand.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use crate::LayoutError;
use crate::sorted::DIGITS;

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

/// A file of a staged copy with what layouts decide in it.
pub(crate) struct Striped {
    pub(crate) file: PathBuf,
    pub(crate) strips: Vec<Strip>,
}

/// A stretch of a file with the spots in it, written in one go.
pub(crate) struct Strip {
    at: usize,
    bytes: Vec<u8>,
    spots: Vec<Spot>,
}

impl Strip {
    /// The stretch of a file's content that these spots take up; none for no spots.
    pub(crate) fn of(content: &[u8], spots: Vec<Spot>) -> Option<Strip> {
        let at = spots.iter().map(|spot| spot.at).min()?;
        let end = spots
            .iter()
            .map(|spot| spot.at + DIGITS.max(8))
            .max()?
            .min(content.len());
        Some(Strip {
            at,
            bytes: content.get(at..end)?.to_vec(),
            spots,
        })
    }

    /// Takes over what this layout decides; says whether anything is other than before.
    fn set(&mut self, seats: &[Option<Seat>]) -> bool {
        let mut changed = false;
        for spot in &self.spots {
            let (at, seat) = (
                spot.at - self.at,
                seats.get(spot.unit as usize).copied().flatten(),
            );
            let mut put = |bytes: &[u8]| {
                let held = &mut self.bytes[at..at + bytes.len()];
                changed |= held != bytes;
                held.copy_from_slice(bytes);
            };
            match (spot.holds, seat) {
                (Holds::Place, Some(seat)) => put(format!("{:0DIGITS$}", seat.place).as_bytes()),
                // What is in no image sorts last.
                (Holds::Place, None) => put(&[b'9'; DIGITS]),
                (Holds::Size(own), seat) => put(&seat.map_or(own, |seat| seat.size).to_le_bytes()),
            }
        }
        changed
    }
}

impl Striped {
    /// Writes what this layout decides and the one before did not.
    pub(crate) fn set(&mut self, seats: &[Option<Seat>]) -> Result<(), LayoutError> {
        let mut open: Option<File> = None;
        for strip in &mut self.strips {
            if !strip.set(seats) {
                continue;
            }
            let file = match &mut open {
                Some(file) => file,
                none => none.insert(
                    File::options()
                        .write(true)
                        .open(&self.file)
                        .map_err(LayoutError::file("open", &self.file))?,
                ),
            };
            file.write_all_at(&strip.bytes, strip.at as u64)
                .map_err(LayoutError::file("write", &self.file))?;
        }
        Ok(())
    }
}

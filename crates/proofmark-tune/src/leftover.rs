//! What a tune left that was killed: looked for when any command begins.

use crate::error::TuneError;
use crate::journal::{Journal, Lasting};
use crate::tree::{Disk, Tree as _};
use crate::tuner::{ROOT, Tuner};
use crate::undo::Undone;

/// What became of what a tune left that was killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// There is nothing, or the tune is still going on, or it is to last.
    Nothing,
    /// It was put back.
    PutBack(Undone),
    /// Only root can put it back.
    NeedsRoot,
}

/// Puts back what a tune left that was killed. Where there is none, which is the rule, this is one
/// look for a file.
///
/// # Errors
/// When there is a journal that cannot be trusted or understood.
pub fn put_back_leftover(disk: &Disk) -> Result<Leftover, TuneError> {
    if disk.about(Journal::PATH).is_err() {
        return Ok(Leftover::Nothing);
    }
    match Tuner::open(disk, "a look for what was left") {
        Ok(tuner) => {
            let undone = tuner.recover()?;
            Ok(undone.map_or(Leftover::Nothing, Leftover::PutBack))
        }
        Err(TuneError::Busy { .. }) => Ok(Leftover::Nothing),
        Err(TuneError::NotRoot) => {
            let journal = Journal::read(disk, ROOT)?;
            let left = journal.is_some_and(|journal| is_left(disk, &journal));
            Ok(if left {
                Leftover::NeedsRoot
            } else {
                Leftover::Nothing
            })
        }
        Err(error) => Err(error),
    }
}

fn is_left(disk: &Disk, journal: &Journal) -> bool {
    let lasts = matches!(journal.lasting, Lasting::UntilUndone { made: true });
    !lasts && disk.about(&format!("proc/{}", journal.process)).is_err()
}

/// The core that this machine is tuned for at the moment; none where it is not tuned, or for no
/// core in particular.
#[must_use]
pub fn tuned_core(disk: &Disk) -> Option<u32> {
    Journal::read(disk, ROOT).ok()??.core
}

//! Names copied out of a file.

use super::File;

/// A linker lets names that end alike share their bytes, and a slot is named as often as it is filled. All together they are never
/// believed to have more than this many times what the file has: many symbols may name one long string.
const SHARED: usize = 4;

/// What may still be copied.
pub(super) struct Names {
    left: usize,
    /// Whether it was not enough.
    pub(super) spent: bool,
}

impl Names {
    pub(super) fn of(file: &File<'_>) -> Names {
        Names {
            left: file.data().len().saturating_mul(SHARED),
            spent: false,
        }
    }

    /// A copy of a name; `None` once there have been too many.
    pub(super) fn copy(&mut self, name: &[u8]) -> Option<Box<str>> {
        if let Some(left) = self.left.checked_sub(name.len()) {
            self.left = left;
            Some(String::from_utf8_lossy(name).into())
        } else {
            self.spent = true;
            None
        }
    }
}

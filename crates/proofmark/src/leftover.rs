//! What a tune left that was killed is put back when the next command begins, whichever it is.

use proofmark_report::{Style, tune as views};
use proofmark_tune::{Disk, Leftover, put_back_leftover};

use crate::console;
use crate::shown::tune as shown;

/// Puts it back, and says so on standard error. The command goes on whatever comes of it.
pub(crate) fn put_back(style: &Style) {
    match put_back_leftover(&Disk::of_this_machine()) {
        Ok(Leftover::Nothing) => {}
        Ok(Leftover::PutBack(undone)) => {
            let undone = views::undone(&shown::undone(&undone), style);
            console::say(&format!(
                "proofmark: a tune that was killed had left its settings\n{}",
                undone.trim_end()
            ));
        }
        Ok(Leftover::NeedsRoot) => console::say(
            "proofmark: a tune that was killed has left its settings, which root alone can put \
             back\n  next: sudo proofmark tune --undo",
        ),
        Err(error) => console::complain(&error.into()),
    }
}

//! The builds of a matrix: what became of each, and what differs between them though nobody asked.

mod json;
mod log;
mod rows;
mod terminal;

pub use json::json;
pub use log::log_json;
pub use rows::{
    BuildEntry, BuiltView, FlagsEntry, MissingEntry, PresentEntry, TakenEntry, UnevenEntry,
};
pub use terminal::{doubts, terminal};

pub(crate) use log::LogDocument;

use crate::text::printable;

/// That a patch changed another place than the one it was made for: what it does there may be
/// another change.
#[must_use]
pub fn displaced(of: &str, what: &str) -> String {
    let (of, what) = (printable(of), printable(what));
    format!(
        "proofmark: {what} (in the build of {of}): git takes the nearest place with the same lines \
         around it\n  next: look at where it landed, and make the patch anew if that is right"
    )
}

/// That builds looked for a file of the source that their copies have not got.
#[must_use]
pub fn not_copied(of: &str, file: &str) -> String {
    let (of, file) = (printable(of), printable(file));
    format!(
        "proofmark: the build of {of} looked for {file}, which is in your folder and not in the \
         copy: that has nothing that git ignores, and without git no compiled files. Your own build \
         may be another one\n  next: put it under version control, or let the build make it"
    )
}

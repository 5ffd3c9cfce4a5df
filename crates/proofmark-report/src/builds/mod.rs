//! Captured builds.

mod json;
mod rows;
mod shown;
mod terminal;

pub use json::{json, one, removed};
pub use rows::{
    BuildView, ImageView, ImmovableView, LinkWord, ObjectView, RelinkView, RemovedView,
    RevisionView, SeenView, StaleView, ToolView, WholeView,
};
pub use shown::shown;
pub use terminal::terminal;

pub(crate) use json::{BuildsDocument, RemovedDocument};

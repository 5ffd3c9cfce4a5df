//! git: revisions by name, the work tree as one of them, and either written somewhere else.
//!
//! It is started so that nothing of the user's runs: no hook, no file system monitor, no filter.

mod borrow;
mod command;
mod copy;
mod damaged;
mod fetched;
mod files;
mod filters;
mod history;
mod named;
mod patch;
mod repository;
mod revision;
mod settings;
mod source;
mod submodules;
mod tree;
mod work;

pub use command::VARIABLES;
pub use fetched::{fetched, in_full, is_reachable};
pub use files::{changes, files};
pub use patch::{Applied, Part, apply, apply_part, crossing, names};
pub use repository::Repository;
pub use revision::{Placed, placed, revision};
pub use tree::Tree;

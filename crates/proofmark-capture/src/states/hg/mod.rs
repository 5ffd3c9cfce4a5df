//! Mercurial: the same of its repositories as [`super::git`] knows of git's.
//!
//! It is asked by its command line alone, and started so that nothing of the user's or the
//! repository's runs: no configuration is read, so that there is no hook and no extension.

mod changeset;
mod command;
mod files;
mod history;
mod repository;
mod tree;
mod work;

pub use files::{changes, files};
pub use repository::{Repository, revision};
pub use tree::Tree;

//! The sources of builds: their files as they are now, by content, and one copy of them from which
//! every cell is built.

mod above;
mod files;
mod freeze;
mod inner;
mod kept_tree;
mod links;
mod ours;
mod patch;
mod snapshot;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use above::Copied;
pub(crate) use freeze::{Frozen, PREFIX};
pub use kept_tree::MadeTree;
pub(crate) use ours::Ours;
pub(crate) use snapshot::Snapshot;

/// An error as a cell of a table has room for it: in one line.
fn in_a_line(error: &proofmark_capture::states::RevisionError) -> String {
    let text = error.to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<&str>>().join(" / ")
}

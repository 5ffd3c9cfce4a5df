//! Builds that are one program: said at once, and not measured.

mod json;
mod terminal;

pub use json::json;
pub use terminal::terminal;

pub(crate) use json::EqualDocument;

/// Builds that are the base.
#[derive(Clone, Debug)]
pub struct Equals<'a> {
    /// The base.
    pub base: &'a str,
    /// The others, and how it is known.
    pub others: Vec<(&'a str, Same)>,
}

/// How it is known that two builds are one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Same {
    /// The same bytes, libraries included.
    Bytes,
    /// They differ in debug information, symbol names or the build id alone.
    Loaded,
    /// One program, with trees of the same files.
    Trees,
}

/// What two builds have in common.
#[must_use]
pub fn said(base: &str, new: &str, same: Same) -> String {
    match same {
        Same::Bytes => format!("{new} and {base} are the same bytes, libraries included"),
        Same::Trees => {
            format!("{new} and {base} are the same program with the same files, byte for byte")
        }
        Same::Loaded => format!(
            "{new} and {base} are the same program: they differ in debug information, symbol names or the build id alone"
        ),
    }
}

//! What sort of file an image is, and in which format.

use serde::Serialize;

/// What sort of file an image is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Linked to run at a fixed address.
    Executable,
    /// A shared library, or an executable that can be loaded anywhere.
    Shared,
    /// An object file, not linked yet.
    Object,
}

/// The file format of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// ELF.
    Elf,
}

//! Toolchains as they are found: what each is, and what is missing.

mod json;
mod terminal;

use proofmark_project::{Toolchain, ToolchainError};

pub use json::json;
pub use terminal::terminal;

pub(crate) use json::ToolchainsDocument;

/// A toolchain as it was found, by its name.
pub type Found = (String, Result<Toolchain, ToolchainError>);

/// The family and the version: `clang 19.1.7`.
pub(crate) fn compiler(toolchain: &Toolchain) -> String {
    let clang = toolchain.reported.contains("clang");
    let family = if clang { "clang" } else { "gcc" };
    format!("{family} {}", toolchain.version)
}

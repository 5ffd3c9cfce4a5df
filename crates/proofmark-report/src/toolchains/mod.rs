//! Toolchains as they are found: what each is, and what is missing.

mod json;
mod rows;
mod terminal;

pub use json::json;
pub use rows::{Found, ToolEntry, ToolchainFound, compiler};
pub use terminal::terminal;

pub(crate) use json::ToolchainsDocument;

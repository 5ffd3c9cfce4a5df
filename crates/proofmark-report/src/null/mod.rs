//! A null test: a build against itself.

pub(crate) mod comment;
pub(crate) mod json;
pub(crate) mod markdown;
mod rows;
pub(crate) mod terminal;

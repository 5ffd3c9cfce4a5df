//! A comparison that has a conclusion: what it says of each build.

pub(crate) mod comment;
mod finding;
pub(crate) mod json;
pub(crate) mod markdown;
mod rows;
mod self_test;
pub(crate) mod terminal;

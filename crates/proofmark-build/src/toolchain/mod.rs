//! Toolchains: compilers with the version that they must report, found on the machine or installed into proofmark's own folder.

mod definition;

pub use definition::ToolchainDefinition;

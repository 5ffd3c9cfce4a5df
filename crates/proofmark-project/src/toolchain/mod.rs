//! Toolchains: compilers with the version that they must report, found on the machine or installed
//! into proofmark's own folder.
//!
//! A [`Toolchain`] is known by the content of its programs and of the libraries that they load: a
//! patched library behind an unpatched version string is another toolchain.

mod driver;
mod error;
mod feature;
mod find;
mod identity;
mod made;
mod package;
mod probe;
mod wrapper;

use std::path::{Path, PathBuf};

use proofmark_capture::Tool;
use proofmark_terms::Digest;
use serde::{Deserialize, Serialize};

pub(crate) use driver::CLEARED;
pub use error::ToolchainError;
pub use feature::Finding;
pub use find::Toolchains;
pub use made::Making;
pub(crate) use wrapper::{READS, SOURCES};

/// A toolchain that was found and can compile and link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// As the project calls it.
    pub name: String,
    /// The C compiler as builds start it: a wrapper that adds what the definition says.
    pub cc: PathBuf,
    /// The C++ compiler as builds start it, where there is one.
    pub cxx: Option<PathBuf>,
    /// The compiler itself.
    pub driver: PathBuf,
    /// The package that it was installed from, or the sources that it was made from; `None` for one
    /// of the machine.
    pub package: Option<String>,
    /// The version in numbers: `19.1.7`.
    pub version: String,
    /// The first line that it says about its version.
    pub reported: String,
    /// What it compiles for: `x86_64-pc-linux-gnu`.
    pub target: String,
    /// The first line that its linker says about its version.
    pub linker: String,
    /// Its programs, each with the libraries that it loads.
    pub tools: Vec<Tool>,
    /// What it switches on by itself.
    pub defaults: Vec<Finding>,
    /// BLAKE3 of the programs, the libraries, the target and the definition's options, in
    /// hexadecimal.
    pub hash: Digest,
}

impl Toolchain {
    /// Whether a program is one of its tools.
    #[must_use]
    pub fn has(&self, program: &Path) -> bool {
        let real = program.canonicalize();
        let real = real.as_deref().unwrap_or(program);
        self.tools.iter().any(|tool| tool.path == real)
    }
}

//! Why a file of expectations cannot be used.

use std::path::{Path, PathBuf};

use proofmark_hint::hint;

use super::condition_error::ConditionError;
use super::document::VERSION;
use crate::pattern::PatternError;

/// Why a file of expectations cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot read {}: {source}{}", path.display(), advice(source, path))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is no TOML, or not of the right shape.
    #[error("{}: {source}", path.display())]
    Shape {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        source: Box<toml::de::Error>,
    },
    /// A newer or unknown version.
    #[error("{}: version {version} of expectations is not known to this proofmark, which reads \
        version {VERSION}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version that it says.
        version: u32,
    },
    /// A condition is wrong.
    #[error("{}:{line}: {source}", path.display())]
    Condition {
        /// The file.
        path: PathBuf,
        /// The line where the condition stands.
        line: usize,
        /// What is wrong.
        source: ConditionError,
    },
    /// A pattern is wrong.
    #[error("{}:{line}: {source}", path.display())]
    Pattern {
        /// The file.
        path: PathBuf,
        /// The line where the expectation begins.
        line: usize,
        /// What is wrong.
        source: PatternError,
    },
    /// A name of `[let]` that means something else in a condition.
    #[error("{}:{line}: '{name}' under [let] is what a condition calls a fact, and would always \
        mean that: take another name", path.display())]
    Name {
        /// The file.
        path: PathBuf,
        /// The line where it stands.
        line: usize,
        /// The name.
        name: String,
    },
    /// An instruction set is not known.
    #[error("{}:{line}: there is no architecture '{name}'; there are x86-64 and \
        aarch64", path.display())]
    Architecture {
        /// The file.
        path: PathBuf,
        /// The line where the expectation begins.
        line: usize,
        /// The name.
        name: String,
    },
    /// It expects nothing: that would always pass.
    #[error("{}: {what}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What is empty.
        what: String,
    },
}

/// What to do about a file that cannot be read.
fn advice(error: &std::io::Error, path: &Path) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => {
            let learn = hint("expect FILE --learn -f", &[&path.to_string_lossy()]);
            format!("; {learn} writes a first one, from the executable FILE")
        }
        std::io::ErrorKind::InvalidData => "; TOML is UTF-8".to_owned(),
        _ => String::new(),
    }
}

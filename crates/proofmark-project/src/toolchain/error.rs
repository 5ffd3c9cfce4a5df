//! What can be wrong with a toolchain.

use std::io;
use std::path::PathBuf;

/// Why a toolchain cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolchainError {
    /// It says neither where it is nor where to get it.
    #[error("toolchain `{name}` has neither `command` nor `provider`")]
    Undefined {
        /// Its name.
        name: String,
    },
    /// It is not on the machine.
    #[error("toolchain `{name}` is missing: {what}; {get}")]
    Missing {
        /// Its name.
        name: String,
        /// What was not found.
        what: String,
        /// How to get it.
        get: String,
    },
    /// It is another version than the one written down.
    #[error("toolchain `{name}` has to be version {wanted}, and {} is {found} ({reported})", driver.display())]
    Version {
        /// Its name.
        name: String,
        /// The compiler.
        driver: PathBuf,
        /// What the definition says.
        wanted: String,
        /// The version in numbers.
        found: String,
        /// The first line of what it says.
        reported: String,
    },
    /// It does not compile and link an empty program.
    #[error("toolchain `{name}` cannot {doing} an empty program: {said}")]
    Broken {
        /// Its name.
        name: String,
        /// "compile", "link"…
        doing: &'static str,
        /// The command and the end of what it said.
        said: String,
    },
    /// A package that was made to behave like a plain compiler does not.
    #[error("toolchain `{name}` does not behave like a plain compiler: {what}")]
    NotPlain {
        /// Its name.
        name: String,
        /// What was found in its output.
        what: String,
    },
    /// A provider that nobody knows.
    #[error(
        "toolchain `{name}`: {provider:?} is no provider; write pypi:PACKAGE==VERSION, apt:PACKAGE,PACKAGE or apt:PACKAGE@RELEASE"
    )]
    Provider {
        /// Its name.
        name: String,
        /// As written.
        provider: String,
    },
    /// A package could not be installed.
    #[error("toolchain `{name}`: {provider} could not be installed: {said}")]
    Install {
        /// Its name.
        name: String,
        /// The package.
        provider: String,
        /// What went wrong.
        said: String,
    },
    /// It could not be made from its sources.
    #[error("toolchain `{name}` could not be made: {said}")]
    Make {
        /// Its name.
        name: String,
        /// What went wrong, and the next step.
        said: String,
    },
    /// A file could not be read or written.
    #[error("toolchain `{name}`: cannot {doing} {}: {said}", path.display())]
    File {
        /// Its name.
        name: String,
        /// "read", "write"…
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        said: String,
    },
}

impl ToolchainError {
    /// For `map_err`.
    pub(super) fn file(
        name: &str,
        doing: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> ToolchainError {
        let (name, path) = (name.to_owned(), path.into());
        move |source| ToolchainError::File {
            name,
            doing,
            path,
            said: source.to_string(),
        }
    }
}

//! How a build is made of a state of its sources, for whoever makes it again.

use proofmark_terms::{Digest, OsText};
use serde::{Deserialize, Serialize};

use crate::private::parts;

/// How a build is made of a state of its sources, in a clean copy of the repository.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltBy {
    /// The shell command; of a cell with its marks, such as `{cc}`.
    pub command: String,
    /// The folder in which it runs, relative to the topmost one of the repository.
    pub folder: OsText,
    /// The image that was asked for by name, as that folder knows it.
    pub image: Option<OsText>,
    /// How often it was built; a block draws one of these builds.
    pub builds: u32,
    /// The folder in which its runs work, relative to the topmost one of the repository; absolute
    /// where it lies outside; absent where nobody noted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_in: Option<OsText>,
    /// What the marks of the command stand for, and what else a cell of a project has; absent where
    /// the command says it all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell: Option<Box<CellBuild>>,
}

parts!(BuiltBy {
    command: mixed,
    folder: mixed,
    image: mixed,
    builds: open,
    runs_in: mixed,
    cell: inner,
});

/// What a cell of a project is built with, beside its command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellBuild {
    /// The compiler.
    pub toolchain: CellToolchain,
    /// The words of `{flags}`.
    pub flags: Vec<String>,
    /// The words of `{ldflags}`.
    pub ldflags: Vec<String>,
    /// Variables set for the command.
    pub env: Vec<(OsText, OsText)>,
    /// Files and folders outside of the sources that the command reads, as the project names them.
    pub inputs: Vec<String>,
}

parts!(CellBuild {
    toolchain: inner,
    flags: mixed,
    ldflags: mixed,
    env: whole,
    inputs: mixed,
});

/// A compiler as a project names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellToolchain {
    /// Its name.
    pub name: String,
    /// The C compiler: a name in `PATH`, or a path.
    pub command: Option<String>,
    /// The C++ compiler, where it is not that of the C compiler's name.
    pub cxx: Option<String>,
    /// The version that it must report, or its beginning.
    pub version: Option<String>,
    /// The package that brings it.
    pub provider: Option<String>,
    /// Options for every use of it.
    pub flags: Vec<String>,
    /// It is made of sources of its own, of which nothing stands here.
    pub made: bool,
}

parts!(CellToolchain {
    name: mixed,
    command: mixed,
    cxx: mixed,
    version: mixed,
    provider: mixed,
    flags: mixed,
    made: open,
});

/// A patch that a build was made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchText {
    /// BLAKE3 of the whole text, by which builds name it.
    pub digest: Digest,
    /// What it says.
    pub text: String,
}

parts!(PatchText {
    digest: open,
    text: source,
});

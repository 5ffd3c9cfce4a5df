//! The recipe of a link: everything that is needed to run it again, elsewhere, from stored copies
//! of its inputs.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use proofmark_terms::{Digest, lossless};

/// A link that can be run again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recipe {
    /// The linker proper, never the compiler's driver or `collect2`.
    pub linker: Linker,
    /// The linker's arguments after `argv[0]`, response files (`@file`) expanded, otherwise as the
    /// build gave them.
    #[serde(with = "lossless::many")]
    pub argv: Vec<OsString>,
    /// The folder, absolute, in which the build ran it.
    #[serde(with = "lossless::one")]
    pub cwd: PathBuf,
    /// The variables that the linker can see and that matter (`LD_RUN_PATH`,
    /// `COLLECT_GCC_OPTIONS`…); nothing else is passed on but `PATH`.
    #[serde(with = "lossless::pairs")]
    pub env: Vec<(OsString, OsString)>,
    /// Every file that the linker read: objects, archives, libraries, scripts, version scripts,
    /// lists. What the build's own folders hold today is never read.
    pub inputs: Vec<Input>,
    /// Where the build had it written, as given by `-o`.
    #[serde(with = "lossless::one")]
    pub output: PathBuf,
    /// What link-time optimisation produced, so that a layout never repeats it.
    pub lto: Option<Lto>,
}

/// A linker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Linker {
    /// The program.
    #[serde(with = "lossless::one")]
    pub path: PathBuf,
    /// Which of the linkers it is.
    pub kind: LinkerKind,
    /// The first line of its `--version`.
    pub version: String,
}

/// The linkers that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkerKind {
    /// LLVM's `ld.lld`, and `rust-lld`.
    Lld,
    /// GNU `ld` (`ld.bfd`).
    GnuLd,
    /// GNU `gold`.
    Gold,
    /// `mold`.
    Mold,
}

impl std::fmt::Display for LinkerKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            LinkerKind::Lld => "lld",
            LinkerKind::GnuLd => "GNU ld",
            LinkerKind::Gold => "gold",
            LinkerKind::Mold => "mold",
        })
    }
}

/// A file that the linker read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// As the linker opened it: relative to the recipe's `cwd`, or absolute. `-lm` found in
    /// `-L/usr/lib` is `/usr/lib/libm.so`.
    #[serde(with = "lossless::one")]
    pub given: PathBuf,
    /// The stored copy.
    #[serde(with = "lossless::one")]
    pub blob: PathBuf,
    /// BLAKE3 of its content, in hexadecimal.
    pub hash: Digest,
    /// What it is.
    pub kind: InputKind,
    /// Of a thin archive: the files that it names. Empty otherwise.
    #[serde(default)]
    pub members: Vec<ArchiveMember>,
}

/// A file that a thin archive names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveMember {
    /// As the linker opened it: relative to the recipe's `cwd`, or absolute.
    #[serde(with = "lossless::one")]
    pub given: PathBuf,
    /// The stored copy.
    #[serde(with = "lossless::one")]
    pub blob: PathBuf,
    /// BLAKE3 of its content, in hexadecimal.
    pub hash: Digest,
}

/// What an input of a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputKind {
    /// A relocatable object.
    Object,
    /// An archive that holds its members.
    Archive,
    /// An archive that names its members.
    ThinArchive,
    /// A shared library.
    SharedLibrary,
    /// Text: a linker script in the place of a library, or one named by an option; also version
    /// scripts and lists.
    Script,
    /// LLVM bitcode, compiled by the link.
    Bitcode,
    /// An object that holds gcc's intermediate code.
    GccLto,
    /// Anything else.
    Other,
}

/// What link-time optimisation produced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "compiler", rename_all = "kebab-case")]
pub enum Lto {
    /// gcc's, carried out by the linker's plugin and `lto-wrapper`.
    Gcc {
        /// Stored copies of the objects that `lto-wrapper` printed, in that order.
        #[serde(with = "lossless::many")]
        objects: Vec<PathBuf>,
    },
    /// clang's, carried out by lld itself or by LLVM's plugin.
    Clang {
        /// Stored copies of the objects that it made, in the order of their partitions.
        #[serde(with = "lossless::many")]
        objects: Vec<PathBuf>,
    },
}

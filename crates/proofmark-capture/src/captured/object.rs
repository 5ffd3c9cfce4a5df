//! The objects in a captured link, and how each is known.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use proofmark_terms::{Digest, lossless};
use serde::{Deserialize, Serialize};

use crate::sections;

/// An object in a captured link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompiledObject {
    /// As the linker opened it; of an archive's member the archive.
    #[serde(with = "lossless::one")]
    pub file: PathBuf,
    /// The member of an archive.
    #[serde(with = "lossless::maybe")]
    pub member: Option<OsString>,
    /// BLAKE3 of it, in hexadecimal.
    pub hash: Digest,
    /// How it is known.
    pub seen: Seen,
    /// The compiler proper.
    #[serde(with = "lossless::maybe")]
    pub compiler: Option<PathBuf>,
    /// The options that the build gave to the compiler's driver.
    #[serde(with = "lossless::many")]
    pub flags: Vec<OsString>,
    /// The source, where it is known.
    #[serde(with = "lossless::maybe")]
    pub source: Option<PathBuf>,
    /// It has function sections because the capture asked for them, and the build did not.
    #[serde(default)]
    pub sections_added: bool,
    /// BLAKE3 of what its second compilation made, with function sections, in hexadecimal.
    #[serde(default)]
    pub second: Option<Digest>,
}

/// How an object in a link is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "kebab-case")]
pub enum Seen {
    /// Compiled or assembled during the capture.
    Compiled,
    /// The very same bytes were compiled during an earlier capture into this store.
    Earlier {
        /// The name of that capture.
        capture: String,
    },
    /// Made during the capture, by an assembler that does not pass by a shim; there is no compiler
    /// in it.
    Assembled,
    /// Made by another link of the capture (`-r`).
    Linked,
    /// No shim saw it being made.
    Unseen {
        /// What it may come from.
        guess: String,
    },
}

/// What people know it by.
impl fmt::Display for CompiledObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(member) = &self.member {
            write!(f, "({})", member.display())?;
        }
        match &self.seen {
            Seen::Compiled | Seen::Linked | Seen::Assembled | Seen::Unseen { .. } => Ok(()),
            Seen::Earlier { capture } => write!(f, ", compiled for {capture}"),
        }
    }
}

impl CompiledObject {
    /// Whether a C compiler made it, and the build did not ask for function sections.
    pub(crate) fn lacks_sections(&self) -> bool {
        let name = self.compiler.as_deref().and_then(Path::file_name);
        let name = name.unwrap_or_default().to_string_lossy();
        let of_c = ["cc1", "cc1plus", "lto1"].contains(&&*name) || name.contains("clang");
        let assembly = self.source.as_deref().and_then(Path::extension);
        let assembly = assembly.is_some_and(|end| end == "s" || end == "S" || end == "sx");
        of_c && !assembly
            && !sections::asked_for(&self.flags)
            && !sections::left_to_link(&self.flags)
    }
}

/// Objects in a build that an earlier capture made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stale {
    /// The name of that capture.
    pub capture: String,
    /// How many objects they are.
    pub objects: usize,
    /// Of how many.
    pub of: usize,
    /// What was different then, one clause each: command, variables, options.
    pub differs: Vec<String>,
}

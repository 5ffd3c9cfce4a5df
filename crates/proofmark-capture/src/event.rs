//! What a shim saw: one compilation, one assembly, one link.

use std::path::PathBuf;

use proofmark_layout::LinkerKind;
use proofmark_terms::{Digest, OsText};
use serde::{Deserialize, Serialize};

use crate::process::Process;

/// What a shim saw.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum Event {
    Compiled(Compiled),
    Assembled(Assembled),
    Rustc(Rustc),
    Linked(Box<Linked>),
}

/// A run of gcc's `cc1`, `cc1plus` or `lto1`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Compiled {
    /// The compiler proper.
    pub compiler: OsText,
    /// The compiler's driver.
    pub driver: Option<OsText>,
    /// The process that started it: of gcc, the driver.
    pub parent: Option<Process>,
    pub cwd: OsText,
    /// The driver's options, as the user gave them.
    pub flags: Vec<OsText>,
    /// The source, as the compiler names its dumps.
    pub source: Option<OsText>,
    /// The assembler text, absolute; none when it goes to a pipe.
    pub output: Option<OsText>,
    /// Why it was not compiled a second time; none where it was, and where nobody wanted that.
    #[serde(default)]
    pub only_once: Option<String>,
}

/// A run of the assembler that succeeded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Assembled {
    pub assembler: OsText,
    pub driver: Option<OsText>,
    pub parent: Option<Process>,
    /// Absolute.
    pub inputs: Vec<OsText>,
    /// Absolute.
    pub output: OsText,
    /// Of the object.
    pub hash: Digest,
    /// Of the object that the second compilation made.
    #[serde(default)]
    pub second: Option<Digest>,
    /// What the object that layouts are made of was assembled from: the second one where there is
    /// one.
    #[serde(default)]
    pub text: Option<AssembledText>,
    pub flags: Vec<OsText>,
}

/// The text of an object in the session's store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct AssembledText {
    /// Of the packed text.
    pub hash: Digest,
    /// The assembler's arguments, without the text and the object.
    pub arguments: Vec<OsText>,
    pub cwd: OsText,
}

/// A run of `rustc`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rustc {
    pub process: Option<Process>,
    pub compiler: OsText,
    pub cwd: OsText,
    pub arguments: Vec<OsText>,
}

/// A link that succeeded.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Linked {
    /// The linker.
    pub linker: OsText,
    pub about: LinkerFacts,
    /// After `argv[0]`, response files expanded.
    pub arguments: Vec<OsText>,
    pub cwd: OsText,
    pub environment: Vec<(OsText, OsText)>,
    /// The compiler's driver that asked for the link.
    pub driver: Option<OsText>,
    /// From the linker's parent upwards.
    pub ancestors: Vec<Process>,
    pub inputs: Vec<LinkedInput>,
    /// As given.
    pub output: OsText,
    /// Of the image.
    pub hash: Digest,
    /// Device and inode of the image: a renamed file keeps them.
    pub inode: (u64, u64),
    pub lto: Option<LinkedLto>,
    /// What could not be kept of this link; it is worthless for layouts then, but still known.
    pub problems: Vec<String>,
    /// The linker's plugin, when one was loaded.
    pub plugin: Option<OsText>,
}

/// What was asked of a linker once.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LinkerFacts {
    pub kind: LinkerKind,
    /// The first line of `--version`.
    pub version: String,
    /// It can list the files that it reads.
    pub dependency_file: bool,
    /// It can keep the objects of link-time optimisation (lld).
    pub save_prelink: bool,
}

/// A file that the linker read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LinkedInput {
    /// As opened.
    pub given: OsText,
    pub hash: Digest,
    pub kind: proofmark_layout::InputKind,
    /// Modified before the session's build began.
    pub modified_ns: i64,
    /// Of an archive.
    pub members: Vec<LinkedMember>,
}

/// A member of an archive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LinkedMember {
    /// The member's name; of a thin archive the file, as opened.
    pub name: OsText,
    pub hash: Digest,
}

/// Objects made by link-time optimisation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LinkedLto {
    pub compiler: LtoCompiler,
    /// Hashes, in the order in which the link uses them.
    pub objects: Vec<Digest>,
}

/// Whose link-time optimisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum LtoCompiler {
    Gcc,
    Clang,
}

impl Linked {
    /// Where the image was written.
    pub(crate) fn output_path(&self) -> PathBuf {
        PathBuf::from(self.cwd.as_ref()).join(self.output.as_ref())
    }
}

impl Event {
    /// A compilation, where it is one.
    pub(crate) fn compiled(&self) -> Option<&Compiled> {
        match self {
            Event::Compiled(compiled) => Some(compiled),
            _ => None,
        }
    }
}

impl Assembled {
    /// The compilation that wrote what was assembled; through a pipe, the one that the same driver
    /// started.
    pub(crate) fn compilation<'c>(&self, compiled: &[&'c Compiled]) -> Option<&'c Compiled> {
        let wrote_input = |compiled: &&&Compiled| {
            let output = compiled.output.as_ref();
            output.is_some_and(|output| self.inputs.contains(output))
        };
        let piped = |compiled: &&&Compiled| {
            let same_driver = compiled.parent.is_some() && compiled.parent == self.parent;
            compiled.output.is_none() && same_driver
        };
        let compilation = compiled.iter().rfind(wrote_input);
        compilation
            .or_else(|| compiled.iter().rfind(piped))
            .copied()
    }
}

//! What is shown of captured builds: what they are, and not how they are stored.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::document::words::Text;
use crate::number::as_rfc3339;

/// A captured build.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BuildView {
    /// As the user called it.
    pub name: String,
    /// BLAKE3 of what makes the build (recipes, inputs, images), in hexadecimal: equal builds have
    /// equal ids.
    pub id: String,
    /// When, RFC 3339, UTC.
    #[serde(rename = "captured", serialize_with = "as_rfc3339")]
    #[schemars(with = "String")]
    pub created_ms: u64,
    /// The version of proofmark that captured it.
    pub proofmark: String,
    /// The build's command.
    pub command: Vec<Text>,
    /// The folder in which it ran.
    pub cwd: Text,
    /// The state of the sources; null where they are in no repository.
    pub revision: Option<RevisionView>,
    /// What it linked and still had at its end, in the order of linking.
    pub images: Vec<ImageView>,
    /// Index of the image that is taken where none is named; null where there are several.
    pub chosen: Option<usize>,
    /// How often the build ran; all of its runs are kept.
    pub runs: usize,
    /// The programs that made it.
    pub toolchain: Vec<ToolView>,
    /// The objects in its images, without those of the toolchain and the system.
    pub objects: Vec<ObjectView>,
    /// Objects of the chosen image that earlier captures made and this build did not make again.
    pub stale: Vec<StaleView>,
    /// Variables that builds commonly read, such as `CFLAGS`, as they were set: pairs of name and
    /// value.
    pub environment: Vec<(String, Text)>,
    /// What a user should know, a sentence each.
    pub warnings: Vec<String>,
}

/// A state of the sources.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RevisionView {
    /// The commit, in full.
    pub commit: String,
    /// Whether tracked files differed from it.
    pub modified: bool,
    /// The patch that makes this state of that commit: a file of the store, relative to its folder.
    /// Null where it was not written down.
    pub patch: Option<Text>,
}

/// An image of a build.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImageView {
    /// What people know it by: the shortest of its places, relative to the build's folder.
    #[serde(skip)]
    pub label: PathBuf,
    /// What it is.
    pub kind: LinkWord,
    /// Where the build put it.
    pub output: Text,
    /// Other places where the build left it: moved, copied, hard-linked, stripped.
    pub aliases: Vec<Text>,
    /// BLAKE3 of it, in hexadecimal.
    pub image: String,
    /// The first line that its linker says about its version.
    pub linker: String,
    /// Which of the linkers that is.
    #[serde(skip)]
    pub linker_kind: String,
    /// Whether linking it again as shipped gives the same bytes.
    pub relink: RelinkView,
    /// Share of its code that can be moved, 0 to 1; null where nothing can be moved.
    pub movable: Option<f64>,
    /// Bytes of its `.text`; `None` where nothing can be moved.
    #[serde(skip)]
    pub text_bytes: Option<u64>,
    /// Why nothing, or not all of it, can be moved.
    pub immovable: Vec<ImmovableView>,
    /// Some of its objects have function sections by the capture alone.
    pub sections_added: bool,
    /// Layouts are made of objects that were compiled a second time.
    #[serde(skip)]
    pub compiled_twice: bool,
    /// Why layouts move whole objects, although they were compiled a second time.
    #[serde(skip)]
    pub refused_twice: Option<String>,
    /// Bytes of the `.text` of the same link without function sections, and with them; `None` where
    /// nobody asked.
    #[serde(skip)]
    pub pristine_bytes: Option<(u64, u64)>,
    /// Objects that were not compiled a second time, with function sections: each moves as a whole.
    pub whole_objects: Vec<WholeView>,
    /// What could not be recorded of it. Layouts cannot be trusted then.
    pub problems: Vec<String>,
    /// Files that belong to it and are no part of it: libraries, other images, files beside it.
    pub companions: Vec<Text>,
}

/// What was linked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LinkWord {
    /// A program.
    Executable,
    /// A shared library.
    SharedLibrary,
    /// An object for another link.
    Relocatable,
}

/// Whether linking again as shipped gives the same bytes as the build did.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum RelinkView {
    /// The same bytes.
    Identical,
    /// Other bytes.
    Differs {
        /// Which parts differ.
        how: String,
    },
    /// It could not be linked again.
    Failed {
        /// Why.
        why: String,
    },
}

/// Code that cannot be moved one function at a time.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImmovableView {
    /// Why.
    pub why: String,
    /// How much of it; null for all.
    pub bytes: Option<u64>,
}

/// An object without a second compilation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WholeView {
    /// The object, as people write it.
    pub object: String,
    /// Why.
    pub why: String,
}

/// A program that took part in a build.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolView {
    /// `driver`, `compiler`, `assembler`, `linker` or `linker plugin`.
    pub role: String,
    /// The file, symbolic links resolved.
    pub path: Text,
    /// The first line that it says about its version; empty where it says nothing.
    pub version: String,
    /// BLAKE3 of it, in hexadecimal.
    pub hash: String,
}

/// An object in an image.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ObjectView {
    /// As the linker opened it; of an archive's member the archive.
    pub file: Text,
    /// The member of an archive.
    pub member: Option<Text>,
    /// BLAKE3 of it, in hexadecimal.
    pub hash: String,
    /// How it is known.
    pub seen: SeenView,
    /// The compiler proper.
    pub compiler: Option<Text>,
    /// The options that the build gave to the compiler's driver.
    pub flags: Vec<Text>,
    /// The source, where it is known.
    pub source: Option<Text>,
}

/// How an object is known.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(tag = "how", rename_all = "kebab-case")]
pub enum SeenView {
    /// Compiled or assembled during the capture.
    Compiled,
    /// The very same bytes were compiled during an earlier capture.
    Earlier {
        /// The name of that capture.
        capture: String,
    },
    /// Made during the capture by an assembler that nobody watched; there is no compiler in it.
    Assembled,
    /// Made by another link of the capture.
    Linked,
    /// Nobody saw it being made.
    Unseen {
        /// What it may come from.
        guess: String,
    },
}

/// Objects that an earlier capture made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StaleView {
    /// The name of that capture.
    pub capture: String,
    /// How many objects they are.
    pub objects: usize,
    /// Of how many.
    pub of: usize,
    /// What was different then, a clause each.
    pub differs: Vec<String>,
}

/// A captured build that was removed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RemovedView {
    /// Its name.
    pub name: String,
    /// Stored files that only it needed.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Other builds that cannot be read; where there is one, nothing is freed.
    pub unreadable: usize,
}

impl BuildView {
    /// The image that is taken where none is named.
    pub(super) fn image(&self) -> Option<&ImageView> {
        self.images.get(self.chosen?)
    }
}

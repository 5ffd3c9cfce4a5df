//! A link of a captured build, and what was found out about it.

use std::path::PathBuf;

use proofmark_layout::{Assembly, Movability, Recipe};
use proofmark_terms::{Digest, lossless};
use serde::{Deserialize, Serialize};

use super::companion::Companion;
use super::gone::Gone;
use super::modified::Modified;

/// A link of a captured build.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CapturedLink {
    /// How to link it again, for layouts: with the objects that were compiled a second time where
    /// there are such ([`CapturedLink::as_built`] has the build's own).
    pub recipe: Recipe,
    /// The stored copy of the image as the build left it: of what its link made, or of what became
    /// of that (stripped, edited). Read-only and executable.
    #[serde(with = "lossless::one")]
    pub image: PathBuf,
    /// BLAKE3 of it, in hexadecimal.
    pub image_hash: Digest,
    /// When the build had last written it: its images in all layouts have that time.
    pub image_modified: Modified,
    /// What a step behind the link did to it that no link does; none where it is as the linker left
    /// it, but for symbols and debug information.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<String>,
    /// Where the build put it, absolute.
    #[serde(with = "lossless::one")]
    pub output: PathBuf,
    /// Other places where the build left the same image: moved, copied, hard-linked, stripped.
    #[serde(with = "lossless::many")]
    pub aliases: Vec<PathBuf>,
    /// What was linked.
    pub kind: LinkKind,
    /// Whether linking again as shipped gives the same bytes.
    pub relink: RelinkCheck,
    /// How much of its code can be moved; or why that is not known.
    pub movability: Result<Movability, String>,
    /// Some of its objects have function sections by the capture alone: a link that folds, collects
    /// or orders sections may then do more than the build's own.
    #[serde(default)]
    pub sections_added: bool,
    /// What became of its objects' second compilations; none where there were none.
    #[serde(default)]
    pub twice: Option<Twice>,
    /// The image of the same link without the capture's function sections.
    pub pristine: Option<PristineImage>,
    /// What its compilers and linker wrote about themselves (`.comment`), each once.
    pub comments: Vec<String>,
    /// What its compilers wrote into its debug information (`DW_AT_producer`), each once; empty
    /// without debug information.
    pub producers: Vec<String>,
    /// What could not be recorded of it. Layouts cannot be trusted then.
    pub problems: Vec<String>,
    /// What belonged to it when the build had ended: libraries (those of the system left out unless
    /// the build made them), other images of the build, files beside it.
    pub companions: Vec<Companion>,
    /// The copy of the sources that it was made in, where that is gone.
    #[serde(default)]
    pub gone: Option<Gone>,
    /// The texts that its objects were assembled from: of those that came through an assembler's
    /// shim.
    #[serde(default)]
    pub texts: Vec<Assembly>,
}

/// A link whose objects were compiled a second time, with function sections, beside the build's own
/// compilations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Twice {
    /// How the build's own objects are linked, where the link's recipe has the second ones in their
    /// places.
    pub own: Option<Recipe>,
    /// Why the recipe has the build's own objects after all: what the second ones are linked to is
    /// another program.
    pub refused: Option<String>,
    /// Objects of a C compiler that were not compiled a second time, and why: each is moved as a
    /// whole.
    pub lacking: Vec<Lacking>,
}

/// An object without a second compilation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lacking {
    /// The object, as people write it.
    pub object: String,
    /// Why.
    pub why: String,
}

/// The image of a build that ran without the capture's function sections.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PristineImage {
    /// The stored copy.
    #[serde(with = "lossless::one")]
    pub image: PathBuf,
    /// BLAKE3 of it, in hexadecimal.
    pub image_hash: Digest,
    /// Bytes of its `.text`.
    pub text_bytes: u64,
    /// Bytes of the same section in the capture's own image.
    pub sectioned_text_bytes: u64,
}

/// What was linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// A program.
    Executable,
    /// A shared library.
    SharedLibrary,
    /// An object for another link (`-r`).
    Relocatable,
}

/// Whether linking again as shipped gives the same bytes as the build did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum RelinkCheck {
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

impl CapturedLink {
    /// How the build's own objects are linked.
    #[must_use]
    pub fn as_built(&self) -> &Recipe {
        let own = self.twice.as_ref().and_then(|twice| twice.own.as_ref());
        own.unwrap_or(&self.recipe)
    }

    /// What layouts are made of.
    #[must_use]
    pub fn for_layouts(&self) -> proofmark_layout::Captured<'_> {
        proofmark_layout::Captured {
            recipe: &self.recipe,
            image: Some(&self.image),
            edited: self.edited.as_deref(),
            own: self.twice.as_ref().and_then(|twice| twice.own.as_ref()),
            texts: &self.texts,
        }
    }
}

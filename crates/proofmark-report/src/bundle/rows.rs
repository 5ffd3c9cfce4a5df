//! What is shown of a bundle.

use schemars::JsonSchema;
use serde::Serialize;

/// A bundle that was written, or would be.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BundleView {
    /// The file; null where it was only asked what would go into one.
    pub file: Option<String>,
    /// Bytes of the file; null where none was written.
    pub file_bytes: Option<u64>,
    /// The file of its signature; null where it was not signed.
    pub signature: Option<String>,
    /// Bytes of its text, unpacked.
    pub bytes: u64,
    /// BLAKE3 of the text: equal evidence has equal text.
    pub digest: String,
    /// Records in it.
    pub records: u32,
    /// Private parts in it: names of persons, machines and places.
    pub private: u32,
    /// Experiments, matrices and so on, in the order of the file.
    pub chains: Vec<BundledView>,
    /// Bytes of all files that stand behind the text, unpacked.
    pub enclosed_bytes: u64,
    /// The images among them, by builds.
    pub images: Vec<EnclosedImageView>,
    /// The captured builds among them, which can be linked again.
    pub captures: Vec<EnclosedCaptureView>,
}

/// An image in a bundle.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EnclosedImageView {
    /// The build.
    pub build: String,
    /// The file's name.
    pub name: String,
    /// BLAKE3 of it.
    pub digest: String,
    /// Its bytes.
    pub bytes: u64,
    /// What it says of where it was made.
    pub says: TracesView,
}

/// A captured build in a bundle.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct EnclosedCaptureView {
    /// The build.
    pub build: String,
    /// Its files: objects, libraries, and the record of how it is linked.
    pub files: u32,
    /// Bytes of all of them.
    pub bytes: u64,
    /// What they say of where they were made.
    pub says: TracesView,
}

/// What files say of where they were made. Nothing of it is taken out.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct TracesView {
    /// Absolute paths of folders and sources in debug information; of a captured build the folder
    /// in which it was built.
    pub compiled_in: Vec<String>,
    /// Absolute paths in which the loader looks for libraries.
    pub libraries: Vec<String>,
    /// The user's name, the user's folder or the machine's name, where they stand in it.
    pub names: Vec<String>,
}

/// A chain of records in a bundle.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BundledView {
    /// Its name.
    pub id: String,
    /// `experiment`, `matrix`, `sweep`, `bisection`, `attribution`, `series`
    /// or `explanation`.
    pub sort: &'static str,
    /// It was asked for, and not only referred to.
    pub asked: bool,
    /// Its records.
    pub records: u32,
}

impl BundledView {
    /// A chain as it is shown.
    #[must_use]
    pub fn of(chain: &proofmark_evidence::BundledChain) -> Self {
        BundledView {
            id: chain.id.as_str().to_owned(),
            sort: crate::verification::sort(chain.sort),
            asked: chain.asked,
            records: chain.records,
        }
    }
}

//! What is shown of the builds of a matrix.

use proofmark_terms::Feature;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

/// The builds of a matrix.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BuiltView {
    /// In the order of the matrix.
    pub cells: Vec<BuildEntry>,
    /// Groups of cells, by name, whose images are the same bytes.
    pub identical: Vec<Vec<String>>,
    /// What nobody asked for and only some builds have.
    pub uneven: Vec<UnevenEntry>,
}

/// A cell after its build.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BuildEntry {
    /// Its name.
    pub name: String,
    /// BLAKE3 of everything that goes into the build, in hexadecimal; empty where that could not be
    /// told.
    pub key: String,
    /// The file with the build's own output, if it was started.
    pub log: String,
    /// That file is there.
    #[serde(skip)]
    pub has_log: bool,
    /// An earlier command made the build.
    #[serde(skip)]
    pub kept: bool,
    /// The capture's name in the store; null where there is no build.
    pub capture: Option<String>,
    /// BLAKE3 of the image, in hexadecimal.
    pub image: Option<String>,
    /// How long the build took, in seconds.
    pub seconds: Option<f64>,
    /// Why its processes were not followed, so that what its scripts and tools read outside of the
    /// sources is not known; null where it is.
    pub unseen: Option<String>,
    /// Objects of the image that are files of the sources, and were not compiled again.
    pub taken: Vec<TakenEntry>,
    /// What was asked of the compiler and what came of it.
    pub flags: Option<FlagsEntry>,
    /// Why there is no build, and the next step; null where there is one.
    pub problem: Option<String>,
}

/// Objects that a build took from its sources as they are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TakenEntry {
    /// How many.
    pub objects: usize,
    /// Of how many.
    pub of: usize,
    /// The capture that compiled them.
    pub capture: String,
}

/// What was asked of the compiler, and what came of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FlagsEntry {
    /// The words that the flag sets and the toolchain add to compilations.
    pub asked: Vec<String>,
    /// Those that did not reach all compilations, or had no effect.
    pub missing: Vec<MissingEntry>,
    /// What is in the machine code.
    pub present: Vec<PresentEntry>,
}

/// A flag that was asked for in vain.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MissingEntry {
    /// The words of it.
    pub flag: String,
    /// What became of it, as the end of a sentence that begins with the flag.
    pub why: String,
}

/// A feature that is in a build.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PresentEntry {
    /// Which.
    #[serde(serialize_with = "as_word")]
    #[schemars(with = "FeatureWord")]
    pub feature: Feature,
    /// The source's build or the flag sets ask for it.
    pub asked: bool,
    /// How it is known.
    pub how: String,
}

/// Something that only some builds have.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UnevenEntry {
    /// Which.
    #[serde(serialize_with = "as_word")]
    #[schemars(with = "FeatureWord")]
    pub feature: Feature,
    /// Cells that have it without asking.
    pub with: Vec<String>,
    /// Cells that do not have it.
    pub without: Vec<String>,
}

impl FlagsEntry {
    /// What nobody asked for.
    pub(super) fn unasked(&self) -> impl Iterator<Item = Feature> {
        let unasked = self.present.iter().filter(|one| !one.asked);
        unasked.map(|one| one.feature)
    }
}

/// Something that compilers and their wrappers switch on by themselves.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum FeatureWord {
    /// A position-independent executable.
    Pie,
    /// Landing pads and shadow stacks (`-fcf-protection`).
    Cet,
    /// `-fstack-protector…`.
    StackProtector,
    /// Registers zeroed before functions return (`-fzero-call-used-regs`).
    ZeroedRegisters,
    /// Another processor than the architecture's baseline (`-march`, `-mcpu`).
    Cpu,
    /// A sanitiser.
    Sanitizer,
}

fn as_word<S: Serializer>(feature: &Feature, to: S) -> Result<S::Ok, S::Error> {
    let word = match feature {
        Feature::Pie => FeatureWord::Pie,
        Feature::Cet => FeatureWord::Cet,
        Feature::StackProtector => FeatureWord::StackProtector,
        Feature::ZeroedRegisters => FeatureWord::ZeroedRegisters,
        Feature::Cpu => FeatureWord::Cpu,
        Feature::Sanitizer => FeatureWord::Sanitizer,
    };
    word.serialize(to)
}

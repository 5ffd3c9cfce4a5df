//! The builds of a matrix for programs.

use proofmark_project::{BuiltCell, Cell, Feature, FlagReport, Outcome, Uneven, identical, uneven};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::document::{Document, enveloped};

/// The builds of a matrix.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BuiltDocument {
    /// In the order of the matrix.
    cells: Vec<BuildEntry>,
    /// Groups of cells, by name, whose images are the same bytes.
    identical: Vec<Vec<String>>,
    /// What nobody asked for and only some builds have.
    uneven: Vec<UnevenEntry>,
}

/// A cell after its build.
#[derive(Serialize, JsonSchema)]
struct BuildEntry {
    /// Its name.
    name: String,
    /// BLAKE3 of everything that goes into the build, in hexadecimal; empty where that could not be
    /// told.
    key: String,
    /// The file with the build's own output, if it was started.
    log: String,
    /// The capture's name in the store; null where there is no build.
    capture: Option<String>,
    /// BLAKE3 of the image, in hexadecimal.
    image: Option<String>,
    /// How long the build took, in seconds.
    seconds: Option<f64>,
    /// What was asked of the compiler and what came of it.
    flags: Option<FlagsEntry>,
    /// Why there is no build, and the next step; null where there is one.
    problem: Option<String>,
}

/// What was asked of the compiler, and what came of it.
#[derive(Serialize, JsonSchema)]
struct FlagsEntry {
    /// The words that the flag sets and the toolchain add to compilations.
    asked: Vec<String>,
    /// Those that did not reach all compilations, or had no effect.
    missing: Vec<MissingEntry>,
    /// What is in the machine code.
    present: Vec<PresentEntry>,
}

/// A flag that was asked for in vain.
#[derive(Serialize, JsonSchema)]
struct MissingEntry {
    /// The words of it.
    flag: String,
    /// What became of it, as the end of a sentence that begins with the flag.
    why: String,
}

/// A feature that is in a build.
#[derive(Serialize, JsonSchema)]
struct PresentEntry {
    feature: FeatureWord,
    /// The source's build or the flag sets ask for it.
    asked: bool,
    /// How it is known.
    how: String,
}

/// Something that only some builds have.
#[derive(Serialize, JsonSchema)]
struct UnevenEntry {
    feature: FeatureWord,
    /// Cells that have it without asking.
    with: Vec<String>,
    /// Cells that do not have it.
    without: Vec<String>,
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

impl Document for BuiltDocument {
    const SCHEMA: &'static str = "matrix-builds";
}

/// The builds of a matrix for programs.
#[must_use]
pub fn json(cells: &[BuiltCell]) -> Value {
    let same = identical(cells);
    let names = |group: &Vec<&Cell>| group.iter().map(|cell| cell.name.clone()).collect();
    enveloped(&BuiltDocument {
        cells: cells.iter().map(entry).collect(),
        identical: same.iter().map(names).collect(),
        uneven: uneven(cells).iter().map(uneven_entry).collect(),
    })
}

fn entry(cell: &BuiltCell) -> BuildEntry {
    let made = cell.made();
    let problem = match &cell.outcome {
        Outcome::Made(_) => None,
        Outcome::Failed(failure) => Some(failure.why.clone()),
    };
    BuildEntry {
        name: cell.cell.name.clone(),
        key: cell.key.clone(),
        log: cell.log.to_string_lossy().into_owned(),
        capture: made.map(|made| made.capture.name.clone()),
        image: made.and_then(|made| Some(made.links().ok()?.first()?.image_hash.clone())),
        seconds: made.map(|made| made.seconds),
        flags: made.map(|made| flags(&made.flags)),
        problem,
    }
}

fn flags(report: &FlagReport) -> FlagsEntry {
    let missing = report.missing.iter().map(|missing| MissingEntry {
        flag: missing.flag.clone(),
        why: missing.why.clone(),
    });
    let present = report.present.iter().map(|finding| PresentEntry {
        feature: word(finding.feature),
        asked: finding.asked,
        how: finding.how.clone(),
    });
    FlagsEntry {
        asked: report.asked.clone(),
        missing: missing.collect(),
        present: present.collect(),
    }
}

fn uneven_entry(of: &Uneven) -> UnevenEntry {
    UnevenEntry {
        feature: word(of.feature),
        with: of.with.clone(),
        without: of.without.clone(),
    }
}

fn word(feature: Feature) -> FeatureWord {
    match feature {
        Feature::Pie => FeatureWord::Pie,
        Feature::Cet => FeatureWord::Cet,
        Feature::StackProtector => FeatureWord::StackProtector,
        Feature::ZeroedRegisters => FeatureWord::ZeroedRegisters,
        Feature::Cpu => FeatureWord::Cpu,
        Feature::Sanitizer => FeatureWord::Sanitizer,
    }
}

//! A cell after its build: what was captured and which flags reached the compiler, or why there is
//! no build.

use std::collections::BTreeSet;
use std::path::PathBuf;

use proofmark_capture::states::Revision;
use proofmark_capture::{BuildError, Capture, CapturedLink};
use proofmark_terms::{Digest, OsText};
use serde::{Deserialize, Serialize};

use super::recipe::Recipe;
use crate::cells::Cell;
use crate::sources::MadeTree;
use crate::toolchain::Finding;

/// A cell whose build has been tried.
#[derive(Clone, Debug)]
pub struct BuiltCell {
    /// The combination.
    pub cell: Cell,
    /// BLAKE3 of everything that goes into the build, in hexadecimal; empty where that could not be
    /// told.
    pub key: String,
    /// Where the build's own output is, if it was started.
    pub log: PathBuf,
    /// What came of it.
    pub outcome: BuildOutcome,
}

/// What came of a build.
#[derive(Clone, Debug)]
pub enum BuildOutcome {
    /// It was captured.
    Made(Box<Made>),
    /// There is no build; the other cells go on.
    Failed(Failure),
}

/// A captured build of a cell.
#[derive(Clone, Debug)]
pub struct Made {
    /// The capture.
    pub capture: Capture,
    /// The image, relative to the source's folder; the capture's own choice when `None`.
    pub image: Option<PathBuf>,
    /// BLAKE3 of the patches that went in, in their order.
    pub patches: Vec<Digest>,
    /// The state of its sources without them, where that is known.
    pub revision: Option<Revision>,
    /// How it is made of that, where it is known.
    pub recipe: Option<Recipe>,
    /// The flags that reached the compiler.
    pub flags: FlagReport,
    /// Why its processes were not followed: what scripts and generators read is then not known.
    pub unseen: Option<String>,
    /// Files of the source, relative to it, that the build looked for in vain: they are under no
    /// version control, and so not in its copy.
    pub not_copied: Vec<OsText>,
    /// In words, each hunk of a patch that went in at another line than the one it was made for.
    pub displaced: Vec<String>,
    /// What the builds of other cells left outside of their folders, and lies there still.
    pub of_others: BTreeSet<PathBuf>,
    /// The files that its runs read, where its source has a folder of them.
    pub tree: Option<MadeTree>,
    /// How long the build took, in seconds.
    pub seconds: f64,
    /// It was made by an earlier command.
    pub kept: bool,
}

/// Why a cell has no build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// What happened, and the next step.
    pub why: String,
    /// The toolchain is at fault, not the build: it is missing, has another version, or cannot
    /// link.
    pub toolchain: bool,
}

/// What was asked of the compiler, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlagReport {
    /// The words that the flag sets and the toolchain add to compilations.
    pub asked: Vec<String>,
    /// Those that did not reach all compilations, or had no effect.
    pub missing: Vec<MissingFlag>,
    /// What is in the machine code.
    pub present: Vec<Finding>,
}

/// A flag that was asked for in vain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingFlag {
    /// The words of it.
    pub flag: String,
    /// What became of it, as the end of a sentence that begins with the flag.
    pub why: String,
}

impl BuiltCell {
    /// The build, if there is one.
    #[must_use]
    pub fn made(&self) -> Option<&Made> {
        match &self.outcome {
            BuildOutcome::Made(made) => Some(made),
            BuildOutcome::Failed(_) => None,
        }
    }
}

impl Made {
    /// The links of the image, one for each build of the capture.
    ///
    /// # Errors
    /// When the capture has no such image.
    pub fn links(&self) -> Result<Vec<CapturedLink>, BuildError> {
        self.capture.images(self.image.as_deref())
    }
}

impl FlagReport {
    /// What nobody asked for.
    pub fn unasked(&self) -> impl Iterator<Item = &Finding> {
        self.present.iter().filter(|finding| !finding.asked)
    }
}

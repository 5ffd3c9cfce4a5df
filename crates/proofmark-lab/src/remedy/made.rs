//! What is tried against a placement, and what came of it.

use std::collections::BTreeSet;
use std::path::Path;

use proofmark_capture::{Capture, CapturedLink, arrange};
use proofmark_layout::{Arrangement, Kept};
use proofmark_terms::BuildIndex;

use super::request::RemediesRequest;
use crate::builds::{Source, Subject};
use crate::error::LabError;

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Hot functions stand together.
    Together,
    /// Every function begins at a multiple of so many bytes.
    Aligned(u64),
}

/// All that is tried, in this order.
pub(super) const ALL: [Remedy; 3] = [Remedy::Together, Remedy::Aligned(32), Remedy::Aligned(64)];

impl Remedy {
    /// A word for the name of its build.
    fn word(self) -> String {
        match self {
            Remedy::Together => "together".to_owned(),
            Remedy::Aligned(bytes) => format!("aligned{bytes}"),
        }
    }
}

/// A remedy and what came of it.
#[derive(Clone, Debug)]
pub struct Tried {
    /// What was tried.
    pub remedy: Remedy,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a remedy.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// There is no such build of this program.
    NotMade {
        /// Why.
        why: String,
    },
    /// It was made, and could not be measured: its link failed, a run of it did, or it printed
    /// something else.
    Broke {
        /// What happened.
        why: String,
    },
    /// It was held against the build as it was.
    Compared(Box<Made>),
}

/// A build that is a remedy.
#[derive(Clone, Debug)]
pub struct Made {
    /// The build.
    pub subject: Subject,
    /// Its place in the comparison.
    pub build: BuildIndex,
    /// How many functions it is about.
    pub functions: usize,
    /// Functions that could not be moved, by their symbols, and why.
    pub left: Vec<(String, &'static str)>,
    /// What makes the same of the build's own sources.
    pub kept: Kept,
    /// Bytes of `.text`: of the build as it was, and its own.
    pub text_bytes: [u64; 2],
}

/// Makes every remedy that can be made.
pub(super) fn made(
    request: &RemediesRequest<'_>,
    (capture, link): (&Capture, &CapturedLink),
    hot: &[String],
) -> Result<Vec<Tried>, LabError> {
    let mut tried = Vec::new();
    for remedy in ALL {
        let arrangement = match remedy {
            Remedy::Together => Arrangement::Together(hot),
            Remedy::Aligned(bytes) => Arrangement::Aligned(bytes),
        };
        let outcome = match arrange(request.builds, (capture, link), arrangement, &remedy.word()) {
            Ok(arranged) => {
                let subject = of_capture(&arranged.capture, &link.output, request)?;
                Outcome::Compared(Box::new(Made {
                    subject,
                    build: BuildIndex::BASE,
                    functions: arranged.functions,
                    left: arranged.left,
                    kept: arranged.kept,
                    text_bytes: arranged.text_bytes,
                }))
            }
            // One that does not link is none; a store that cannot be written stops everything.
            Err(proofmark_capture::BuildError::Layout(why)) => Outcome::NotMade {
                why: why.to_string(),
            },
            Err(error) => return Err(error.into()),
        };
        tried.push(Tried { remedy, outcome });
    }
    Ok(tried)
}

/// An arranged build, run as that which it was made from.
fn of_capture(
    capture: &Capture,
    output: &Path,
    request: &RemediesRequest<'_>,
) -> Result<Subject, LabError> {
    Ok(Subject {
        name: capture.name.clone(),
        source: Source::Captured {
            ids: vec![capture.id.clone()],
            links: capture.images(Some(output))?,
            toolchain: capture.toolchain.clone(),
            captured_ms: capture.created_ms,
            ran: capture.ran,
            revision: capture.revision.clone(),
            patches: Vec::new(),
            of_others: BTreeSet::new(),
            built_otherwise: false,
            recipe: None,
        },
        tree: request.subject.tree.clone(),
    })
}

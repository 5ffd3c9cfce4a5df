//! How a build is made, for whoever makes it again elsewhere.

use std::path::PathBuf;

use proofmark_evidence::record::{BuiltBy, PatchText};

/// How a build is made, as far as its records say it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    /// Of the state of its sources.
    pub built_by: BuiltBy,
    /// The topmost folder of the repository that these lie in, here; none where it is known already
    /// in which folder runs work.
    pub top: Option<PathBuf>,
    /// What the patches on that state say.
    pub patches: Vec<PatchText>,
}

impl From<BuiltBy> for Recipe {
    fn from(built_by: BuiltBy) -> Self {
        Recipe {
            built_by,
            top: None,
            patches: Vec::new(),
        }
    }
}

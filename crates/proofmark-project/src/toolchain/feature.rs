//! What compilers and their wrappers switch on by themselves, as it is found in a build.

use proofmark_terms::Feature;
use serde::{Deserialize, Serialize};

/// A feature that is in a build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Which.
    pub feature: Feature,
    /// The source's build or the flag sets ask for it.
    pub asked: bool,
    /// How it is known.
    pub how: String,
}

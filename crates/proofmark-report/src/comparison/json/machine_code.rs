//! What changed in the machine code, for programs.

use proofmark_evidence::record::{CodeChange, Expected};
use schemars::JsonSchema;
use serde::Serialize;

/// What changed in the machine code from the base to a build, in the images that the builds made
/// themselves, or why that is not known.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum CodeView {
    /// The images were read.
    Read {
        /// Functions of the new image; pieces that were split off are not counted apart.
        functions: u64,
        /// Functions whose content is new: changed, or added.
        changed: u64,
        /// Functions of the base that are gone.
        removed: u64,
        /// Functions that only go by another name.
        renamed: u64,
        /// The project's expectations, where it has any.
        expectations: Option<ExpectedView>,
    },
    /// They were not.
    Unread {
        /// Why.
        reason: String,
    },
}

/// Expectations on the machine code, held against the build.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ExpectedView {
    /// Conditions that hold.
    held: u64,
    /// Conditions that do not, each in one line.
    broken: Vec<String>,
    /// Conditions that the base breaks.
    broken_in_base: u64,
}

impl From<&CodeChange> for CodeView {
    fn from(code: &CodeChange) -> Self {
        match code.clone() {
            CodeChange::Read {
                functions,
                changed,
                removed,
                renamed,
                expectations,
            } => CodeView::Read {
                functions,
                changed,
                removed,
                renamed,
                expectations: expectations.map(Into::into),
            },
            CodeChange::Unread { reason } => CodeView::Unread { reason },
        }
    }
}

impl From<Expected> for ExpectedView {
    fn from(expected: Expected) -> Self {
        let Expected {
            held,
            broken,
            broken_in_base,
        } = expected;
        ExpectedView {
            held,
            broken,
            broken_in_base,
        }
    }
}

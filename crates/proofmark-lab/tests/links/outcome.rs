//! What became of a cell.

use serde::{Deserialize, Serialize};

use crate::cell::Cell;

/// What became of a cell.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// Every layout is the user's program, and the planted effect is in all of them.
    Works {
        /// How the two builds were laid out.
        layouts: String,
    },
    /// No layout is made, and the refusal says what it is about.
    Refused {
        /// The refusal, in short.
        why: String,
    },
    /// The toolchain does not have the feature.
    NotApplicable {
        /// Why not.
        why: String,
    },
    /// The machine lacks something.
    Skipped {
        /// What.
        needs: String,
    },
    /// Layouts are not the user's program, are refused without need or name, or do not show the
    /// effect.
    Wrong {
        /// What is wrong.
        what: String,
    },
}

/// A cell and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    /// The cell's name.
    pub(crate) cell: String,
    /// The row of the table: the feature, and its kind.
    pub(crate) row: String,
    /// What was planted.
    pub(crate) plants: String,
    /// The column.
    pub(crate) linker: String,
    /// Which toolchain it was.
    pub(crate) toolchain: String,
    /// What became of it.
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
}

impl Found {
    pub(crate) fn of(cell: &Cell, outcome: Outcome) -> Found {
        let title = &cell.feature.title;
        Found {
            cell: cell.name(),
            row: if cell.variant.name.is_empty() {
                title.clone()
            } else {
                format!("{title}: {}", cell.variant.name)
            },
            plants: cell.feature.plants.clone(),
            linker: cell.toolchain.linker.clone(),
            toolchain: cell.toolchain.name.clone(),
            outcome,
        }
    }
}

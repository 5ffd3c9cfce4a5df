//! Whether drawn images do the work of those as shipped.

use serde::{Deserialize, Serialize};

use crate::private::parts;

/// Whether drawn images of two builds do the work of the images as shipped, told by exact
/// instruction counts of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum DrawnWork {
    /// Each build runs the same instructions in a drawn image as it does as shipped.
    Same,
    /// One does not: in drawn images it behaves otherwise.
    Other {
        /// The build.
        build: String,
        /// Instructions of one run as shipped.
        shipped: u64,
        /// Instructions of one run in a drawn image.
        drawn: u64,
    },
    /// They were not counted.
    Unknown {
        /// Why, and the remedy where there is one.
        why: String,
    },
}

parts!(
    enum DrawnWork {
        Same,
        Other {
            build: mixed,
            shipped: open,
            drawn: open,
        },
        Unknown {
            why: mixed,
        },
    }
);

//! Whether drawn images do the work of those as shipped, with the same data.

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
    /// They run the same instructions, and data that both builds have is not of one size in the
    /// files: matched layouts give all builds as much of it. Said only where the images as shipped
    /// are further from the layouts than layouts explain.
    Evened {
        /// The build whose data is not that of the base.
        build: String,
        /// How many names of data have another size.
        count: u64,
        /// The largest of them, with both sizes.
        example: String,
    },
    /// They run the same instructions, and functions or data of both builds stand in another order
    /// in the files: matched layouts have one for all. Said only where the images as shipped are
    /// further from the layouts than layouts explain.
    Reordered {
        /// The build whose order is not that of the base.
        build: String,
        /// How many functions and data stand in another order.
        count: u64,
        /// The largest of them.
        example: String,
    },
    /// They run the same instructions, and matched layouts spread code or data of one of both over
    /// more memory than it lies in as shipped. Said only where the images as shipped are further
    /// from the layouts than layouts explain.
    Spread {
        /// That build.
        build: String,
        /// Whether it is its code, and not its data.
        code: bool,
        /// Cache lines of 64 bytes that it lies in as shipped, and in matched layouts.
        lines: [u64; 2],
        /// Pages of 4096 bytes, likewise.
        pages: [u64; 2],
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
        Evened {
            build: mixed,
            count: open,
            example: mixed,
        },
        Reordered {
            build: mixed,
            count: open,
            example: mixed,
        },
        Spread {
            build: mixed,
            code: open,
            lines: open,
            pages: open,
        },
        Unknown {
            why: mixed,
        },
    }
);

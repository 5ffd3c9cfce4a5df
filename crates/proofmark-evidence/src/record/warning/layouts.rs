//! Warnings about where code lies.

use proofmark_terms::{CaptureId, Population};
use serde::{Deserialize, Serialize};

use crate::ExperimentId;
use crate::private::parts;
use crate::record::DrawnWork;

/// As shipped, a build is further from the base than layouts explain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShippedApart {
    /// The build.
    pub build: String,
    /// new ÷ base as shipped.
    pub shipped: f64,
    /// new ÷ base over layouts.
    pub over_layouts: f64,
    /// What placement explains of ln(new ÷ base), to either side; ≥ 0. Absent where blocks are too
    /// few to tell.
    pub explained: Option<f64>,
    /// Whether drawn images do the work of those as shipped; absent where nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<DrawnWork>,
}

parts!(ShippedApart {
    build: mixed,
    shipped: open,
    over_layouts: open,
    explained: open,
    drawn: inner,
});

/// Runs read the executable file that they run, which is another file in each layout, and drawn
/// images do not do the work of those as shipped, or nobody knows whether they do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadsItself {
    /// The build.
    pub build: String,
    /// Whether drawn images do the work of those as shipped.
    pub drawn: DrawnWork,
}

parts!(ReadsItself {
    build: mixed,
    drawn: inner,
});

/// Most of a build's code stays where it is in every layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HardlyMovable {
    /// The build.
    pub build: String,
    /// Share of its code that can be moved, 0 to 1.
    pub movable: f64,
    /// Its capture, which tells why.
    pub capture: CaptureId,
}

parts!(HardlyMovable {
    build: mixed,
    movable: open,
    capture: open,
});

/// Data that layouts leave where the linker puts it, or the kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DataNotDrawn {
    /// The builds because of which it stays; none where it is not about a build.
    pub builds: Vec<String>,
    /// What of their data.
    pub what: UndrawnData,
    /// What keeps it from being drawn.
    pub why: String,
}

parts!(DataNotDrawn {
    builds: mixed,
    what: open,
    why: mixed,
});

/// What of a build's data layouts leave where the linker puts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UndrawnData {
    /// All of it.
    All,
    /// Constants; variables are drawn.
    Constants,
    /// Texts and constants that the linker merges; other data is drawn.
    Merged,
    /// Sections with names of their own, of code or of data.
    Sections,
    /// How far sections with names of their own, which are drawn as a whole, stand from each other.
    Distances,
    /// What runs allocate, which begins at a page.
    Heap,
}

/// The two populations of layouts do not agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PopulationsDisagree {
    /// The build.
    pub build: String,
    /// The population of this experiment.
    pub here: Population,
    /// new ÷ base over it.
    pub ratio: f64,
    /// The population of the other one.
    pub there: Population,
    /// new ÷ base over that.
    pub other_ratio: f64,
    /// The other experiment.
    pub experiment: ExperimentId,
}

parts!(PopulationsDisagree {
    build: mixed,
    here: open,
    ratio: open,
    there: open,
    other_ratio: open,
    experiment: open,
});

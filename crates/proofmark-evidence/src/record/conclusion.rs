//! What the blocks of an experiment say.

use proofmark_terms::{BuildIndex, Interval, Verdict};
use serde::{Deserialize, Serialize};

use super::{Certificate, DrawnWork, Warning};
use crate::private::parts;

/// The end of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conclusion {
    /// Blocks that it rests on.
    pub blocks: u32,
    /// Why measuring stopped.
    pub stop: Stop,
    /// Each build against the base, in the order of the builds.
    pub comparisons: Vec<Comparison>,
    /// What changed in the machine code of the builds' own images, in the order of `comparisons`;
    /// empty where nobody looked.
    #[serde(default)]
    pub code: Vec<CodeChange>,
    /// Whether a slowdown of exactly the margin would have been seen; absent where nobody asked.
    #[serde(default)]
    pub certificate: Option<Certificate>,
    /// What must be known before the numbers are believed.
    pub warnings: Vec<Warning>,
    /// Wall time of all blocks and the pilot, in milliseconds.
    pub took_ms: u64,
}

parts!(Conclusion {
    blocks: open,
    stop: open,
    comparisons: inner,
    code: inner,
    certificate: inner,
    warnings: inner,
    took_ms: open,
});

/// Why measuring stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// Every comparison was decided.
    Decided,
    /// Every interval was as narrow as asked.
    Precise,
    /// The most blocks allowed were measured.
    Blocks,
    /// The budget was spent.
    Budget,
}

/// One build against the base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Index of the build.
    pub build: BuildIndex,
    /// new ÷ base of the metric, shift included.
    pub interval: Interval,
    /// Median of the blocks' effects, on the scale of ln(new ÷ base).
    pub median: f64,
    /// Standard deviation of the blocks' effects, on the same scale.
    pub spread: f64,
    /// What the interval says.
    pub verdict: Verdict,
    /// The block after which it was decided, counted from 1.
    pub decided_after: Option<u32>,
    /// Where undecided: blocks that it would take, if the estimate stays.
    pub blocks_needed: Option<u32>,
    /// What was added to each side of the interval for what slices and rounding may do to the
    /// effect.
    pub widening: f64,
    /// What a run of each came to; absent where it was not kept.
    #[serde(default)]
    pub a_run: Option<ARun>,
    /// What slices did to the effect in these blocks; absent where whole runs were taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slicing: Option<Slicing>,
    /// The builds' own images.
    pub as_shipped: Option<AsShipped>,
    /// What placement alone can do.
    pub layout_alone: Option<LayoutAlone>,
    /// How far the layouts of the new build lie from each other, against those of the base: where
    /// each was drawn on its own and keeps its own order and alignment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout_spread: Option<SpreadRatio>,
    /// Whether the work changed.
    pub instructions: Instructions,
    /// Whether drawn images do the work of those as shipped; absent where nothing called for a
    /// look. Unless they do, there is no verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn: Option<DrawnWork>,
}

parts!(Comparison {
    build: open,
    interval: open,
    median: open,
    spread: open,
    verdict: open,
    decided_after: open,
    blocks_needed: open,
    widening: open,
    a_run: open,
    slicing: open,
    as_shipped: open,
    layout_alone: open,
    layout_spread: open,
    instructions: inner,
    drawn: inner,
});

/// What one run of each of two builds came to, in the unit of the metric: the geometric mean over
/// the runs whose ratio is the effect, so that new ÷ base is the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ARun {
    /// Of the base.
    pub base: f64,
    /// Of the new build.
    pub new: f64,
}

/// What slices did to an effect, block by block against the effect at the length of slice that the
/// verdict rests on. Each is on the scale of ln(new ÷ base).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slicing {
    /// With shorter slices.
    pub short: ShiftBound,
    /// With whole runs.
    pub whole: ShiftBound,
    /// With each build beside a program that leaves its caches alone; absent where that was not
    /// measured.
    pub alone: Option<ShiftBound>,
}

/// A shift of the effect, and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShiftBound {
    /// The mean difference over blocks.
    pub estimate: f64,
    /// Half the width of its 95 % interval.
    pub half_width: f64,
}

/// The builds' own images, measured in the same rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AsShipped {
    /// new ÷ base.
    pub interval: Interval,
    /// Share of pairs of single layouts against which the as-shipped pair looks better, 0 to 1;
    /// absent where it cannot be told.
    pub better_than: Option<f64>,
}

/// What two single builds of the same code could have shown.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayoutAlone {
    /// 95 % of pairs of layouts show at least this, as new ÷ base.
    pub low_ratio: f64,
    /// And at most this.
    pub high_ratio: f64,
    /// The noise of the rounds explains what differs between layouts: the range is an upper bound,
    /// not a finding.
    #[serde(default)]
    pub at_most: bool,
}

/// How much more the layouts of one build differ than those of another: standard deviations, new ÷
/// base. The bounds have the confidence of the effects, and hold together as they do.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpreadRatio {
    /// new ÷ base; 0 where the noise explains what differs between the new build's layouts.
    pub ratio: f64,
    /// Its lower bound, 0 or more.
    pub low: f64,
    /// Its upper bound; absent where the base's layouts may not differ at all.
    pub high: Option<f64>,
}

/// Whether the work changed, told by exact instruction counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Instructions {
    /// Counted.
    Counted {
        /// Instructions of one run of the base.
        base: u64,
        /// Instructions of one run of the new build.
        new: u64,
        /// `valgrind` or `perf`.
        by: String,
        /// How far two counts of one and the same image were apart, as a share of the count: of the
        /// build that varies more. Absent where the counts of the two builds agree.
        #[serde(default)]
        varies: Option<f64>,
        /// What it says.
        work: WorkChange,
    },
    /// Not counted, and why.
    Unavailable {
        /// The reason, and the remedy where there is one.
        reason: String,
    },
}

parts!(
    enum Instructions {
        Counted {
            base: open,
            new: open,
            by: mixed,
            varies: open,
            work: open,
        },
        Unavailable {
            reason: mixed,
        },
    }
);

/// What instruction counts say of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkChange {
    /// Equal within the counter's own repeatability: consistent with placement.
    Same,
    /// No further apart than counts of one and the same image may be: nothing is known.
    Varies,
    /// The work changed.
    Changed,
}

/// What changed in the machine code from the base to one build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CodeChange {
    /// The two images were read.
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
        expectations: Option<Expected>,
    },
    /// They were not, and why.
    Unread {
        /// The reason.
        reason: String,
    },
}

parts!(
    enum CodeChange {
        Read {
            functions: open,
            changed: open,
            removed: open,
            renamed: open,
            expectations: inner,
        },
        Unread {
            reason: mixed,
        },
    }
);

/// The project's expectations on the machine code, held against one build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expected {
    /// Conditions that hold.
    pub held: u64,
    /// Conditions that do not, each in one line: the function, what was expected, what was found.
    pub broken: Vec<String>,
    /// Conditions that the base breaks.
    pub broken_in_base: u64,
}

parts!(Expected {
    held: open,
    broken: mixed,
    broken_in_base: open
});

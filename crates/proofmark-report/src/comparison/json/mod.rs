//! What the blocks say, for programs.

mod machine_code;
mod self_test;

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{
    CodeChange, Comparison, Conclusion, DrawnWork, Instructions, ShiftBound, Slicing,
};
use proofmark_stats::Effect;
use schemars::JsonSchema;
use serde::Serialize;

use super::finding::findings;
use crate::document::words::{Ratio, StopWord, VerdictWord, WorkWord};
use crate::text::untied;
use machine_code::CodeView;
use self_test::CertificateView;

/// The end of a comparison.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ConclusionView {
    /// Blocks that it rests on.
    blocks: u32,
    /// Why measuring stopped.
    stop: StopWord,
    /// Wall time of all blocks and the pilot, in milliseconds.
    took_ms: u64,
    /// Each build against the base.
    comparisons: Vec<ComparisonView>,
    /// What this set-up made of a slowdown of exactly the margin, put into the base on purpose;
    /// absent where nobody asked.
    certificate: Option<CertificateView>,
}

impl ConclusionView {
    pub(crate) fn of(recorded: &Recorded, conclusion: &Conclusion) -> Self {
        let words = findings(recorded, conclusion, usize::MAX)
            .into_iter()
            .map(|finding| untied(&finding.long));
        let code = (0..).map(|index| conclusion.code.get(index));
        let comparisons = conclusion.comparisons.iter().zip(words).zip(code);
        ConclusionView {
            blocks: conclusion.blocks,
            stop: conclusion.stop.into(),
            took_ms: conclusion.took_ms,
            comparisons: comparisons
                .map(|((comparison, words), code)| ComparisonView::of(comparison, code, words))
                .collect(),
            certificate: conclusion.certificate.as_ref().map(CertificateView::of),
        }
    }
}

/// One build against the base, which is build 0.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ComparisonView {
    /// Index of the build in `builds`.
    build: u32,
    /// new ÷ base of the metric. The bounds hold together for all comparisons, with the confidence
    /// of the design.
    ratio: Ratio,
    /// What the interval says.
    verdict: VerdictWord,
    /// The same in words, such as "new is 3.3 % faster". For people: the words may change between
    /// versions.
    words: String,
    /// The block after which it was decided, counted from 1.
    decided_after: Option<u32>,
    /// Where undecided: blocks that it would take, if the estimate stays.
    blocks_needed: Option<u32>,
    /// Median of the blocks' ratios.
    median_ratio: f64,
    /// Standard deviation of the blocks' ln(new ÷ base).
    spread: f64,
    /// What was added to each side of the interval for what slices and rounding may do to the
    /// effect, on the scale of ln(new ÷ base).
    widening: f64,
    /// What one run of each build came to, in the unit of the metric (nanoseconds, bytes, or as
    /// printed): geometric means whose ratio is the estimate.
    a_run: Option<ARunView>,
    /// What slices did to the effect in these blocks; absent where whole runs were taken.
    slicing: Option<SlicingView>,
    /// The builds' own images.
    as_shipped: Option<AsShippedView>,
    /// The range of new ÷ base that two single builds of the same code could have shown, 95 %.
    layout_alone: Option<RangeView>,
    /// How far the layouts of the build lie from each other, against those of the base; absent where
    /// layouts were matched, or the base's do not differ by more than the noise.
    layout_spread: Option<LayoutSpreadView>,
    /// Whether the work changed.
    instructions: InstructionsView,
    /// Whether drawn images do the work of those as shipped; absent where nothing called for a
    /// look. Unless they do, the verdict is `undecided`, whatever the interval says.
    drawn: Option<DrawnWorkView>,
    /// What changed in the machine code; absent where nobody looked.
    code: Option<CodeView>,
}

/// What other ways of measuring made of the effect, less what the verdict's own slices made of it.
#[derive(Serialize, JsonSchema)]
struct SlicingView {
    /// Shorter slices.
    short: ShiftBoundView,
    /// Whole runs.
    whole: ShiftBoundView,
    /// Each build beside a program that leaves its caches alone; absent where that was not
    /// measured.
    alone: Option<ShiftBoundView>,
}

/// A shift on the scale of ln(new ÷ base), and half the width of its 95 % interval.
#[derive(Serialize, JsonSchema)]
struct ShiftBoundView {
    estimate: f64,
    half_width: f64,
}

impl From<&Slicing> for SlicingView {
    fn from(found: &Slicing) -> Self {
        let view = |bound: &ShiftBound| ShiftBoundView {
            estimate: bound.estimate,
            half_width: bound.half_width,
        };
        SlicingView {
            short: view(&found.short),
            whole: view(&found.whole),
            alone: found.alone.as_ref().map(view),
        }
    }
}

impl ComparisonView {
    fn of(comparison: &Comparison, code: Option<&CodeChange>, words: String) -> Self {
        ComparisonView {
            build: comparison.build.0,
            ratio: (&comparison.interval).into(),
            verdict: comparison.verdict.into(),
            words,
            decided_after: comparison.decided_after,
            blocks_needed: comparison.blocks_needed,
            median_ratio: Effect::from_ln(comparison.median).ratio(),
            spread: comparison.spread,
            widening: comparison.widening,
            a_run: comparison.a_run.map(|run| ARunView {
                base: run.base,
                new: run.new,
            }),
            slicing: comparison.slicing.as_ref().map(Into::into),
            as_shipped: comparison.as_shipped.map(|shipped| AsShippedView {
                ratio: (&shipped.interval).into(),
                better_than: shipped.better_than,
            }),
            layout_alone: comparison.layout_alone.map(|alone| RangeView {
                low: alone.low_ratio,
                high: alone.high_ratio,
                at_most: alone.at_most,
            }),
            layout_spread: comparison.layout_spread.map(|spread| LayoutSpreadView {
                ratio: spread.ratio,
                low: spread.low,
                high: spread.high,
            }),
            instructions: (&comparison.instructions).into(),
            drawn: comparison.drawn.as_ref().map(Into::into),
            code: code.map(Into::into),
        }
    }
}

/// What one run of each build came to.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ARunView {
    base: f64,
    new: f64,
}

/// The builds' own images, measured in the same rounds.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AsShippedView {
    /// new ÷ base.
    ratio: Ratio,
    /// Share of pairs of single layouts against which the as-shipped pair looks better, 0 to 1.
    better_than: Option<f64>,
}

/// A range of new ÷ base.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RangeView {
    low: f64,
    high: f64,
    /// An upper bound: the noise of the rounds explains what differs between layouts.
    at_most: bool,
}

/// Standard deviations over layouts, new ÷ base. The bounds have the confidence of the design and
/// hold together for all comparisons.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LayoutSpreadView {
    /// 0 where the noise explains what differs between the new build's layouts.
    ratio: f64,
    low: f64,
    /// Absent where the base's layouts may not differ at all.
    high: Option<f64>,
}

/// Instructions of one run of each build, or why there are none.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum InstructionsView {
    /// Counted.
    Counted {
        /// Of the base.
        base: u64,
        /// Of the new build.
        new: u64,
        /// `valgrind` or `perf`.
        by: String,
        /// How far two counts of one and the same image were apart, as a share; absent where the
        /// builds agree.
        varies: Option<f64>,
        /// What it says.
        work: WorkWord,
    },
    /// Not counted.
    Unavailable {
        /// Why.
        reason: String,
    },
}

impl From<&Instructions> for InstructionsView {
    fn from(instructions: &Instructions) -> Self {
        match instructions {
            Instructions::Counted {
                base,
                new,
                by,
                varies,
                work,
            } => InstructionsView::Counted {
                base: *base,
                new: *new,
                by: by.clone(),
                varies: *varies,
                work: (*work).into(),
            },
            Instructions::Unavailable { reason } => InstructionsView::Unavailable {
                reason: reason.clone(),
            },
        }
    }
}

/// Whether drawn images do the work of those as shipped, told by counts of instructions.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum DrawnWorkView {
    /// They run the same instructions.
    Same,
    /// One build does not.
    Other {
        /// The build.
        build: String,
        /// Instructions of one run as shipped.
        shipped: u64,
        /// Instructions of one run in a drawn image.
        drawn: u64,
    },
    /// They run the same instructions, and matched layouts give the base and the build as much of
    /// data that is not of one size in the files.
    Evened {
        /// The build.
        build: String,
        /// How many names of data have another size.
        count: u64,
        /// The largest of them, with both sizes.
        example: String,
    },
    /// They run the same instructions, and matched layouts give the base and the build one order of
    /// functions and data, which is another one in the files.
    Reordered {
        /// The build.
        build: String,
        /// How many functions and data stand in another order.
        count: u64,
        /// The largest of them.
        example: String,
    },
    /// They run the same instructions, and matched layouts spread code or data of one of both over
    /// more memory than it lies in as shipped.
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
        /// Why.
        why: String,
    },
}

impl From<&DrawnWork> for DrawnWorkView {
    fn from(drawn: &DrawnWork) -> Self {
        match drawn {
            DrawnWork::Same => DrawnWorkView::Same,
            DrawnWork::Other {
                build,
                shipped,
                drawn,
            } => DrawnWorkView::Other {
                build: build.clone(),
                shipped: *shipped,
                drawn: *drawn,
            },
            DrawnWork::Evened {
                build,
                count,
                example,
            } => DrawnWorkView::Evened {
                build: build.clone(),
                count: *count,
                example: example.clone(),
            },
            DrawnWork::Reordered {
                build,
                count,
                example,
            } => DrawnWorkView::Reordered {
                build: build.clone(),
                count: *count,
                example: example.clone(),
            },
            DrawnWork::Spread {
                build,
                code,
                lines,
                pages,
            } => DrawnWorkView::Spread {
                build: build.clone(),
                code: *code,
                lines: *lines,
                pages: *pages,
            },
            DrawnWork::Unknown { why } => DrawnWorkView::Unknown { why: why.clone() },
        }
    }
}

//! Conditions that travel with a result into every view: a closed list, each with what was found.
//! The words are those of the views.

mod code;
mod layouts;
mod numbers;
mod runs;

use proofmark_terms::OsText;
use serde::{Deserialize, Serialize};

pub use code::ExpectationOfNoCell;
pub use layouts::{
    DataNotDrawn, HardlyMovable, PopulationsDisagree, ReadsItself, ShippedApart, UndrawnData,
};
pub use numbers::{FewDigits, MarginMisjudged, SumsApart};
pub use runs::{HeldUp, OnlyAnError, WallTimeApart, WorkInDoubt};

use super::{Departure, NoIdleCore};
use crate::private::parts;

/// What must be known before the numbers are believed. Builds, cells and benchmarks go by their
/// names. What takes more than two fields has a type of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Warning {
    /// As shipped, a build is further from the base than layouts explain.
    ShippedApart(ShippedApart),
    /// Runs read the executable file that they run, and may do something else in each layout.
    ReadsItself(ReadsItself),
    /// Placement was not varied.
    PlacementNotControlled {
        /// Why, and how it could be.
        reason: String,
    },
    /// Placement was not varied, and is the same for all builds, which are one program.
    OnePlacement {
        /// Why, and how it could be.
        reason: String,
    },
    /// Runs are mostly start-up.
    ShortRuns {
        /// CPU time of the shortest, in nanoseconds.
        cpu_ns: u64,
    },
    /// Runs that may use several cores are so short that where and when their threads meet is a
    /// matter of how they are started.
    BriefThreads {
        /// CPU time of the shortest, in nanoseconds.
        cpu_ns: u64,
    },
    /// Most of a build's code stays where it is in every layout.
    HardlyMovable(HardlyMovable),
    /// Data stays where the linker puts it in every layout.
    DataNotDrawn(DataNotDrawn),
    /// Images of captured builds are not what the builds make by themselves.
    Departed {
        /// The builds.
        builds: Vec<String>,
        /// In what.
        departure: Departure,
    },
    /// Far fewer or far more rounds were asked for than measured costs and variances advise.
    RoundsAdvice {
        /// Rounds of a block that would narrow the interval fastest.
        advised: u32,
        /// Those asked for.
        asked: u32,
    },
    /// Runs were held up, of a program that does other things then.
    HeldUp(HeldUp),
    /// Blocks that follow one another are alike, so that the interval is too narrow.
    BlocksCorrelated {
        /// The build, or the pair of cells.
        of: String,
        /// Correlation of neighbouring blocks, −1 to 1.
        correlation: f64,
    },
    /// A few blocks lie far off, all on one side.
    OneSidedOutliers {
        /// The build, or the pair of cells.
        of: String,
        /// How many blocks.
        blocks: u32,
    },
    /// What slices may do to the effects made an interval much wider.
    SlicingShift {
        /// The build with the widest.
        build: String,
        /// What was added to each side, on the scale of ln(new ÷ base).
        widening: f64,
    },
    /// A slowdown of exactly the margin, put into the base on purpose, was seen as another one.
    MarginMisjudged(MarginMisjudged),
    /// The two populations of layouts do not agree.
    PopulationsDisagree(PopulationsDisagree),
    /// A build takes next to nothing, and no output shows that it did what the other did. No gate
    /// passes on it without being told so.
    WorkInDoubt(WorkInDoubt),
    /// All that is printed is a line of error, and the runs end at once.
    OnlyAnError(OnlyAnError),
    /// The program prints its number in steps that are larger than the margin, and all runs print
    /// nearly the same. No gate passes on it.
    FewDigits(FewDigits),
    /// Runs of a build take now one time and now another.
    SumsApart(SumsApart),
    /// From start to end, runs of two builds differ by what CPU time does not show.
    WallTimeApart(WallTimeApart),
    /// An expectation of machine code that no cell was held against.
    ExpectationOfNoCell(ExpectationOfNoCell),
    /// Runs write files that they read as well.
    State {
        /// One of the files.
        file: OsText,
        /// How many others there are.
        more: u32,
    },
    /// A good part of a run's time is spent on its output being taken in.
    OutputTakenIn {
        /// Bytes that a run prints.
        bytes: u64,
        /// Share of its CPU time, 0 to 1.
        share: f64,
    },
    /// The runs of all builds read files that were changed after the first build was made and
    /// before the last one was.
    InputBetween {
        /// One of the files.
        file: OsText,
        /// How many others there are.
        more: u32,
    },
    /// Not all files that runs read were seen, and watched, beside those that the command names.
    InputsNotTraced {
        /// Why.
        why: String,
    },
    /// Variables are set here that runs do not get, and whose names stand in the program or in what
    /// it loads.
    EnvironmentLeftOut {
        /// Their names, one at least.
        names: Vec<String>,
    },
    /// There was no idle core for the runs.
    NoIdleCore {
        /// What there was.
        core: NoIdleCore,
    },
    /// Others measured on this machine meanwhile.
    OthersMeasure {
        /// On these cores.
        cores: Vec<u32>,
    },
    /// Processes are held by signals, and not by a cgroup.
    HeldBySignals {
        /// Why.
        why: String,
    },
    /// CPU time is told by perf's task clock.
    CpuByTaskClock,
    /// Layouts could not keep some data at one address.
    NotAtOneAddress {
        /// Names of some of it.
        examples: Vec<String>,
    },
    /// The builds differ in files beside the program.
    OwnFiles {
        /// Some of them.
        files: Vec<OsText>,
        /// How many others there are.
        more: u32,
    },
    /// Captured images did not run where their builds left them.
    NotAtItsPlace {
        /// Why.
        why: String,
    },
    /// Which libraries each build mapped was not looked at.
    NotTraced {
        /// Why.
        why: String,
    },
}

parts!(
    enum Warning {
        ShippedApart(inner),
        ReadsItself(inner),
        PlacementNotControlled { reason: mixed },
        OnePlacement { reason: mixed },
        ShortRuns { cpu_ns: open },
        BriefThreads { cpu_ns: open },
        HardlyMovable(inner),
        DataNotDrawn(inner),
        Departed { builds: mixed, departure: inner },
        RoundsAdvice { advised: open, asked: open },
        HeldUp(inner),
        BlocksCorrelated { of: mixed, correlation: open },
        OneSidedOutliers { of: mixed, blocks: open },
        SlicingShift { build: mixed, widening: open },
        MarginMisjudged(inner),
        PopulationsDisagree(inner),
        WorkInDoubt(inner),
        OnlyAnError(inner),
        FewDigits(inner),
        SumsApart(inner),
        WallTimeApart(inner),
        ExpectationOfNoCell(inner),
        State { file: whole, more: open },
        OutputTakenIn { bytes: open, share: open },
        InputBetween { file: whole, more: open },
        InputsNotTraced { why: mixed },
        EnvironmentLeftOut { names: mixed },
        NoIdleCore { core: inner },
        OthersMeasure { cores: open },
        HeldBySignals { why: mixed },
        CpuByTaskClock,
        NotAtOneAddress { examples: mixed },
        OwnFiles { files: mixed, more: open },
        NotAtItsPlace { why: mixed },
        NotTraced { why: mixed },
    }
);

impl Warning {
    /// A stable word, for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Warning::ShippedApart(_) => "shipped-apart",
            Warning::ReadsItself(_) => "reads-itself",
            Warning::PlacementNotControlled { .. } => "placement-not-controlled",
            Warning::OnePlacement { .. } => "one-placement",
            Warning::ShortRuns { .. } => "short-runs",
            Warning::BriefThreads { .. } => "brief-threads",
            Warning::HardlyMovable(_) => "hardly-movable",
            Warning::DataNotDrawn(_) => "data-not-drawn",
            Warning::Departed { departure, .. } => match departure {
                Departure::SectionsAdded => "function-sections-added",
                Departure::WholeObjects { .. } => "whole-objects-moved",
                Departure::Lacking { .. } => "not-compiled-twice",
                Departure::LinkedAgain { .. } => "linked-again-differs",
                Departure::BuiltOtherwise => "built-otherwise",
            },
            Warning::RoundsAdvice { .. } => "rounds-advice",
            Warning::HeldUp(_) => "held-up",
            Warning::BlocksCorrelated { .. } => "blocks-correlated",
            Warning::OneSidedOutliers { .. } => "one-sided-outliers",
            Warning::SlicingShift { .. } => "slicing-shift",
            Warning::MarginMisjudged(_) => "margin-misjudged",
            Warning::PopulationsDisagree(_) => "populations-disagree",
            Warning::WorkInDoubt(_) => "work-in-doubt",
            Warning::OnlyAnError(_) => "only-an-error",
            Warning::FewDigits(_) => "few-digits",
            Warning::SumsApart(_) => "sums-apart",
            Warning::WallTimeApart(_) => "wall-time-apart",
            Warning::ExpectationOfNoCell(_) => "expectation-of-no-cell",
            Warning::State { .. } => "state",
            Warning::OutputTakenIn { .. } => "output-taken-in",
            Warning::InputBetween { .. } => "input-between",
            Warning::InputsNotTraced { .. } => "inputs-not-traced",
            Warning::EnvironmentLeftOut { .. } => "environment-left-out",
            Warning::NoIdleCore { .. } => "no-idle-core",
            Warning::OthersMeasure { .. } => "others-measure",
            Warning::HeldBySignals { .. } => "held-by-signals",
            Warning::CpuByTaskClock => "cpu-by-task-clock",
            Warning::NotAtOneAddress { .. } => "not-at-one-address",
            Warning::OwnFiles { .. } => "own-files",
            Warning::NotAtItsPlace { .. } => "not-at-its-place",
            Warning::NotTraced { .. } => "not-traced",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_is_the_word_that_is_stored() {
        let all = [
            Warning::CpuByTaskClock,
            Warning::ShortRuns { cpu_ns: 7 },
            Warning::NoIdleCore {
                core: NoIdleCore::OnlyOne { core: 3 },
            },
            Warning::OneSidedOutliers {
                of: "new".to_owned(),
                blocks: 2,
            },
            Warning::HeldUp(HeldUp {
                share: 0.1,
                build: "new".to_owned(),
                found: "goes by the clock".to_owned(),
            }),
        ];
        for warning in all {
            let stored = serde_json::to_value(&warning).unwrap();
            assert_eq!(stored["kind"], warning.code());
            assert_eq!(serde_json::from_value::<Warning>(stored).unwrap(), warning);
        }
    }
}

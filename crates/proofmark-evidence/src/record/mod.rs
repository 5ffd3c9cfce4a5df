//! What the store holds, in the order in which an experiment writes it: the experiment (everything
//! known before the first measured block), its pilot, its blocks, its conclusion. Nothing is ever
//! changed; a correction is a new record.

mod attribution;
mod benchmark;
mod bisect;
mod block;
mod build;
mod built_by;
mod cause;
mod certificate;
mod conclusion;
mod drawn_work;
mod experiment;
mod explanation;
mod gate;
mod idle_core;
mod inputs;
mod ledger;
mod matrix;
mod matrix_conclusion;
mod note;
mod null;
mod pilot;
mod pin;
mod place;
mod place_feature;
mod place_screening;
mod rebuilt;
mod series;
mod sweep;
mod tree;
mod warning;
mod work;

pub use attribution::{
    Attribution, AttributionBlock, AttributionConclusion, AttributionDesign, AttributionStop,
    FunctionPart, GroupScreened, OthersPart, SampledBy, SampledRun, UnmovedFunction,
};
pub use benchmark::{Benchmark, Stdin};
pub use bisect::{
    Axis, Bisect, BisectAnswer, BisectConclusion, BisectStep, ChangeFound, CodeFound, EffectFound,
    End, EndsFound, FunctionChange, FunctionFound, Judge, Neighbour, Relation, SkipReason, StepOf,
    StepOutcome, Stretch, SurveyFound,
};
pub use block::{ArmRef, Block, Round, Run};
pub use build::{Build, BuildOrigin, Departure, ImageFile, Images, Revision, Tool, Vcs};
pub use built_by::{BuiltBy, CellBuild, CellToolchain, PatchText};
pub use cause::Cause;
pub use certificate::{Certificate, CertificateUse};
pub use conclusion::{
    ARun, AsShipped, CodeChange, Comparison, Conclusion, Expected, Instructions, LayoutAlone,
    ShiftBound, Slicing, SpreadRatio, Stop, WorkChange,
};
pub use drawn_work::DrawnWork;
pub use experiment::{Design, Drawing, Experiment, HeapStart, LayoutControl, Question};
pub use explanation::{
    AskedOfSystem, CodeBetween, Conflict, CountFound, Counted, DifferenceFound, Explanation,
    ExplanationBlock, ExplanationConclusion, ExplanationDesign, FunctionBetween, HardwareCount,
    HardwareRuns, HotBy, HotPlace, JumpErratum, LineFound, PlaceFound, PlaceOf, PlacedCode,
    PlacedImage, PlacementFound, RunAsked, SampledElsewhere, SampledFunction, SampledLayouts,
    SampledLine, SampledRuns, SimulatedFunction, SimulatedMisses, SimulatedRun, SimulatedRuns,
};
pub use gate::GateFound;
pub use idle_core::NoIdleCore;
pub use inputs::{AskedAbout, Input, Inputs};
pub use ledger::{
    Decision, FigureOf, FigureOver, FirstFigure, Ledger, LedgerAsked, LedgerBenchmark, LedgerBuild,
    LedgerClaim, LedgerEntry, LedgerEvent, LedgerFigure, LedgerFigureOf, LedgerGroup, LedgerGuard,
    LedgerIdea, LedgerPlace, LedgerRace, LedgerRun, LedgerRunner, LedgerStack, LedgerTest,
    TestOutcome,
};
pub use matrix::{
    Asked, Claim, Exclusion, Guard, MatrixRun, Member, Size, Unbuilt, benchmark_name, is_in_suite,
};
pub use matrix_conclusion::{
    Against, CellCode, Expectation, FactFound, JudgedClaim, JudgedGuard, MatrixConclusion,
    MemberEffect, Missing, Out, Outlier, ScaleEffect, ScaleLine, SuiteEffect,
};
pub use note::Note;
pub use null::{Alarms, NullConclusion, PositionBias};
pub use pilot::{Observation, Pilot, Schedule, Shift, SliceCheck};
pub use pin::{Pin, PinState};
pub use place::{HotFunction, LayoutSpread, ShareFound};
pub use place_feature::{ByPlaceFeature, FeatureClass, PlaceFeature};
pub use place_screening::{PlaceScreening, ScreenedPlace};
pub use rebuilt::Rebuilt;
pub use series::{
    EntryOf, PairOutcome, PairReason, PointOutcome, Series, SeriesEntry, SeriesLine,
    SurroundingPart, TwoWays,
};
pub use sweep::{
    AddressFound, Afresh, ByChance, LeftOut, LowBitsFound, ModulusFound, PartFound, RangeFound,
    Sweep, SweepBlock, SweepConclusion, SweepDesign, SweepRemark, SweepRound, SweepStage,
    SweepStop, SweptAddress, SweptAgainst, SweptFunction, SweptInside, TwoWayFound,
};
pub use tree::{Tree, TreeChange, TreeChangeKind};
pub use warning::{
    DataNotDrawn, ExpectationOfNoCell, FewDigits, HardlyMovable, HeldUp, MarginMisjudged,
    OnlyAnError, PopulationsDisagree, ReadsItself, ShippedApart, SumsApart, UndrawnData,
    WallTimeApart, Warning, WorkInDoubt,
};
pub use work::{Unshown, Work};

//! What the store holds, in the order in which an experiment writes it: the experiment (everything
//! known before the first measured block), its pilot, its blocks, its conclusion. Nothing is ever
//! changed; a correction is a new record.

mod block;
mod build;
mod certificate;
mod conclusion;
mod experiment;
mod inputs;
mod matrix;
mod note;
mod null;
mod pilot;
mod pin;
mod sweep;
mod warning;

pub use block::{ArmRef, Block, Round, Run};
pub use build::{Build, BuildOrigin, Departure, Image, Images, Revision, Vcs};
pub use certificate::{Certificate, CertificateUse};
pub use conclusion::{
    ARun, AsShipped, CodeChange, Comparison, Conclusion, Expected, Instructions, LayoutAlone,
    ShiftBound, Slicing, Stop, WorkChange,
};
pub use experiment::{Benchmark, Design, Drawing, Experiment, LayoutControl, Question, Stdin};
pub use inputs::{Input, Inputs};
pub use matrix::{
    Against, Asked, CellCode, Claim, Exclusion, Expectation, FactFound, JudgedClaim,
    MatrixConclusion, MatrixRun, Member, MemberEffect, Missing, Out, Outlier, ScaleEffect,
    ScaleLine, Size, SuiteEffect, Unbuilt,
};
pub use note::Note;
pub use null::{Alarms, NullConclusion, PositionBias};
pub use pilot::{Observation, Pilot, Schedule, Shift, SliceCheck};
pub use pin::{Pin, PinState};
pub use sweep::{
    AddressFound, Afresh, ByChance, LeftOut, LowBitsFound, ModulusFound, RangeFound, Sweep,
    SweepBlock, SweepConclusion, SweepDesign, SweepRemark, SweepRound, SweepStage, SweepStop,
    SweptAddress, SweptFunction,
};
pub use warning::{NoIdleCore, Unshown, Warning, Work};

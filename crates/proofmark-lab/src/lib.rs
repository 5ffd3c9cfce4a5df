//! Experiments carried out block by block until a verdict.
//!
//! A [`Request`] becomes an experiment in the store ([`begin`]), which is carried out ([`conduct`])
//! on a bench: the real images, instrument and clock behind the trait [`Rig`]. What the blocks say
//! is drawn by `proofmark-conclude`, which is pure. A matrix is many such experiments in step
//! ([`run_matrix`]).

mod alone;
mod attribute;
mod bench;
mod beside;
mod bisect;
mod block;
mod budget;
mod builds;
mod callers;
mod clock;
mod command;
mod error;
mod experiment;
mod explain;
mod gate;
mod history;
mod images;
mod inputs;
mod laboratory;
mod ledger;
mod matrix;
mod observer;
mod output;
mod pilot;
mod places;
mod power;
mod prepare;
mod remedy;
mod rig;
mod shell;
mod spare;
mod spending;
mod sweep;
mod tree;

pub use attribute::{AttributionRequest, RecordedComparison, run_attribution};
pub use bisect::{BisectRequest, Kept, Revisions, Role, run_bisect};
pub use builds::{
    Alike, Enclose, EnclosedBuilds, EnclosedImage, EnclosedObjects, Source, Subject, alike,
    cannot_differ, checked as check_enclosed, cut_alike, enclosed,
};
pub use callers::{Called, Callers, Depth, callers};
pub use clock::now_ms;
pub use command::names_image;
pub use error::{Doing, FailedRun, LabError, TooLittle};
pub use experiment::{CountedRuns, LayoutChoice, Request, UnderWay, begin, compare, conduct, run};
pub use explain::{CalledRuns, ExplanationRequest, ExplanationRun, run_explanation};
pub use gate::{GatesRequest, passing, run_gates};
pub use history::{
    Added, HistoryRequest, OpenAlarm, Ran, SeriesRequest, add_to_history, run_history,
};
pub use laboratory::Laboratory;
pub use ledger::{ConfirmRequest, LedgerRequest, book_of, confirm, decide, run_ledger, screen};
pub use matrix::{
    MatrixCode, MatrixDesign, MatrixRequest, MatrixUnderWay, MemberRequest, MemberUnderWay, Stage,
    benchmarks_of, conduct_matrix, forecast_matrix, load_matrix, run_matrix,
};
pub use observer::{
    AttributionBlockStored, BlockStored, Event, MatrixBlockStored, Observer, Silent,
    SweepBlockStored,
};
pub use output::Printed;
pub use power::resolving_power;
pub use remedy::{Made, Outcome, RemediesRequest, RemediesRun, Remedy, Tried, run_remedies};
pub use rig::{Alone, Habits, Hurry, OnCores, Pauses, Rig, RoundPlan, Solo, Traceable};
pub use spare::{Spare, SpareGarbage};
pub use sweep::{SweepRequest, run_sweep};
pub use tree::Tree;

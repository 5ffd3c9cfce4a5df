//! Experiments carried out block by block until a verdict.
//!
//! A [`Request`] becomes an experiment in the store ([`begin`]), which is carried out ([`conduct`])
//! on a [`Bench`]: the real images, instrument and clock behind the trait [`Rig`]. What the blocks
//! say is drawn by `proofmark-conclude`, which is pure.

mod alike;
mod aside;
mod begin;
mod bench;
mod budget;
mod cache;
mod command;
mod conduct;
mod counting;
mod doubt;
mod error;
mod errors_said;
mod fresh;
mod groups;
mod habits;
mod held;
mod idle;
mod images;
mod inputs;
mod kits;
mod left_out;
mod libraries;
mod limited;
mod mapped;
mod matrix;
mod observer;
mod output;
mod pilot;
mod places;
mod populations;
mod power;
pub mod project;
mod reading;
mod request;
mod rig;
mod rights;
mod run;
mod runner;
mod said;
mod spare;
mod taxed;
mod whole;

pub use alike::{Alike, alike};
pub use begin::begin;
pub use bench::{Bench, BenchParts};
pub use budget::TooLittle;
pub use command::names_image;
pub use conduct::{UnderWay, conduct};
pub use error::{Doing, FailedRun, LabError};
pub use habits::{Alone, Habits, Pauses, Solo};
pub use matrix::{
    MatrixCode, MatrixDesign, MatrixRequest, MatrixUnderWay, MemberRequest, MemberUnderWay, Stage,
    conduct_matrix, forecast_matrix, load_matrix, run_matrix,
};
pub use observer::{Event, Observer, Silent};
pub use output::Printed;
pub use power::resolving_power;
pub use request::{LayoutChoice, Request, Source, Subject};
pub use rig::{Rig, RoundPlan, Traceable};
pub use run::{Laboratory, run};
pub use spare::{Spare, SpareSweep};
pub use whole::cut_alike;

//! Experiments carried out block by block until a verdict.
//!
//! A [`Request`] becomes an experiment in the store ([`begin`]), which is carried out ([`conduct`]) on a [`Bench`]: the real images,
//! instrument and clock behind the trait [`Rig`]. What the blocks say is drawn by [`conclude`], which is pure.

mod a_run;
mod alike;
mod apart;
mod arms;
mod aside;
mod begin;
mod bench;
mod budget;
mod cache;
mod certificate;
mod command;
mod conclude;
mod conduct;
mod counting;
mod departed;
mod doubt;
mod draws;
mod effects;
mod error;
mod errors_said;
mod groups;
mod habits;
mod held;
mod held_up;
mod idle;
mod images;
mod inputs;
mod kits;
mod libraries;
mod limited;
mod mapped;
mod matrix;
mod null;
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
mod times;
mod warnings;
mod whole;

pub use alike::{Alike, alike};
pub use arms::{arms_of, main_arm, paired, values};
pub use begin::begin;
pub use bench::{Bench, BenchParts};
pub use budget::TooLittle;
pub use certificate::arms_in;
pub use command::names_image;
pub use conclude::{Standing, better, conclude, rules, standings};
pub use conduct::{UnderWay, conduct};
pub use doubt::WORK_IN_DOUBT;
pub use draws::{Draws, RoundAt};
pub use effects::effects;
pub use error::{Doing, FailedRun, LabError};
pub use habits::{Alone, Habits, Pauses, Solo};
pub use matrix::{
    Begun, BlockTime, Ended, MatrixCode, MatrixDesign, MatrixForecast, MatrixRequest,
    MatrixUnderWay, MemberRequest, MemberUnderWay, PlannedLayouts, PlannedMember, Stage,
    against_cell, conclude_matrix, conduct_matrix, load_matrix, run_matrix,
};
pub use null::conclude_null;
pub use observer::{Event, Observer, Silent};
pub use output::Printed;
pub use power::resolving_power;
pub use request::{LayoutChoice, Request, Source, Subject};
pub use rig::{Count, Counted, Rig, RoundPlan, Traceable};
pub use run::{Laboratory, run};
pub use whole::cut_alike;

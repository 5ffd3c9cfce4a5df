//! Arguments that several commands take: pure, and help can never fail. What they mean on this
//! machine is decided by each command.

mod benchmark;
mod calls;
mod design;
mod experiment;
mod gates;
mod output;
mod plot;
mod repeat;
mod sandbox;
mod values;

pub(crate) use values::{address, blocks, duration, seed, share};

pub(crate) use benchmark::BenchmarkArgs;
pub(crate) use calls::{CallsArgs, beside};
pub(crate) use design::{BesideArgs, DesignArgs, LayoutsArg, PopulationArg, ScheduleArg, schedule};
pub(crate) use experiment::ExperimentArgs;
pub(crate) use gates::GateArgs;
pub(crate) use output::{ColorArg, FormatArg, OutputArgs};
pub(crate) use plot::PlotArgs;
pub(crate) use repeat::RepeatArg;
pub(crate) use sandbox::LimitArgs;

//! The instrument: spawn, schedule, clocks, counters.

mod cgroup;
pub mod checks;
mod cores;
pub mod count;
pub mod counters;
mod environment;
mod error;
mod idle;
mod instrument;
mod interrupt;
mod launch;
mod launcher;
mod length;
mod machine;
mod metric;
mod os_text;
mod outcome;
mod proc_stat;
mod program;
mod schedule;
mod unavailable;

pub use cores::keep_off;
pub use environment::{PADDING, environment};
pub use error::MeasureError;
pub use idle::{CoreChoice, idle_core};
pub use instrument::{CgroupUse, Grouping, Instrument, InstrumentOptions, Turns};
pub use interrupt::Stop;
pub use launch::Launch;
pub use length::Length;
pub use machine::{Fact, Machine, read_machine};
pub use metric::{Metric, MetricError, parse_metric, value};
pub use os_text::OsText;
pub use outcome::{End, Outcome, Output, Peak};
pub use program::{Form, Program, look_at};
pub use schedule::proportional_slices;
pub use unavailable::Unavailable;

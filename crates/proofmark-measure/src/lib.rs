//! The instrument: spawn, schedule, clocks, counters.

mod cgroup;
mod cores;
mod environment;
mod error;
mod instrument;
mod interrupt;
mod launch;
mod launcher;
mod machine;
mod metric;
mod os_text;
mod outcome;
mod program;
mod schedule;

pub use cores::keep_off;
pub use environment::{PADDING, environment};
pub use error::MeasureError;
pub use instrument::{CgroupUse, Grouping, Instrument, InstrumentOptions, Turns};
pub use interrupt::Stop;
pub use launch::Launch;
pub use machine::{Fact, Machine};
pub use metric::Metric;
pub use os_text::OsText;
pub use outcome::{End, Outcome, Output, Peak};
pub use program::{Form, Program, look_at};
pub use schedule::proportional_slices;

//! The instrument: spawn, schedule, clocks, counters.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use proofmark_measure::{Instrument, InstrumentOptions, Launch, Turns};
//!
//! # fn main() -> Result<(), proofmark_measure::MeasureError> {
//! let instrument = Instrument::new(InstrumentOptions::default())?;
//! let launch = |program: &str| Launch::new(program, Duration::from_secs(1));
//! // Two whole runs, one after the other.
//! let turns = Turns::Interleaved { order: vec![0, 1] };
//! let outcomes = instrument.round(&[launch("old/lua"), launch("new/lua")], &turns)?;
//! for outcome in outcomes {
//!     println!("{:?} of CPU time", outcome.cpu);
//! }
//! # Ok(())
//! # }
//! ```

mod accounting;
mod cgroup;
pub mod checks;
mod core_lock;
mod cores;
pub mod count;
pub mod counters;
mod environment;
mod error;
mod idle;
mod input;
mod instrument;
mod interrupt;
mod launch;
mod launcher;
mod length;
mod machine;
mod mapped;
mod metric;
pub mod model;
mod native;
mod outcome;
mod proc_stat;
mod program;
pub mod sample;
pub mod sandbox;
mod schedule;
mod spent;
mod strays;
mod tax;
pub mod trace;
mod unavailable;
mod valgrind;
mod view;

pub use accounting::{Accounted, Accounting, Short};
pub use core_lock::{CoreLock, measured_by_others};
pub use cores::keep_off;
pub use environment::{PADDING, environment, is_common};
pub use error::MeasureError;
pub use idle::{CoreChoice, claim_core, idle_core, other_core};
pub use instrument::{
    CgroupUse, Grouping, Instrument, InstrumentOptions, MOST_ARMS, Stretch, Turns, cost_of_output,
    moves_heaps,
};
pub use interrupt::Interrupt;
pub use launch::Launch;
pub use length::Length;
pub use machine::read_machine;
pub use metric::{MetricError, PrintedNumber, expression, parse_metric, printed, value};
pub use outcome::{End, Outcome, Output, Peak};
pub use program::{Form, Program, look_at};
pub use schedule::proportional_slices;
pub use spent::Spent;
pub use tax::{Tax, TaxedClock};
pub use unavailable::Unavailable;
pub use view::{Binding, View};

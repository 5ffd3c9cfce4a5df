//! The instrument: spawn, schedule, clocks, counters.

mod machine;
mod metric;
mod os_text;

pub use machine::{Fact, Machine};
pub use metric::Metric;
pub use os_text::OsText;

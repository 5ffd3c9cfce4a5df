//! The words that every room shares. They stand below all other crates, and nothing here does
//! anything: what is read, drawn or measured is the matter of the room that does it.
//!
//! ```
//! use proofmark_terms::{Metric, OsText};
//!
//! assert!(Metric::CpuTime.survives_pauses());
//! assert_eq!(OsText::from("--fast").display(), "--fast");
//! ```

pub mod canonical;
pub mod exact;
pub mod lossless;
mod machine;
mod metric;
mod os_text;
mod population;

pub use machine::{Machine, Reading};
pub use metric::Metric;
pub use os_text::OsText;
pub use population::Population;

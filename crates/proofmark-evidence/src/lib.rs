//! The evidence store: append-only, content-addressed, versioned.
//!
//! What is recorded, and its shape, is in [`record`]; the tables, for readers with SQL, are in
//! `docs/schema/store.md`. A [`Store`] only reads; a [`LockedStore`] has the right to measure,
//! which one process has at a time, and appends. A [`bundle`] is evidence in one file, for others.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use proofmark_evidence::Store;
//!
//! # fn main() -> Result<(), proofmark_evidence::StoreError> {
//! let store = Store::open(Path::new(".proofmark"))?;
//! for summary in store.list()? {
//!     let recorded = store.load(summary.id.as_str())?;
//!     println!("{}: {} blocks", summary.id, recorded.blocks.len());
//! }
//! # Ok(())
//! # }
//! ```

pub mod bundle;
mod envelope;
mod error;
mod holder;
mod id;
mod lock;
mod log;
mod private;
pub mod record;
mod samples;
mod secrets;
mod store;

pub use error::{Candidate, StoreError};
pub use holder::Holder;
pub use id::{
    AttributionId, BisectId, ChainId, ExperimentId, ExplanationId, LedgerId, MatrixId, SeriesId,
    SweepId,
};
pub use private::{Privacy, PrivateParts, is_left_out, names_here};
pub use store::{
    Bundled, BundledChain, ChainSort, Checked, Enclosed, LaterChain, LockedStore, Progress,
    Recorded, RecordedAttribution, RecordedBisect, RecordedExplanation, RecordedLedger,
    RecordedMatrix, RecordedSeries, RecordedSweep, Store, Summary, Use, UseReason, VerdictOn,
};

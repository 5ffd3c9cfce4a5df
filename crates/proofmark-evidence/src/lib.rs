//! The evidence store: append-only, content-addressed, versioned.
//!
//! What is recorded, and its shape, is in [`record`]; the tables, for readers with SQL, are in
//! `docs/schema/store.md`.

mod envelope;
mod error;
mod id;
mod lock;
pub mod record;
mod samples;
mod schema;
mod store;

pub use error::{Candidate, StoreError};
pub use id::{ExperimentId, MatrixId};
pub use lock::{Holder, MeasuringLock};
pub use store::{Checked, Recorded, RecordedMatrix, State, Store, Summary, VerdictOn};

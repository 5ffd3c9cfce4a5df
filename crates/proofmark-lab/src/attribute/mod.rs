//! An attribution: whose place carries the spread between the layouts of one build.
//!
//! [`run_attribution`] reads like a table of contents: a sampled run says which functions are in
//! question, the layouts of a comparison which of these stand out, layouts in slots can be made,
//! the program is looked at, blocks are measured until single functions are left and known well
//! enough.

mod conduct;
mod hot;
mod images;
mod request;
mod run;
mod screened;

pub use request::AttributionRequest;
pub use run::run_attribution;
pub use screened::RecordedComparison;

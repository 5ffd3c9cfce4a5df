//! Every view over experiments made by hand.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod bisects;
mod builds;
mod comment;
mod csv;
mod json;
mod listing;
mod made;
mod markdown;
mod matrix;
mod matrix_made;
mod parts;
mod plan;
mod private;
mod replay;
mod sweep;
mod sweep_made;
mod terminal;

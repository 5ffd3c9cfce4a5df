//! The evidence store: append-only, content-addressed, versioned.
//!
//! What is recorded, and its shape, is in [`record`].

pub mod record;

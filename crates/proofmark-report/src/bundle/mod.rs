//! A bundle that was written, or would be: what goes into the file.

mod enclosed;
mod json;
mod rows;
mod terminal;

pub use json::json;
pub use rows::{BundleView, BundledView, EnclosedCaptureView, EnclosedImageView, TracesView};
pub use terminal::terminal;

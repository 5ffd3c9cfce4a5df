//! Machine code: functions and their facts, expectations, differences.

pub mod difference;
pub mod expectations;
pub mod functions;
mod words;

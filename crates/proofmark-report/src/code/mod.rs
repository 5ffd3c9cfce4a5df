//! Views of machine code: functions and their facts, expectations, differences.

mod difference;
mod expectations;
mod function;
mod functions;
mod json;

pub use difference::{
    Compared, difference, difference_json, difference_listing, difference_summary,
};
pub use expectations::{expectations, expectations_github, expectations_json, expectations_junit};
pub use function::{InFull, function};
pub use functions::functions;
pub use json::{function_json, functions_json};

/// The version of these JSON documents' shape, which rises when a program that reads the present
/// shape could be misled.
pub const CODE_SCHEMA_VERSION: u32 = 1;

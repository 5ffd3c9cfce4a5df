//! Assertions over facts of machine code: what a project relies on, said in a file and checked at
//! every build.

mod callee;
mod cause;
mod check;
mod compiler;
mod condition;
mod dispatch;
mod document;
mod file;
mod file_error;
mod learn;
mod report;
mod vectors;
mod whole;
mod wording;

pub use callee::Callee;
pub use check::check;
pub use condition::{Comparison, Condition, ConditionError, Term};
pub use file::{Expectation, Expectations, Held};
pub use file_error::FileError;
pub use learn::{LearnError, learn};
pub use report::{Breach, ConditionOutcome, Place, Report, Status};

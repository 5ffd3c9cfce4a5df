//! Assertions over facts of machine code: what a project relies on, said in a file and checked at
//! every build.

mod callee;
mod cause;
mod check;
mod compiler;
mod condition;
mod condition_error;
mod dispatch;
mod document;
mod expectations;
mod file_error;
mod learn;
mod relation;
mod report;
mod term;
mod vectors;
mod whole;
mod wording;

pub use callee::Callee;
pub use check::check;
pub use condition::Condition;
pub use condition_error::ConditionError;
pub use expectations::{Expectation, Expectations, Held};
pub use file_error::FileError;
pub use learn::{LearnError, learn};
pub use relation::Relation;
pub use report::{Breach, ConditionOutcome, Place, Report, Status};
pub use term::Term;

//! Assertions over facts of machine code: what a project relies on, said in a file and checked at
//! every build.

mod callee;
mod cause;
mod check;
mod compiler;
mod condition;
mod dispatch;
mod file;
mod learn;
mod vectors;
mod whole;
mod wording;

pub use callee::Callee;
pub use check::{Breach, Outcome, Place, Report, Status, check};
pub use condition::{Comparison, Condition, ConditionError, Term};
pub use file::{Expectation, Expectations, FileError, Held};
pub use learn::{LearnError, learn};

//! Reads what test suites say of their tests, and holds the results of two builds against each
//! other, test by test.
//!
//! What is read is JUnit's XML (pytest, nextest, ctest, gtest, CPython's regrtest and many others
//! write it), TAP, what `cargo test` prints, and `go test -json`. The number of tests that failed
//! says little: a suite of which one test failed before, and another fails now, has the same number.
//!
//! ```
//! use proofmark_suite::{Format, difference};
//!
//! let base = Format::Tap.read(b"1..2\nok 1 - adds\nnot ok 2 - divides\n")?;
//! let new = Format::Tap.read(b"1..2\nnot ok 1 - adds\nok 2 - divides\n")?;
//! let found = difference(&[base], &new);
//! assert_eq!(found.worse[0].to_string(), "adds: passed, now failed");
//! assert_eq!(found.other[0].to_string(), "divides: failed, now passed");
//! # Ok::<(), proofmark_suite::Unreadable>(())
//! ```

mod aligned;
mod difference;
mod format;
mod go;
mod junit;
mod junit_words;
mod libtest;
mod name;
mod prove;
mod results;
mod tap;

pub use aligned::passed_each_time;
pub use difference::{Changed, Difference, difference};
pub use format::{Format, NoFormat, Unreadable};
pub use results::{Counts, Results, TestOutcome};

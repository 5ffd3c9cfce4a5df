//! How a metric is typed, and how it is read from a run.

mod compound;
mod expression;
mod heading;
mod number;
mod parse;
mod scale;
mod sized;
mod unit;
mod value;

use thiserror::Error;

pub use expression::expression;
pub use parse::parse_metric;
pub use value::{PrintedNumber, printed, value};

/// The smallest number that a run may yield, in the metric's unit: the quotient of any two, and the
/// square of that, are finite.
const SMALLEST: f64 = 1e-50;

/// The largest one.
const LARGEST: f64 = 1e50;

/// Why a metric cannot be understood, or a run does not yield it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MetricError {
    /// Not one of the known forms.
    #[error(
        "`{0}` is no metric; use cpu, wall, memory, or stdout[UNIT,higher|lower]:REGEX with one group, such as 'stdout[ops/s]:rate ([0-9.]+)'"
    )]
    Unknown(String),
    /// The regular expression is not one.
    #[error("the metric's regular expression cannot be read: {0}")]
    Regex(String),
    /// Not exactly one group.
    #[error(
        "the metric's regular expression has {0} groups and must have exactly one, around the number; write (?:…) for the others"
    )]
    Groups(usize),
    /// The number's unit is not named.
    #[error(
        "the metric's unit is missing: name it in brackets, as in 'stdout[ms]:{pattern}'; whether \
         more is better follows from a time, a size or a rate, and is said of others: \
         stdout[UNIT,higher]:… or stdout[UNIT,lower]:…"
    )]
    NoUnit {
        /// The regular expression.
        pattern: String,
    },
    /// Nothing says whether more is better.
    #[error(
        "whether more of this metric is better cannot be told from its unit; say so: stdout[{unit},higher]:… or stdout[{unit},lower]:…"
    )]
    Direction {
        /// The unit as given.
        unit: String,
    },
    /// The output has no match.
    #[error("the program's output has no match for `{pattern}`; it starts: {start}")]
    NoMatch {
        /// The regular expression.
        pattern: String,
        /// The first bytes of the output, for the message.
        start: String,
    },
    /// The group matched something else.
    #[error("`{found}`, found by `{pattern}`, is not a number")]
    NotANumber {
        /// What the group matched.
        found: String,
        /// The regular expression.
        pattern: String,
    },
    /// The group matched the beginning or the end of a number.
    #[error(
        "`{found}`, found by `{pattern}`, is only a part of a number: the output says {whole}; \
         take all of it into the group, as in ([0-9.eE+-]+), and print numbers without marks \
         between their digits. A mark that stands beside the group in the expression itself is \
         no part of the number"
    )]
    PartOfANumber {
        /// What the group matched.
        found: String,
        /// The regular expression.
        pattern: String,
        /// What stands there, quoted.
        whole: String,
    },
    /// The number says how far off another one may be.
    #[error(
        "`{found}`, found by `{pattern}`, stands behind a ± and says how far off the number before \
         it may be; of several matches the last one counts, so give an expression that finds the \
         number itself alone, or spell the ± where its error is meant"
    )]
    ErrorOfANumber {
        /// What the group matched.
        found: String,
        /// The regular expression.
        pattern: String,
    },
    /// Numbers in two units are not to be divided by each other.
    #[error(
        "the number is `{found}` in this run and `{first}` in one before it: runs are compared by \
         their numbers, which must be in one unit; let the program print one, or print a number \
         without a unit"
    )]
    AnotherUnit {
        /// The number with its unit, as printed.
        found: String,
        /// That of an earlier run.
        first: String,
    },
    /// An output names another unit for its numbers than the one before.
    #[error(
        "the output names `{found}` in this run, and that of one before it `{first}` in its place: \
         runs are compared by their numbers, which must be in one unit\n  next: let the program \
         print one; where it is the unit of something else, print only what the metric needs"
    )]
    NamedUnit {
        /// The unit that this output names.
        found: String,
        /// That of an earlier run.
        first: String,
    },
    /// The number says that the truth lies beyond it.
    #[error(
        "`{found}`, found by `{pattern}`, stands behind a `{sign}` and is only a bound: print the \
         number itself, or spell the sign in the expression where the bound is meant"
    )]
    BoundOfANumber {
        /// What the group matched.
        found: String,
        /// The regular expression.
        pattern: String,
        /// The sign before it.
        sign: char,
    },
    /// What is not kept of an output is not looked at.
    #[error(
        "the program prints {length} bytes, and a number is looked for in {kept} at most, where \
         the last one counts: print less beside it, or send the rest to another place"
    )]
    TooLong {
        /// Bytes printed.
        length: u64,
        /// Bytes that are kept.
        kept: usize,
    },
    /// Ratios need numbers above zero.
    #[error(
        "the metric is {found}; it must be a finite number above zero to be compared as a ratio"
    )]
    NotPositive {
        /// As found.
        found: String,
    },
    /// Ratios, their squares and what lies between would leave the range of floating point.
    #[error(
        "the metric is {found}; it must lie between {SMALLEST:e} and {LARGEST:e} to be compared: \
         print it in another unit"
    )]
    OutOfRange {
        /// As found.
        found: String,
    },
    /// Nobody has all of the run's CPU time.
    #[error("the CPU time of all that it started cannot be told: {why}\n  next: {next}", why = .0, next = .0.remedy())]
    CpuUnknown(crate::Short),
    /// Too small to be told.
    #[error(
        "the program's peak memory is below {} KiB, which is the least that can be told here: the \
         kernel counts what starts a program towards its peak; give it more work, or take another \
         metric",
        floor.div_ceil(1024)
    )]
    BelowFloor {
        /// In bytes.
        floor: u64,
    },
    /// Perhaps the largest process is not among those that are known.
    #[error(
        "the peak memory of all that it started cannot be told: the kernel may reap processes of \
         it by itself (where SIGCHLD is ignored, for one), and tells nobody their peak\n  \
         next: let the program wait for its children, or take another metric"
    )]
    PeakUnknown,
}

//! Figures, each a ratio of builds over some benchmarks.

use proofmark_terms::{Interval, MemberIndex};
use serde::{Deserialize, Serialize};

/// A figure, and what it is a figure of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerFigureOf {
    /// Of what.
    pub of: FigureOf,
    /// Over which benchmarks.
    pub over: FigureOver,
    /// The figure.
    pub figure: LedgerFigure,
}

/// What a figure is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "figure", rename_all = "kebab-case")]
pub enum FigureOf {
    /// Base again ÷ base: the null pair.
    Null,
    /// An idea ÷ what it is held against.
    Alone {
        /// Its place among the ideas.
        idea: u32,
    },
    /// A stack ÷ base.
    Whole {
        /// Its place among the stacks.
        stack: u32,
    },
    /// A stack up to an idea ÷ the stack below it.
    Added {
        /// The stack's place.
        stack: u32,
        /// The idea's place in it.
        place: u32,
    },
    /// A stack ÷ the stack without an idea.
    LeftOut {
        /// The stack's place.
        stack: u32,
        /// The idea's place in it.
        place: u32,
    },
    /// What an idea makes when it is left out ÷ what it makes alone.
    Interaction {
        /// The stack's place.
        stack: u32,
        /// The idea's place in it.
        place: u32,
    },
}

/// Which benchmarks a figure is the geometric mean of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "over", rename_all = "kebab-case")]
pub enum FigureOver {
    /// All that both builds take part in, each once.
    Suite {
        /// How many.
        benchmarks: u32,
    },
    /// Those of a group.
    Group {
        /// The group's place.
        group: u32,
        /// How many.
        benchmarks: u32,
    },
    /// One, at one size.
    Member {
        /// Its index.
        member: MemberIndex,
    },
}

/// One number with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LedgerFigure {
    /// The ratio.
    pub interval: Interval,
    /// Blocks that it rests on.
    pub blocks: u32,
    /// Smallest and largest ratio among the benchmarks that it is the mean of, on the scale of ln;
    /// absent for one benchmark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<[f64; 2]>,
}

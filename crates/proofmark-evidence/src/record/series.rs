//! A series: one benchmark along a line of commits, measured point by point beside an anchor.

use proofmark_terms::{Commit, CommitId, Digest, Interval, Machine, OsText};
use serde::{Deserialize, Serialize};

use super::rebuilt::{is_once, once};
use super::{Benchmark, Design, Rebuilt, SkipReason};
use crate::ExperimentId;
use crate::private::parts;

/// What is fixed before the first point is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// The benchmark's name.
    pub name: String,
    /// The shell command that builds a commit.
    pub build: String,
    /// Builds of each commit, of which a block draws one; 1 or more.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub repeat: u32,
    /// What is run.
    pub benchmark: Box<Benchmark>,
    /// When measuring a point stops.
    pub design: Box<Design>,
    /// The commit at place 0: the series' first anchor.
    pub origin: Commit,
    /// From one anchor to the next, in places; 1 or more.
    pub anchor_every: u32,
    /// The version of proofmark that began it.
    pub proofmark: String,
    /// Milliseconds since 1970-01-01 UTC.
    pub began_ms: u64,
}

parts!(Series {
    name: mixed,
    build: mixed,
    repeat: open,
    benchmark: inner,
    design: open,
    origin: inner,
    anchor_every: open,
    proofmark: open,
    began_ms: open,
});

/// Something that was measured for a series, on one of its lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesEntry {
    /// From 0, in the order of measuring.
    pub index: u32,
    /// The line that it belongs to.
    pub line: SeriesLine,
    /// What it is.
    pub of: EntryOf,
    /// When it was begun, in milliseconds since 1970-01-01 UTC.
    pub began_ms: u64,
    /// How long it took, its builds included, in milliseconds.
    pub took_ms: u64,
}

parts!(SeriesEntry {
    index: open,
    line: inner,
    of: inner,
    began_ms: open,
    took_ms: open,
});

/// What is measured on one line can be compared: an anchor does not cancel another processor, nor
/// another compiler.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesLine {
    /// What stays of the machine when it is started again. The processor's model tells lines apart;
    /// the rest is to be looked up.
    pub machine: Machine,
    /// A digest of what goes into builds beside their commits.
    pub surroundings: Digest,
    /// What that is a digest of, part by part; in the first entry of a line alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<SurroundingPart>,
}

parts!(SeriesLine {
    machine: inner,
    surroundings: open,
    parts: inner,
});

/// Something that goes into builds beside their commits, such as a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SurroundingPart {
    /// What a message calls it.
    pub name: OsText,
    /// A digest of what it is, which is private as what it is made of.
    pub digest: String,
}

parts!(SurroundingPart {
    name: mixed,
    digest: whole,
});

/// What was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum EntryOf {
    /// One commit.
    Point {
        /// The commit.
        commit: Commit,
        /// How many first parents it is away from the origin.
        place: u32,
        /// What came of it.
        outcome: PointOutcome,
    },
    /// Two commits beside each other, with fresh layouts: whether the level changed between them.
    Pair {
        /// The older commit.
        older: CommitId,
        /// The newer commit.
        newer: CommitId,
        /// Why they were compared.
        why: PairReason,
        /// What came of it.
        outcome: PairOutcome,
    },
}

parts!(
    enum EntryOf {
        Point {
            commit: inner,
            place: open,
            outcome: inner,
        },
        Pair {
            older: open,
            newer: open,
            why: open,
            outcome: inner,
        },
    }
);

/// What came of a commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PointOutcome {
    /// It is the first anchor, beside which others are measured.
    Anchor {
        /// How two builds of it compare; absent where nobody asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rebuilt: Option<Rebuilt>,
    },
    /// Measured beside an anchor.
    Measured {
        /// The anchor's commit.
        anchor: CommitId,
        /// The experiment.
        experiment: ExperimentId,
        /// The two builds ÷ each other: the commit ÷ the anchor.
        found: TwoWays,
    },
    /// Its program is that of another commit, whose value is its own.
    SameProgram {
        /// The name of that commit.
        as_commit: CommitId,
    },
    /// It cannot be measured.
    Skipped {
        /// In what way.
        why: SkipReason,
        /// What was said.
        said: String,
    },
}

parts!(
    enum PointOutcome {
        Anchor {
            rebuilt: open,
        },
        Measured {
            anchor: open,
            experiment: open,
            found: open,
        },
        SameProgram {
            as_commit: open,
        },
        Skipped {
            why: open,
            said: mixed,
        },
    }
);

/// One build ÷ another, with placement averaged out and without.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TwoWays {
    /// Over layouts; absent where placement was not varied.
    pub drawn: Option<Interval>,
    /// As the builds were shipped.
    pub shipped: Interval,
    /// Blocks that both rest on.
    pub blocks: u32,
}

/// Why two commits were compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PairReason {
    /// Their points lie on different levels.
    Change,
    /// The newer one lies off the level before it, as was seen when it was added.
    Alarm {
        /// Its value is above that level.
        rises: bool,
    },
}

/// What came of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum PairOutcome {
    /// It was measured.
    Compared {
        /// The experiment.
        experiment: ExperimentId,
        /// The probability of error that it was given, 0 to 1.
        level: f64,
        /// The newer commit ÷ the older one.
        found: TwoWays,
    },
    /// It could not be measured.
    Failed {
        /// What was said.
        said: String,
    },
}

parts!(
    enum PairOutcome {
        Compared {
            experiment: open,
            level: open,
            found: open,
        },
        Failed {
            said: mixed,
        },
    }
);

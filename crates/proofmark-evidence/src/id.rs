//! Names of records: the hash of their content.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of an experiment: BLAKE3 of its first record, 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExperimentId(String);

impl ExperimentId {
    /// Digits that people see: enough to tell a million experiments apart, short enough to type.
    const SHORT: usize = 12;

    pub(crate) fn from_hex(hex: String) -> Self {
        ExperimentId(hex)
    }

    /// All 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first digits, as shown to people; every command takes them in place of the whole.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.get(..Self::SHORT).unwrap_or(&self.0)
    }
}

impl fmt::Display for ExperimentId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The name of a matrix: BLAKE3 of its first record, 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MatrixId(ExperimentId);

impl MatrixId {
    pub(crate) fn new(chain: ExperimentId) -> Self {
        MatrixId(chain)
    }

    /// The name of the chain of its records.
    pub(crate) fn chain(&self) -> &ExperimentId {
        &self.0
    }

    /// All 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The first digits, as shown to people; every command takes them in place of the whole.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.short()
    }
}

impl fmt::Display for MatrixId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The name of a sweep: BLAKE3 of its first record, 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SweepId(ExperimentId);

impl SweepId {
    pub(crate) fn new(chain: ExperimentId) -> Self {
        SweepId(chain)
    }

    /// The name of the chain of its records.
    pub(crate) fn chain(&self) -> &ExperimentId {
        &self.0
    }

    /// All 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The first digits, as shown to people; every command takes them in place of the whole.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.short()
    }
}

impl fmt::Display for SweepId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The name of a bisection: BLAKE3 of its first record, 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BisectId(ExperimentId);

impl BisectId {
    pub(crate) fn new(chain: ExperimentId) -> Self {
        BisectId(chain)
    }

    /// The name of the chain of its records.
    pub(crate) fn chain(&self) -> &ExperimentId {
        &self.0
    }

    /// All 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The first digits, as shown to people; every command takes them in place of the whole.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.short()
    }
}

impl fmt::Display for BisectId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The name of an attribution: BLAKE3 of its first record, 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttributionId(ExperimentId);

impl AttributionId {
    pub(crate) fn new(chain: ExperimentId) -> Self {
        AttributionId(chain)
    }

    /// The name of the chain of its records.
    pub(crate) fn chain(&self) -> &ExperimentId {
        &self.0
    }

    /// All 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The first digits, as shown to people; every command takes them in place of the whole.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.short()
    }
}

impl fmt::Display for AttributionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The name of a series: BLAKE3 of its first record, 64 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SeriesId(ExperimentId);

impl SeriesId {
    pub(crate) fn new(chain: ExperimentId) -> Self {
        SeriesId(chain)
    }

    /// The name of the chain of its records.
    pub(crate) fn chain(&self) -> &ExperimentId {
        &self.0
    }

    /// All 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The first digits, as shown to people; every command takes them in place of the whole.
    #[must_use]
    pub fn short(&self) -> &str {
        self.0.short()
    }
}

impl fmt::Display for SeriesId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

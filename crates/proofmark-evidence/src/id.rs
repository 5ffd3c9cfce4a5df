//! Names of what a store holds: each is the hash of the first record of a chain.

use std::fmt;

use proofmark_terms::{Digest, NotADigest};
use serde::{Deserialize, Serialize};

/// The name of a chain: BLAKE3 of its first record. What the chain is about is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChainId(Digest);

impl ChainId {
    /// Digits that people see: enough to tell a million chains apart, short enough to type.
    const SHORT: usize = 12;

    /// All 64 digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The hash itself.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        &self.0
    }

    /// The first digits, as shown to people; every command takes them in place of the whole.
    #[must_use]
    pub fn short(&self) -> &str {
        self.as_str().get(..Self::SHORT).unwrap_or(self.as_str())
    }
}

impl fmt::Display for ChainId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The name of a chain that is known to begin with one kind of record.
macro_rules! id {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(ChainId);

        impl $name {
            /// The chain of its records.
            #[must_use]
            pub fn chain(&self) -> &ChainId {
                &self.0
            }

            /// All 64 digits.
            #[must_use]
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }

            /// The first digits, as shown to people; every command takes them in place of the
            /// whole.
            #[must_use]
            pub fn short(&self) -> &str {
                self.0.short()
            }
        }

        impl Begins for $name {
            fn of_chain(chain: ChainId) -> Self {
                $name(chain)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    };
}

impl Begins for ChainId {
    fn of_chain(chain: ChainId) -> Self {
        chain
    }
}

impl From<Digest> for ChainId {
    fn from(first: Digest) -> Self {
        ChainId(first)
    }
}

/// A name that only the store gives: to a chain whose first record it knows.
pub(crate) trait Begins {
    /// The name of what this chain is about.
    fn of_chain(chain: ChainId) -> Self;
}

/// The name of what a chain is about, of which the log says how it begins.
///
/// # Errors
///
/// The log's name for it is no digest.
pub(crate) fn named<I: Begins>(chain: &str) -> Result<I, NotADigest> {
    Ok(I::of_chain(ChainId(chain.parse()?)))
}

id! {
    /// The name of an experiment.
    ExperimentId
}

id! {
    /// The name of a matrix.
    MatrixId
}

id! {
    /// The name of a sweep.
    SweepId
}

id! {
    /// The name of a bisection.
    BisectId
}

id! {
    /// The name of an attribution.
    AttributionId
}

id! {
    /// The name of an explanation.
    ExplanationId
}

id! {
    /// The name of a series.
    SeriesId
}

id! {
    /// The name of a ledger.
    LedgerId
}

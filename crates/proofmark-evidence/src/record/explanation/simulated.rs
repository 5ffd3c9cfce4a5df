//! What a model of caches and branches makes of the builds' own images.

use serde::{Deserialize, Serialize};

use crate::private::parts;

/// One run of each build's own image in a model of caches and branches. It is no measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SimulatedRuns {
    /// Simulated.
    Counted {
        /// The caches of the model, in words: instructions, data, the last level.
        caches: [String; 3],
        /// Of the base.
        base: SimulatedRun,
        /// Of the build.
        new: SimulatedRun,
        /// Functions of the images that execute another number of instructions in each, those of
        /// one symbol together; absent where nobody recorded them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        functions: Option<Vec<SimulatedFunction>>,
        /// Functions of the images that miss more often, or less, in one of them, those of one
        /// symbol together; absent where nobody recorded them.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        misses: Option<Vec<SimulatedMisses>>,
    },
    /// Not simulated, and why.
    Unavailable {
        /// The reason.
        reason: String,
    },
}

parts!(
    enum SimulatedRuns {
        Counted {
            caches: open,
            base: open,
            new: open,
            functions: inner,
            misses: inner,
        },
        Unavailable {
            reason: mixed,
        },
    }
);

/// A function that executes another number of instructions in each of two images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedFunction {
    /// Its symbol.
    pub symbol: String,
    /// Instructions of one run of the base and of the build; 0 where it is not there.
    pub instructions: [u64; 2],
}

parts!(SimulatedFunction {
    symbol: mixed,
    instructions: open,
});

/// What a model counts of a function that misses more often, or less, in one of two images.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedMisses {
    /// Its symbol.
    pub symbol: String,
    /// In one run of the base; nothing where it is not there.
    pub base: SimulatedRun,
    /// In one run of the build, likewise.
    pub new: SimulatedRun,
}

parts!(SimulatedMisses {
    symbol: mixed,
    base: open,
    new: open,
});

/// What a model counts of one run, or of one function in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SimulatedRun {
    /// Instructions.
    pub instructions: u64,
    /// Reads of instructions that the first level did not hold.
    pub i1: u64,
    /// Accesses of data that the first level did not hold.
    pub d1: u64,
    /// Reads of instructions that the last level did not hold either.
    pub ll_instructions: u64,
    /// Accesses of data that the last level did not hold either.
    pub ll_data: u64,
    /// Branches that were not foreseen.
    pub branches: u64,
}

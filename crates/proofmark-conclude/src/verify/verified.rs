//! All chains of a store, or of a bundle, verified one after the other.

use std::collections::HashMap;

use proofmark_evidence::{ChainSort, Store, StoreError};

use super::matrix::VerifiedMatrix;
use super::numbers::Disagreement;
use super::plausible::Implausible;
use super::{experiment, matrix, studies};

/// What was found when evidence was verified.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// Records whose names, places and forms are right.
    pub records: u32,
    /// Each chain, in the order of the evidence.
    pub chains: Vec<VerifiedChain>,
}

/// What was found of one chain.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedChain {
    /// Its name.
    pub id: String,
    /// What it is about.
    pub sort: ChainSort,
    /// The builds, the function, the range: what a reader knows it by.
    pub about: String,
    /// Blocks that it has itself; 0 where it refers to experiments.
    pub blocks: u32,
    /// Runs in them.
    pub runs: u64,
    /// What came of computing it again.
    pub finding: Finding,
    /// What in its samples no measurement would have given.
    pub implausible: Vec<Implausible>,
}

/// What came of computing a conclusion again.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// Everything that follows from the samples came out as claimed.
    AsClaimed {
        /// Numbers that were computed again.
        numbers: u32,
    },
    /// Something comes out otherwise.
    Otherwise(Vec<Disagreement>),
    /// The samples do not give a conclusion at all, and one is claimed.
    NotConcluded {
        /// Why.
        why: String,
    },
    /// Nothing is claimed.
    NothingClaimed,
    /// What it says is not computed again here; its experiments are.
    NotRecomputed,
}

impl VerifiedChain {
    /// Whether nothing speaks against it.
    #[must_use]
    pub fn holds(&self) -> bool {
        let found = match self.finding {
            Finding::AsClaimed { .. } | Finding::NothingClaimed | Finding::NotRecomputed => true,
            Finding::Otherwise(_) | Finding::NotConcluded { .. } => false,
        };
        found && self.implausible.is_empty()
    }
}

impl Verification {
    /// Whether nothing speaks against any of it.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.chains.iter().all(VerifiedChain::holds)
    }
}

/// Verifies everything that a store holds.
///
/// # Errors
///
/// A record is not what its name says, or is not where it belongs.
pub fn verify(store: &Store) -> Result<Verification, StoreError> {
    let records = store.check()?.records;
    let all = store.chains()?;
    // What an experiment of a matrix says by itself follows from all of the matrix.
    let mut matrices: HashMap<String, VerifiedMatrix> = HashMap::new();
    let mut of_matrix: HashMap<String, Finding> = HashMap::new();
    for (id, _) in all.iter().filter(|(_, sort)| *sort == ChainSort::Matrix) {
        let mut found = matrix::verified(&store.load_matrix(id.as_str())?, store)?;
        of_matrix.extend(found.members.drain(..));
        matrices.insert(id.as_str().to_owned(), found);
    }
    let chains = all.into_iter().map(|(id, sort)| {
        let id = id.as_str();
        match sort {
            ChainSort::Experiment => experiment::verified(&store.load(id)?, of_matrix.remove(id)),
            ChainSort::Matrix => match matrices.remove(id) {
                Some(found) => Ok(found.chain),
                None => Ok(matrix::verified(&store.load_matrix(id)?, store)?.chain),
            },
            ChainSort::Sweep => Ok(studies::sweep(&store.load_sweep(id)?)),
            ChainSort::Attribution => Ok(studies::attribution(&store.load_attribution(id)?)),
            ChainSort::Bisect => Ok(studies::bisect(&store.load_bisect(id)?)),
            ChainSort::Series => Ok(studies::series(&store.load_series(id)?)),
            ChainSort::Explanation => {
                let explanation = store.load_explanation(id)?;
                let comparison = store.load(explanation.explanation.comparison.as_str())?;
                Ok(studies::explanation(&explanation, &comparison))
            }
        }
    });
    Ok(Verification {
        records,
        chains: chains.collect::<Result<_, StoreError>>()?,
    })
}

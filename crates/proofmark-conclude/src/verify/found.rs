//! What is found when evidence is verified.

use proofmark_evidence::ChainSort;

use super::plausible::Implausible;

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

/// Something that comes out otherwise than claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Disagreement {
    /// Where in the conclusion, such as `comparisons[0].interval.ratio`.
    pub at: String,
    /// As claimed.
    pub claimed: String,
    /// As it comes out.
    pub found: String,
}

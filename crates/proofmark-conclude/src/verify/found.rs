//! What is found when evidence is verified.

use proofmark_evidence::{ChainSort, LaterChain};

use super::plausible::Implausible;

/// What was found when evidence was verified.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// Records whose names, places and forms are right.
    pub records: u32,
    /// Each chain, in the order of the evidence.
    pub chains: Vec<VerifiedChain>,
    /// Chains that a later version began, of which nothing but names and places was verified.
    pub later: Vec<LaterChain>,
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
    /// What its conclusion goes by as recorded.
    pub as_recorded: AsRecorded,
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
}

/// What a conclusion goes by beside samples, and that nobody can compute again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AsRecorded {
    /// Commits, or ends, that are said to be one program with another one.
    pub same_programs: u32,
    /// Commits and pairs of commits that are said not to have been built or measured.
    pub skipped: u32,
    /// Exit codes of a script.
    pub exits: u32,
}

impl AsRecorded {
    /// Whether there is nothing of that kind.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == AsRecorded::default()
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        AsRecorded {
            same_programs: self.same_programs.saturating_add(other.same_programs),
            skipped: self.skipped.saturating_add(other.skipped),
            exits: self.exits.saturating_add(other.exits),
        }
    }
}

impl VerifiedChain {
    /// What was found of a chain that has no blocks of its own: it refers to experiments.
    pub(super) fn of_experiments(
        id: &str,
        sort: ChainSort,
        about: String,
        finding: Finding,
    ) -> VerifiedChain {
        VerifiedChain {
            id: id.to_owned(),
            sort,
            about,
            blocks: 0,
            runs: 0,
            finding,
            implausible: Vec::new(),
            as_recorded: AsRecorded::default(),
        }
    }

    /// Whether nothing speaks against it.
    #[must_use]
    pub fn holds(&self) -> bool {
        let found = match self.finding {
            Finding::AsClaimed { .. } | Finding::NothingClaimed => true,
            Finding::Otherwise(_) | Finding::NotConcluded { .. } => false,
        };
        found && self.implausible.is_empty()
    }
}

impl Verification {
    /// What conclusions go by as recorded, of all chains.
    #[must_use]
    pub fn as_recorded(&self) -> AsRecorded {
        let all = self.chains.iter().map(|chain| chain.as_recorded);
        all.fold(AsRecorded::default(), AsRecorded::and)
    }

    /// Whether anything is claimed that was held against samples.
    #[must_use]
    pub fn claims(&self) -> bool {
        let mut chains = self.chains.iter();
        chains.any(|chain| chain.finding != Finding::NothingClaimed)
    }

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

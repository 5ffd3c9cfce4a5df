//! What is shown of a ledger, a matrix or a bisection whose experiments are measured again.

use schemars::JsonSchema;
use serde::Serialize;

use super::plan::ReplayPlanView;
use super::rows::{AgreementWord, ReplayView};

/// What has several experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WholeWord {
    /// Ideas, measured side by side.
    Ledger,
    /// Cells on several benchmarks.
    Matrix,
    /// A search for a commit.
    Bisection,
}

/// What a replay of all its experiments would do.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WholePlanView {
    /// What it is.
    pub kind: WholeWord,
    /// Its id.
    pub id: String,
    /// The bundle's file.
    pub file: String,
    /// BLAKE3 of the bundle's content.
    pub bundle: String,
    /// The experiments, in the order in which they would be measured.
    pub experiments: Vec<NamedPlanView>,
}

/// One of the experiments.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NamedPlanView {
    /// What it is about: a benchmark, or a step.
    pub name: String,
    /// What would be done.
    pub plan: ReplayPlanView,
}

/// What came of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct WholeReplayView {
    /// What it is.
    pub kind: WholeWord,
    /// Its id.
    pub id: String,
    /// BLAKE3 of the bundle's content.
    pub bundle: String,
    /// Its experiments, in the order in which they were measured.
    pub experiments: Vec<NamedReplayView>,
}

/// What came of one of the experiments.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NamedReplayView {
    /// What it is about: a benchmark, or a step.
    pub name: String,
    /// The experiment in the bundle.
    pub first: String,
    /// Both machines; null where it was not measured.
    pub replay: Option<ReplayView>,
    /// Why it was not measured; null where it was.
    pub why: Option<String>,
}

impl WholeWord {
    /// As people read it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            WholeWord::Ledger => "ledger",
            WholeWord::Matrix => "matrix",
            WholeWord::Bisection => "bisection",
        }
    }

    /// What of it is not asked again.
    pub(super) const fn not_again(self) -> &'static str {
        match self {
            WholeWord::Ledger => {
                "what the ledger found and decided is held against its experiments alone: the \
                 error budget is asked nothing, and no gate runs again"
            }
            WholeWord::Matrix => {
                "the figures and claims of the matrix are held against its experiments alone, and \
                 no gate runs again"
            }
            WholeWord::Bisection => {
                "the answer of the bisection is held against its experiments alone: nothing is \
                 searched again"
            }
        }
    }
}

impl WholePlanView {
    /// Whether at least one of the experiments can be measured again.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        self.experiments.iter().any(|one| one.plan.is_possible())
    }
}

impl WholeReplayView {
    /// Of all experiments together: disagree where one does, undecided where one is or was not
    /// measured.
    #[must_use]
    pub fn agreement(&self) -> AgreementWord {
        let words = self.experiments.iter().map(|one| {
            let replay = one.replay.as_ref();
            replay.map_or(AgreementWord::Undecided, |replay| replay.agreement)
        });
        let words: Vec<AgreementWord> = words.collect();
        let is = |word: AgreementWord| words.contains(&word);
        if is(AgreementWord::Disagree) {
            AgreementWord::Disagree
        } else if is(AgreementWord::Undecided) || words.is_empty() {
            AgreementWord::Undecided
        } else {
            AgreementWord::Agree
        }
    }
}

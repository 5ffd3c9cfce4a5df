//! Every change of a range for programs.

use proofmark_evidence::RecordedBisect;
use proofmark_evidence::record::{ChangeFound, Stretch, SurveyFound};
use proofmark_terms::StateIndex;
use schemars::JsonSchema;
use serde::Serialize;

use super::json_parts::{CodeEntry, CommitEntry, EffectEntry, code, commit, of_effect};

/// Every change of a range.
#[derive(Serialize, JsonSchema)]
pub(super) struct SurveyEntry {
    /// The oldest first.
    changes: Vec<ChangeEntry>,
    /// Most commits in a row that nobody looked between, for the two around them are alike: a peak
    /// no wider than that may have been missed.
    unseen: u32,
    /// Pairs of commits, the older one first, that differ while no step between them reaches the
    /// margin.
    gradual: Vec<[String; 2]>,
    /// Pairs of neighbours of which it could not be told whether they differ by more than the
    /// margin.
    unclear: Vec<[String; 2]>,
}

/// One change.
#[derive(Serialize, JsonSchema)]
struct ChangeEntry {
    /// The commit; several, the oldest first, where all but the last could not be judged.
    commits: Vec<CommitEntry>,
    /// What it changes: itself ÷ the commit before; null where that could not be measured.
    effect: Option<EffectEntry>,
    /// How the machine code changed at it; null where it could not be read.
    code: Option<CodeEntry>,
    /// Files that it touches: a letter as git has it, and the path; none of several.
    files: Vec<String>,
}

pub(super) fn survey(recorded: &RecordedBisect, found: &SurveyFound) -> SurveyEntry {
    let pairs = |stretches: &[Stretch]| stretches.iter().map(|one| pair(recorded, one)).collect();
    SurveyEntry {
        changes: found
            .changes
            .iter()
            .map(|one| change(recorded, one))
            .collect(),
        unseen: found.unseen,
        gradual: pairs(&found.gradual),
        unclear: pairs(&found.unclear),
    }
}

fn change(recorded: &RecordedBisect, found: &ChangeFound) -> ChangeEntry {
    let commits = &recorded.bisect.commits;
    let places = found.at.commits();
    ChangeEntry {
        commits: places
            .filter_map(|place| place.of(commits))
            .map(commit)
            .collect(),
        effect: found.effect.as_ref().map(of_effect),
        code: found.code.as_ref().map(code),
        files: found.files.clone(),
    }
}

fn pair(recorded: &RecordedBisect, stretch: &Stretch) -> [String; 2] {
    let commits = &recorded.bisect.commits;
    let name = |place: StateIndex| place.of(commits).map(|one| one.id.to_string());
    let older = &recorded.bisect.older.id;
    [
        stretch
            .after
            .and_then(name)
            .unwrap_or_else(|| older.to_string()),
        name(stretch.to).unwrap_or_default(),
    ]
}

//! A bisection for programs: JSON with a schema.

use proofmark_evidence::record::{self, BisectAnswer, Judge};
use proofmark_evidence::{PrivateParts, RecordedBisect};
use proofmark_terms::StateIndex;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::answer::headline;
use super::json_parts::{CodeEntry, CommitEntry, EffectEntry, code, commit, of_effect, of_ends};
use super::json_steps::{StepEntry, step};
use super::json_survey::{SurveyEntry, survey};
use super::sides::range;
use crate::document::{Document, enveloped};
use crate::wording::unit;

/// A bisection.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BisectDocument {
    /// Its name in the store: 64 hexadecimal digits.
    id: String,
    /// The answer, in a word: `found`, `among`, `changes`, `same-program`, `no-difference`,
    /// `placement`, `negligible` or `undecided`; null of a bisection that was interrupted.
    answer: Option<&'static str>,
    /// The answer in words.
    said: Option<String>,
    /// The commits that the answer names: one of `found`, several of `among`, the oldest first.
    commits: Vec<CommitEntry>,
    /// Files that the commit touches: a letter as git has it, and the path.
    files: Vec<String>,
    /// What the commit changes: itself ÷ its parent; null where that was not measured.
    effect: Option<EffectEntry>,
    /// How the machine code of the commit differs from its parent's; null where nobody looked.
    code: Option<CodeEntry>,
    /// Every change of the range; null where one was looked for.
    survey: Option<SurveyEntry>,
    /// What states are: `commits`, `toolchains` or `flags`. The state of a toolchain or of flags
    /// has its name for `id`, and neither author nor date.
    axis: &'static str,
    /// The toolchain of a project that is made from the commits, and compiles the one program that
    /// is measured; null where commits are the program's own.
    toolchain: Option<String>,
    /// Who keeps the commits: `git` or `mercurial`.
    vcs: &'static str,
    /// The older end.
    older: CommitEntry,
    /// The newer end.
    newer: Option<CommitEntry>,
    /// Commits in the range, the newer end included.
    range: usize,
    /// Only first parents were followed.
    first_parent: bool,
    /// The newer end ÷ the older one; null where a script judged, or the ends are one program.
    ends: Option<EffectEntry>,
    /// The script that judged; null where blocks did.
    script: Option<String>,
    /// What was read from a run; null where a script judged.
    metric: Option<String>,
    /// The metric's unit.
    unit: Option<String>,
    /// What was looked for is the difference as shipped.
    as_shipped: bool,
    /// Asked of the whole answer, 0 to 1.
    confidence: f64,
    /// Builds of each commit, of which a block draws one; null where a script judged.
    repeat: Option<u32>,
    /// How two builds of one commit compare: `same` or `differs`; null where nobody looked.
    rebuilt: Option<&'static str>,
    /// That commit: the older end, or one that is to blame and comes out different; null where
    /// nobody looked.
    rebuilt_of: Option<String>,
    /// In the order of judgement.
    steps: Vec<StepEntry>,
    /// How long all steps took, in milliseconds.
    took_ms: Option<u64>,
    /// Whether what names persons and places is here: authors, paths, names of machines. Where it
    /// is not, `⟨private N⟩` stands in its place.
    private_here: bool,
}

impl Document for BisectDocument {
    const SCHEMA: &'static str = "bisect";
}

/// A bisection for programs.
#[must_use]
pub fn json(recorded: &RecordedBisect) -> Value {
    let bisect = &recorded.bisect;
    let conclusion = recorded.conclusion.as_ref();
    let (script, benchmark, as_shipped) = match &bisect.judge {
        Judge::Script { command } => (Some(command.clone()), None, false),
        Judge::Blocks {
            benchmark,
            as_shipped,
            ..
        } => (None, Some(benchmark), *as_shipped),
    };
    let ends = conclusion.and_then(|one| one.ends.as_ref());
    let effect = conclusion.and_then(|one| one.effect.as_ref());
    enveloped(&BisectDocument {
        id: recorded.id.to_string(),
        answer: conclusion.map(|one| word(&one.answer)),
        said: conclusion.map(|one| crate::text::untied(&headline(recorded, one))),
        commits: conclusion.map_or(Vec::new(), |one| named(recorded, &one.answer)),
        files: conclusion.map_or(Vec::new(), |one| one.files.clone()),
        effect: effect.map(of_effect),
        code: conclusion.and_then(|one| one.code.as_ref().map(code)),
        survey: conclusion.and_then(|one| Some(survey(recorded, one.survey.as_ref()?))),
        axis: match bisect.axis {
            record::Axis::Commits => "commits",
            record::Axis::Toolchains => "toolchains",
            record::Axis::Flags => "flags",
        },
        toolchain: bisect.toolchain.clone(),
        vcs: match bisect.vcs {
            record::Vcs::Git => "git",
            record::Vcs::Mercurial => "mercurial",
        },
        older: commit(&bisect.older),
        newer: bisect.commits.last().map(commit),
        range: range(recorded),
        first_parent: bisect.first_parent,
        ends: ends.map(|one| of_ends(&bisect.older, one)),
        script,
        metric: benchmark.map(|one| one.metric.name().to_owned()),
        unit: benchmark.map(|one| unit(&one.metric).to_owned()),
        as_shipped,
        confidence: bisect.confidence,
        repeat: match bisect.judge {
            Judge::Blocks { repeat, .. } => Some(repeat),
            Judge::Script { .. } => None,
        },
        rebuilt: conclusion.and_then(|one| one.rebuilt).map(|one| match one {
            record::Rebuilt::Same => "same",
            record::Rebuilt::Differs => "differs",
        }),
        rebuilt_of: conclusion.and_then(|one| {
            one.rebuilt?;
            let of = one.rebuilt_of.as_ref().unwrap_or(&bisect.older.id);
            Some(of.to_string())
        }),
        steps: recorded
            .steps
            .iter()
            .map(|one| step(recorded, one))
            .collect(),
        took_ms: conclusion.map(|one| one.took_ms),
        private_here: recorded.private == PrivateParts::Here,
    })
}

fn word(answer: &BisectAnswer) -> &'static str {
    match answer {
        BisectAnswer::Found { .. } => "found",
        BisectAnswer::Among { .. } => "among",
        BisectAnswer::Changes => "changes",
        BisectAnswer::SameProgram => "same-program",
        BisectAnswer::NoDifference => "no-difference",
        BisectAnswer::Placement => "placement",
        BisectAnswer::Negligible => "negligible",
        BisectAnswer::Undecided => "undecided",
    }
}

fn named(recorded: &RecordedBisect, answer: &BisectAnswer) -> Vec<CommitEntry> {
    let places: &[StateIndex] = match answer {
        BisectAnswer::Found { commit } => std::slice::from_ref(commit),
        BisectAnswer::Among { commits } => commits,
        _ => &[],
    };
    let commits = &recorded.bisect.commits;
    let found = places.iter().filter_map(|place| place.of(commits));
    found.map(commit).collect()
}

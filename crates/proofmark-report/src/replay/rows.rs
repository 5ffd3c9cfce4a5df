//! What is shown of evidence that was measured again.

use proofmark_conclude::again::to_the_end;
use proofmark_conclude::{Agreed, is_of_shipped, prints_otherwise};
use proofmark_evidence::Recorded;
use proofmark_stats::Agreement;
use proofmark_terms::{Interval, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::document::words::VerdictWord;
use crate::wording::{Pair, comparatives, say};

/// What came of a replay.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReplayView {
    /// BLAKE3 of the bundle's content.
    pub bundle: String,
    /// The experiment in it.
    pub first: String,
    /// The experiment that was measured here.
    pub replay: String,
    /// Of all builds together: `agree`, `disagree` where one does, `undecided` otherwise.
    pub agreement: AgreementWord,
    /// Each build against the base.
    pub comparisons: Vec<AgreedView>,
    /// Blocks of both experiments, the first one's first.
    pub blocks: [u32; 2],
    /// Processors of both machines.
    pub processors: [String; 2],
    /// The figures of the first experiment are those of its images as shipped, beside which it was
    /// measured over layouts: none were drawn here.
    pub of_shipped: bool,
    /// What is not as it was, in words.
    pub otherwise: Vec<String>,
}

/// Whether both machines agree on one comparison.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgreedView {
    /// The build.
    pub(super) build: String,
    /// new ÷ base as the bundle has it.
    pub(super) first: RatioView,
    /// What that says.
    first_verdict: VerdictWord,
    /// new ÷ base here.
    pub(super) replay: RatioView,
    /// What that says.
    replay_verdict: VerdictWord,
    /// The ratio here ÷ the one of the bundle.
    pub(super) difference: RatioView,
    /// What the difference says.
    pub(super) agreement: AgreementWord,
    /// What both verdicts say alike, in words.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) both: Option<String>,
    /// Both verdicts in words.
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) said: [String; 2],
}

/// A ratio with its bounds.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(super) struct RatioView {
    /// The estimate.
    pub estimate: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
    #[serde(skip)]
    #[schemars(skip)]
    pub(super) interval: Interval,
}

impl From<Interval> for RatioView {
    fn from(interval: Interval) -> Self {
        RatioView {
            estimate: interval.estimate.ratio(),
            low: interval.low.ratio(),
            high: interval.high.ratio(),
            interval,
        }
    }
}

/// Whether two machines agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AgreementWord {
    /// The whole interval of the difference lies inside the margin.
    Agree,
    /// The interval excludes no difference, and is not inside the margin.
    Disagree,
    /// Neither can be said.
    Undecided,
}

impl From<Agreement> for AgreementWord {
    fn from(agreement: Agreement) -> Self {
        match agreement {
            Agreement::Agree => AgreementWord::Agree,
            Agreement::Disagree => AgreementWord::Disagree,
            Agreement::Undecided => AgreementWord::Undecided,
        }
    }
}

impl ReplayView {
    /// Two experiments of one question, and what their difference says.
    #[must_use]
    pub fn of(bundle: String, first: &Recorded, replay: &Recorded, agreed: &[Agreed]) -> Self {
        let blocks = |recorded: &Recorded| {
            let conclusion = recorded.conclusion.as_ref();
            conclusion.map_or(0, |conclusion| conclusion.blocks)
        };
        let processor = |recorded: &Recorded| recorded.experiment.machine.processor().to_owned();
        let all = agreed.iter().map(|one| one.agreement).max();
        ReplayView {
            bundle,
            first: first.id.as_str().to_owned(),
            replay: replay.id.as_str().to_owned(),
            agreement: all.unwrap_or(Agreement::Undecided).into(),
            comparisons: agreed
                .iter()
                .map(|one| AgreedView {
                    build: crate::method::build_name(first, one.build),
                    first: one.first.into(),
                    first_verdict: one.first_verdict.into(),
                    replay: one.other.into(),
                    replay_verdict: one.other_verdict.into(),
                    difference: one.difference.into(),
                    agreement: one.agreement.into(),
                    both: both(first, one),
                    said: [
                        (one.first_verdict, one.first),
                        (one.other_verdict, one.other),
                    ]
                    .map(|(verdict, interval)| said(first, verdict, &interval)),
                })
                .collect(),
            blocks: [blocks(first), blocks(replay)],
            processors: [processor(first), processor(replay)],
            of_shipped: is_of_shipped(first, replay),
            otherwise: otherwise(first, replay),
        }
    }
}

/// The direction that both verdicts have, however much they differ in size.
fn both(recorded: &Recorded, one: &Agreed) -> Option<String> {
    let [improved, worsened] = comparatives(&recorded.experiment.benchmark.metric);
    let word = match (one.first_verdict, one.other_verdict) {
        (Verdict::Faster, Verdict::Faster) => improved,
        (Verdict::Slower, Verdict::Slower) => worsened,
        _ => return None,
    };
    let build = crate::method::build_name(recorded, one.build);
    Some(format!("both machines say that {build} is {word}"))
}

/// A verdict in words.
fn said(recorded: &Recorded, verdict: Verdict, interval: &Interval) -> String {
    let experiment = &recorded.experiment;
    let (metric, margin) = (&experiment.benchmark.metric, experiment.design.margin);
    let pair = Pair {
        new: "new",
        base: "base",
    };
    match verdict {
        Verdict::Undecided => "undecided".to_owned(),
        _ => say(verdict, interval, metric, margin, None, pair).short,
    }
}

/// What was not the same on both machines, beside the machine.
fn otherwise(first: &Recorded, replay: &Recorded) -> Vec<String> {
    let versions = |recorded: &Recorded| {
        let builds = recorded.experiment.builds.iter();
        let tools = builds.flat_map(|build| &build.toolchain);
        let mut all: Vec<(String, String)> = tools
            .filter(|tool| !tool.version.is_empty())
            .map(|tool| (tool.role.clone(), tool.version.clone()))
            .collect();
        all.sort();
        all.dedup();
        all
    };
    let (one, two) = (versions(first), versions(replay));
    let mut said: Vec<String> = Vec::new();
    if prints_otherwise(first, replay) {
        said.push(
            "output: runs print something else here than there: where they do other work, neither \
             word would hold. Files that they read may be missing here"
                .to_owned(),
        );
    }
    // Images that were taken as they are were made by no tool of this machine.
    let made_here = one.iter().filter(|_| !two.is_empty());
    for (role, version) in made_here.filter(|tool| !two.contains(tool)) {
        let here = two.iter().filter(|(of, _)| of == role);
        let here: Vec<&str> = here.map(|(_, version)| version.as_str()).collect();
        let here = match here.is_empty() {
            true => "none was seen".to_owned(),
            false => here.join(", "),
        };
        said.push(format!("{role}: {version} there, {here} here"));
    }
    let (there, here) = (to_the_end(first).builds, to_the_end(replay).builds);
    let pairs = there.iter().zip(&here);
    let same: Vec<&str> = pairs
        .filter(|(there, here)| there.images.program.digest == here.images.program.digest)
        .map(|(build, _)| build.name.as_str())
        .collect();
    said.push(if same.is_empty() {
        "images: no build has the bytes here that it had there".to_owned()
    } else if same.len() == there.len() {
        "images: each build has the very bytes that it had there".to_owned()
    } else {
        format!(
            "images: the same bytes as there of {} alone",
            same.join(", ")
        )
    });
    let kinds = [first, replay].map(|recorded| {
        let layouts = &recorded.experiment.layouts;
        match layouts {
            proofmark_evidence::record::LayoutControl::Drawn { how, population } => format!(
                "{} layouts ({population})",
                crate::wording::drawing_name(how)
            ),
            proofmark_evidence::record::LayoutControl::AsShipped { .. } => "as shipped".to_owned(),
        }
    });
    if let [there, here] = &kinds
        && there != here
    {
        said.push(format!("placement: {there} there, {here} here"));
    }
    said
}

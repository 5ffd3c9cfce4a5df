//! What is shown of evidence that is measured again.

use proofmark_conclude::again::Obstacle;
use proofmark_conclude::{Agreed, is_of_shipped, prints_otherwise};
use proofmark_evidence::Recorded;
use proofmark_stats::Agreement;
use proofmark_terms::{Interval, Verdict};
use schemars::JsonSchema;
use serde::Serialize;

use crate::document::words::VerdictWord;
use crate::method::command;
use crate::wording::{Pair, comparatives, metric_in_full, say};

/// What a replay would fetch, build and run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReplayPlanView {
    /// The bundle's file.
    pub file: String,
    /// BLAKE3 of the bundle's content.
    pub bundle: String,
    /// The experiment.
    pub id: String,
    /// The builds, the base first.
    pub builds: Vec<ReplayedBuildView>,
    /// The shell command that makes each; null where none is known.
    pub build_command: Option<String>,
    /// The folder of the repository in which it runs; empty for the topmost one.
    pub folder: String,
    /// How often each is built.
    pub builds_each: u32,
    /// The benchmark's command.
    pub command: String,
    /// What is read from each run.
    pub metric: String,
    /// Fewest and most blocks.
    pub blocks: [u32; 2],
    /// The margin, as a share.
    pub margin: f64,
    /// The confidence of all intervals together.
    pub confidence: f64,
    /// The processor of the machine that measured first.
    pub processor: String,
    /// What measuring took there, in milliseconds, without the builds.
    pub took_ms: u64,
    /// Blocks that it took there.
    pub took_blocks: u32,
    /// The compilers and linkers of the first builds, and whether they are here.
    pub tools: Vec<ToolAgainView>,
    /// Why it cannot be made again; empty where it can.
    pub obstacles: Vec<ObstacleView>,
    /// Images that came with the bundle; null where none did.
    pub images: Option<ImagesAgainView>,
    /// Why there is no sandbox here; null where there is one.
    pub no_sandbox: Option<String>,
    /// Names of all variables that builds have.
    pub variables: Vec<String>,
    /// Most time, in milliseconds.
    pub limit_ms: u64,
    /// Most memory, in bytes.
    pub limit_memory: u64,
    /// Most processes and threads.
    pub limit_processes: u64,
}

/// Images that came with a bundle, and what is made of them.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImagesAgainView {
    /// They are run in place of builds: `--run-images`.
    pub run: bool,
    /// New layouts are drawn of them; else they are compared as shipped.
    pub drawn: bool,
    /// The first experiment was measured over layouts, and is held against by its figure of the
    /// images as shipped.
    pub of_shipped: bool,
    /// Why they cannot be run in place of builds; empty where they can.
    pub obstacles: Vec<ObstacleView>,
}

/// A build that a replay would make.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReplayedBuildView {
    /// As it was called.
    pub name: String,
    /// The commit that it is made of; null where it is made of none.
    pub revision: Option<String>,
}

/// A tool of the first builds.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolAgainView {
    /// `driver`, `compiler`, `assembler`, `linker`.
    pub role: String,
    /// What it said of its version.
    pub version: String,
    /// A tool here says the very same.
    pub here: bool,
    /// What the same kind of tool says here, where it says something else.
    pub instead: Option<String>,
    /// How it can be had, where it is missing.
    pub get: Option<String>,
}

/// Why something cannot be made again.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ObstacleView {
    /// What it is about.
    pub what: String,
    /// Why.
    pub why: String,
    /// What would be needed.
    pub needed: String,
}

impl From<Obstacle> for ObstacleView {
    fn from(obstacle: Obstacle) -> Self {
        ObstacleView {
            what: obstacle.what,
            why: obstacle.why,
            needed: obstacle.needed.to_owned(),
        }
    }
}

impl ReplayPlanView {
    /// Whether images of the bundle can be run, which nobody asked for, and builds cannot be made.
    #[must_use]
    pub fn is_left_to_images(&self) -> bool {
        let images = self.images.as_ref();
        let can_be = images.is_some_and(|images| !images.run && images.obstacles.is_empty());
        can_be && !self.obstacles.is_empty()
    }

    /// What the records alone say of a replay; nothing is known yet of this machine.
    #[must_use]
    pub fn of(recorded: &Recorded, file: String, bundle: String) -> Self {
        let experiment = &recorded.experiment;
        let how = proofmark_conclude::again::built_by(experiment);
        let conclusion = recorded.conclusion.as_ref();
        let mut tools: Vec<ToolAgainView> = Vec::new();
        for tool in experiment.builds.iter().flat_map(|build| &build.toolchain) {
            let known = |one: &ToolAgainView| one.role == tool.role && one.version == tool.version;
            if !tool.version.is_empty() && !tools.iter().any(known) {
                tools.push(ToolAgainView {
                    role: tool.role.clone(),
                    version: tool.version.clone(),
                    here: false,
                    instead: None,
                    get: None,
                });
            }
        }
        let builds = experiment.builds.iter().map(|build| ReplayedBuildView {
            name: build.name.clone(),
            revision: (build.revision.as_ref()).map(|revision| revision.id.as_str().to_owned()),
        });
        ReplayPlanView {
            file,
            bundle,
            id: recorded.id.as_str().to_owned(),
            builds: builds.collect(),
            build_command: how.map(|how| how.command.clone()),
            folder: how.map_or_else(String::new, |how| how.folder.display().into_owned()),
            builds_each: how.map_or(1, |how| how.builds),
            command: command(recorded),
            metric: metric_in_full(&experiment.benchmark.metric),
            blocks: [experiment.design.min_blocks, experiment.design.max_blocks],
            margin: experiment.design.margin.relative(),
            confidence: experiment.design.confidence,
            processor: experiment.machine.processor().to_owned(),
            took_ms: conclusion.map_or(0, |conclusion| conclusion.took_ms),
            took_blocks: conclusion.map_or(0, |conclusion| conclusion.blocks),
            tools,
            obstacles: Vec::new(),
            images: None,
            no_sandbox: None,
            variables: Vec::new(),
            limit_ms: 0,
            limit_memory: 0,
            limit_processes: 0,
        }
    }
}

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
    let images = |recorded: &Recorded| {
        let builds = recorded.experiment.builds.iter();
        let digest = |build: &proofmark_evidence::record::Build| {
            build.images.program.digest.as_str().to_owned()
        };
        builds.map(digest).collect::<Vec<String>>()
    };
    let builds = first.experiment.builds.iter();
    let pairs = builds.zip(images(first).into_iter().zip(images(replay)));
    let same: Vec<&str> = pairs
        .filter(|(_, (there, here))| there == here)
        .map(|(build, _)| build.name.as_str())
        .collect();
    said.push(if same.is_empty() {
        "images: no build has the bytes here that it had there".to_owned()
    } else if same.len() == first.experiment.builds.len() {
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

//! What a replay would do.

use proofmark_conclude::again::{Obstacle, built_by, to_the_end};
use proofmark_evidence::Recorded;
use proofmark_evidence::record::{Benchmark, Build};
use schemars::JsonSchema;
use serde::Serialize;

use crate::method::command;
use crate::wording::metric_in_full;

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
    /// Builds that failed where it was measured first, and are not made again.
    pub left_out: Vec<String>,
    /// The shell command that makes each, or the base where each has one of its own; null where
    /// none is known.
    pub build_command: Option<String>,
    /// The folder of the repository in which it runs; empty for the topmost one.
    pub folder: String,
    /// How often each is built.
    pub builds_each: u32,
    /// The folder in which the benchmark runs, where that is another one; null where it is not.
    pub runs_in: Option<String>,
    /// Shell commands that are run beside it, each behind the option that it was given by.
    pub shell: Vec<String>,
    /// Variables that its runs get, as `NAME=VALUE`.
    pub sets: Vec<String>,
    /// The benchmark's command.
    pub command: String,
    /// What is read from each run.
    pub metric: String,
    /// Layouts are drawn; else the builds are compared as shipped.
    pub drawn: bool,
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReplayedBuildView {
    /// As it was called.
    pub name: String,
    /// The commit that it is made of; null where it is made of none.
    pub revision: Option<String>,
    /// What else a cell of a project is made of; null of another build.
    pub cell: Option<CellAgainView>,
}

/// What a cell of a project is made of, beside its commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CellAgainView {
    /// The shell command, with its marks.
    pub command: String,
    /// The folder of the repository in which it runs; empty for the topmost one.
    pub folder: String,
    /// The compiler, as the project calls it.
    pub compiler: String,
    /// The words of `{flags}` and of `{ldflags}`.
    pub flags: Vec<String>,
    /// BLAKE3 of each of its patches, in their order.
    pub patches: Vec<String>,
}

impl CellAgainView {
    fn of(build: &Build) -> Option<Self> {
        let how = build.built_by.as_ref()?;
        let cell = how.cell.as_ref()?;
        Some(CellAgainView {
            command: how.command.clone(),
            folder: how.folder.display().into_owned(),
            compiler: cell.toolchain.name.clone(),
            flags: [cell.flags.as_slice(), &cell.ldflags].concat(),
            patches: (build.patches.iter())
                .map(|digest| digest.as_str().to_owned())
                .collect(),
        })
    }
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

/// Shell commands that are run beside a benchmark.
fn shell(benchmark: &Benchmark) -> Vec<String> {
    let all = [
        ("--setup", &benchmark.setup),
        ("--prepare", &benchmark.prepare),
        ("--output-filter", &benchmark.output_filter),
    ];
    let given = all.into_iter().filter_map(|(option, command)| {
        let command = command.as_ref()?;
        Some(format!("{option} {command}"))
    });
    given.collect()
}

fn sets(benchmark: &Benchmark) -> Vec<String> {
    let variables = benchmark.env.iter();
    let one = variables.map(|(name, value)| format!("{}={}", name.display(), value.display()));
    one.collect()
}

impl ReplayPlanView {
    /// Whether images of the bundle can be run, which nobody asked for, and builds cannot be made.
    #[must_use]
    pub fn is_left_to_images(&self) -> bool {
        let images = self.images.as_ref();
        let can_be = images.is_some_and(|images| !images.run && images.obstacles.is_empty());
        can_be && !self.obstacles.is_empty()
    }

    /// What stands in the way of what was chosen: of builds, or of images in their place.
    #[must_use]
    pub fn obstacles_of_choice(&self) -> &[ObstacleView] {
        match &self.images {
            Some(images) if images.run => &images.obstacles,
            _ => &self.obstacles,
        }
    }

    /// Whether nothing stands in that way.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        self.obstacles_of_choice().is_empty()
    }

    /// What the records alone say of a replay; nothing is known yet of this machine.
    #[must_use]
    pub fn of(recorded: &Recorded, file: String, bundle: String) -> Self {
        let experiment = &to_the_end(recorded);
        let how = built_by(experiment);
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
            cell: CellAgainView::of(build),
        });
        let left_out = recorded.exclusions.iter();
        let left_out = left_out.filter_map(|out| out.build.of(&recorded.experiment.builds));
        ReplayPlanView {
            file,
            bundle,
            id: recorded.id.as_str().to_owned(),
            builds: builds.collect(),
            left_out: left_out.map(|build| build.name.clone()).collect(),
            build_command: how.map(|how| how.command.clone()),
            folder: how.map_or_else(String::new, |how| how.folder.display().into_owned()),
            builds_each: how.map_or(1, |how| how.builds),
            runs_in: how
                .and_then(|how| how.runs_in.as_ref().filter(|inside| **inside != how.folder))
                .map(|inside| inside.display().into_owned()),
            shell: shell(&experiment.benchmark),
            sets: sets(&experiment.benchmark),
            command: command(recorded),
            metric: metric_in_full(&experiment.benchmark.metric),
            drawn: experiment.layouts.is_drawn(),
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

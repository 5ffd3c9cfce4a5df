//! Recorded worlds of a suite: every number follows from where it is asked for, so that a matrix
//! interrupted anywhere meets the same worlds again.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use proofmark_conclude::verify::{Implausible, verify};
use proofmark_conclude::{Counted, CountedDrawn, Ended, Evened, conclude_matrix};
use proofmark_evidence::LockedStore;
use proofmark_evidence::record::{
    ArmRef, Asked, Benchmark, Build, BuildOrigin, CertificateUse, CodeChange, Design, Drawing,
    Experiment, HeapStart, Images, Inputs, LayoutControl, MatrixConclusion, MatrixRun, Member,
    Question, Run, Schedule, Size, Warning,
};
use proofmark_lab::{
    Alone, LabError, MatrixUnderWay, Printed, Rig, RoundPlan, Silent, Solo, Stage, Traceable,
    conduct_matrix, load_matrix,
};
use proofmark_terms::{
    BuildIndex, CellIndex, Digest, Machine, MemberIndex, Metric, OsText, Population,
};

use crate::normal::normal;
use crate::program::Program;

/// One benchmark's world.
#[derive(Clone, Debug, Default)]
pub(crate) struct World {
    /// Tells benchmarks apart.
    pub(crate) salt: u64,
    /// CPU time of each cell, in nanoseconds.
    pub(crate) truth: Vec<f64>,
    /// Standard deviation of a cell over layouts.
    pub(crate) layouts: f64,
    /// Digits behind the point with which seconds are printed; none where proofmark takes the time.
    pub(crate) digits: Option<usize>,
    /// How many times as long a cell takes in slices beside another one; once where there is none.
    pub(crate) stretched: Vec<f64>,
    /// A cell whose runs take half of its time or twice as long.
    pub(crate) of_two_kinds: Option<u32>,
    /// The block in which a cell fails, and the cell; no block is the pilot.
    pub(crate) fails: Option<(Option<u32>, u32)>,
    /// Rounds after which the user interrupts.
    pub(crate) patience: Option<u32>,
    /// Runs so far, the pilot's too.
    pub(crate) runs: u32,
    /// What is told of those of the last round.
    pub(crate) told: Vec<Solo>,
    pub(crate) block: Option<u32>,
    pub(crate) arms: Vec<ArmRef>,
    /// The clock of all worlds of a suite, by their runs.
    pub(crate) clock_ms: Rc<Cell<u64>>,
}

impl World {
    pub(crate) fn new(salt: u64, truth: &[f64]) -> Self {
        World {
            salt,
            truth: truth
                .iter()
                .map(|milliseconds| milliseconds * 1e6)
                .collect(),
            layouts: 0.01,
            ..World::default()
        }
    }

    fn value(&self, build: u32, plan: &RoundPlan<'_>) -> f64 {
        let block = self.block.map_or(0, |index| u64::from(index) + 1);
        let round = u64::from(plan.at.round);
        // Layouts are the same on all benchmarks, and half of what they do is.
        let layout = normal(&[1, block, u64::from(build)])
            + normal(&[3, block, u64::from(build), self.salt]);
        let noise = 0.005 * normal(&[2, block, round, u64::from(build), self.salt]);
        let kind = match self.of_two_kinds == Some(build) {
            true => 2_f64.ln().copysign(normal(&[4, block, round, self.salt])),
            false => 0.0,
        };
        self.truth[build as usize] * (kind + self.layouts * layout / 2_f64.sqrt() + noise).exp()
    }
}

impl Rig for World {
    fn now_ms(&mut self) -> u64 {
        self.clock_ms.get()
    }

    fn machine(&self) -> Machine {
        Machine::default()
    }

    fn place(&mut self, block: Option<u32>, arms: &[ArmRef]) -> Result<Vec<Digest>, LabError> {
        self.block = block;
        self.arms = arms.to_vec();
        let hash = |arm: &ArmRef| -> Digest {
            blake3::hash(format!("{arm:?} of {block:?}").as_bytes()).into()
        };
        Ok(arms.iter().map(hash).collect())
    }

    fn images_ns(&self) -> u64 {
        0
    }

    fn round(&mut self, plan: &RoundPlan<'_>) -> Result<Vec<Run>, LabError> {
        if let Some(patience) = &mut self.patience {
            *patience = patience.checked_sub(1).ok_or(LabError::Interrupted)?;
        }
        let mut runs = Vec::new();
        for &place in plan.order {
            let build = match self.arms[place] {
                ArmRef::Drawn { build } => build,
                ArmRef::Idle => {
                    runs.push(idle());
                    continue;
                }
                _ => return Err(LabError::Refused("only drawn layouts here".to_owned())),
            };
            if self.fails == Some((self.block, build.0)) {
                return Err(LabError::OfBuild {
                    build,
                    cause: Box::new(LabError::Refused("it printed something else".to_owned())),
                });
            }
            let sliced = matches!(plan.schedule, Schedule::Sliced { .. });
            let beside = sliced && plan.order.iter().all(|&arm| self.arms[arm] != ArmRef::Idle);
            let stretched = self.stretched.get(build.0 as usize).filter(|_| beside);
            let value = self.value(build.0, plan) * stretched.unwrap_or(&1.0);
            let ns =
                u64::try_from(std::time::Duration::from_secs_f64(value / 1e9).as_nanos()).unwrap();
            self.runs += 1;
            self.clock_ms.set(self.clock_ms.get() + ns / 1_000_000);
            let printed = self.digits.map(|digits| {
                let seconds = format!("{:.digits$}", value / 1e9);
                seconds.parse().unwrap()
            });
            runs.push(Run {
                value: printed.unwrap_or(value),
                cpu_ns: ns,
                wall_ns: ns,
                peak_bytes: 1 << 20,
            });
        }
        if matches!(plan.schedule, Schedule::Sliced { .. }) {
            // Side by side, every run lasts as long as all of them take.
            let all = runs.iter().map(|run| run.cpu_ns).sum();
            for run in &mut runs {
                run.wall_ns = all;
            }
        }
        self.told = Program::default().told(&runs);
        Ok(runs)
    }

    fn told(&self) -> Result<Vec<Solo>, LabError> {
        Ok(self.told.clone())
    }

    fn alone(&mut self, arm: usize, how: &Alone) -> Result<Solo, LabError> {
        Ok(Program::default().alone(arm, how, 20e6))
    }

    fn trace(&mut self, _arm: usize, how: &Alone) -> Result<Traceable, LabError> {
        Ok(Program::default().trace(how, 20e6))
    }

    fn pin(&mut self, _pinned: bool) {}

    fn core(&self) -> Option<u32> {
        Some(1)
    }

    fn other_core(&self) -> Option<u32> {
        Some(0)
    }

    fn company(&mut self, _welcome: bool) {}

    fn recall(&mut self, _printed: Digest) {}

    fn printed(&self) -> Printed {
        Printed::default()
    }

    fn remarks(&self) -> Vec<Warning> {
        Vec::new()
    }

    fn instructions(&mut self, _until_ms: Option<u64>) -> Vec<Counted> {
        Vec::new()
    }

    fn counted_drawn(&mut self, _until_ms: Option<u64>) -> Vec<CountedDrawn> {
        Vec::new()
    }

    fn evened(&self, _build: BuildIndex) -> Option<Evened> {
        None
    }

    fn code(&mut self) -> Vec<CodeChange> {
        Vec::new()
    }
}

/// A run of the program that leaves the caches alone.
fn idle() -> Run {
    Run {
        value: 20e6,
        cpu_ns: 20_000_000,
        wall_ns: 20_000_000,
        peak_bytes: 1 << 20,
    }
}

/// The worlds of a suite.
#[derive(Clone, Debug)]
pub(crate) struct Worlds(pub(crate) Vec<World>);

impl Stage for Worlds {
    fn rig(&mut self, member: MemberIndex) -> &mut dyn Rig {
        &mut self.0[member.place()]
    }

    fn need(&mut self, _cells: &[CellIndex]) {}
}

/// A suite in a store of its own.
pub(crate) struct Suite {
    pub(crate) store: LockedStore,
    /// When the sitting began.
    pub(crate) began_ms: u64,
    pub(crate) budget_ms: Option<u64>,
    pub(crate) schedule: Schedule,
    _folder: tempfile::TempDir,
}

impl Suite {
    /// Cells named a, b, c…, benchmarks by name and size.
    pub(crate) fn new(cells: u32, baselines: &[u32], members: &[(&str, Option<u64>)]) -> Self {
        Suite::with_metric(cells, baselines, members, &Metric::CpuTime)
    }

    /// The same with another metric.
    pub(crate) fn with_metric(
        cells: u32,
        baselines: &[u32],
        members: &[(&str, Option<u64>)],
        metric: &Metric,
    ) -> Self {
        let metrics = vec![metric.clone(); members.len()];
        Suite::with_metrics(cells, baselines, members, &metrics)
    }

    /// The same with another metric for each benchmark.
    pub(crate) fn with_metrics(
        cells: u32,
        baselines: &[u32],
        members: &[(&str, Option<u64>)],
        metrics: &[Metric],
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut store = LockedStore::open(folder.path()).unwrap();
        let member = |(index, (name, size)): (usize, &(&str, Option<u64>))| Member {
            benchmark: (*name).to_owned(),
            size: size.map(|value| Size {
                name: "N".to_owned(),
                value,
            }),
            experiment: store
                .begin(
                    &index.to_string(),
                    &experiment(cells, index, &metrics[index]),
                )
                .unwrap(),
        };
        let members = members.iter().enumerate().map(member).collect();
        let run = MatrixRun {
            cells: ('a'..).take(cells as usize).map(String::from).collect(),
            baselines: baselines.iter().copied().map(CellIndex).collect(),
            kinds: vec!["x".to_owned(); cells as usize],
            members,
            proofmark: "test".to_owned(),
            began_ms: 0,
        };
        store.begin_matrix("key", &run).unwrap();
        Suite {
            store,
            began_ms: 0,
            budget_ms: None,
            schedule: Schedule::Interleaved,
            _folder: folder,
        }
    }

    pub(crate) fn load(&self) -> MatrixUnderWay {
        let mut matrix = load_matrix(&self.store, "latest").unwrap();
        for member in &mut matrix.members {
            member.under_way.began_ms = self.began_ms;
            member.under_way.experiment.design.budget_ms = self.budget_ms;
            member.under_way.experiment.design.schedule = Some(self.schedule);
        }
        matrix
    }

    /// Measures until something stops it. Whatever leaves it on the way is missing for a reason that
    /// `verify` knows.
    pub(crate) fn conduct(
        &mut self,
        worlds: &mut Worlds,
        asked: &Asked,
    ) -> Result<MatrixConclusion, LabError> {
        let clock = worlds.0[0].clock_ms.clone();
        for world in &mut worlds.0 {
            world.clock_ms = clock.clone();
        }
        let mut matrix = self.load();
        let stop = conduct_matrix(&mut matrix, asked, worlds, &mut self.store, &mut Silent)?;
        let ended = Ended {
            stop,
            code: Vec::new(),
            remarks: Vec::new(),
        };
        let conclusion = conclude_matrix(&matrix.evidence(), asked, ended)?;
        self.store.conclude_matrix(&matrix.id, &conclusion).unwrap();
        let found = verify(&self.store).unwrap();
        let told = found.chains.iter().flat_map(|chain| &chain.implausible);
        for one in told {
            assert!(!matches!(one, Implausible::Absent { .. }), "{one:?}");
        }
        Ok(conclusion)
    }

    /// In how many blocks of a benchmark each cell took part.
    pub(crate) fn blocks(&self, member: usize) -> BTreeMap<u32, u32> {
        let mut counts = BTreeMap::new();
        for block in &self.load().members[member].under_way.blocks {
            for arm in &block.arms {
                if let ArmRef::Drawn { build } = arm {
                    *counts.entry(build.0).or_default() += 1;
                }
            }
        }
        counts
    }
}

fn experiment(cells: u32, index: usize, metric: &Metric) -> Experiment {
    let build = |name: char| Build {
        name: name.to_string(),
        origin: BuildOrigin::Captured {
            ids: vec!["0".repeat(64).parse().unwrap()],
            movable: 0.97,
            departures: Vec::new(),
        },
        images: Images::of_program("bench", "0".repeat(64).parse().unwrap()),
        revision: None,
        patches: Vec::new(),
        toolchain: Vec::new(),
        run_as: None,
        tree: None,
        built_by: None,
    };
    Experiment {
        patches: Vec::new(),
        question: Question::Compare,
        builds: ('a'..).take(cells as usize).map(build).collect(),
        benchmark: Benchmark {
            argv: vec![OsText::from("{}"), OsText::from(index.to_string())],
            timeout_ms: 60_000,
            metric: metric.clone(),
            ..Benchmark::default()
        },
        design: Design {
            rounds: Some(2),
            schedule: Some(Schedule::Interleaved),
            as_shipped: false,
            certificate: CertificateUse::Never,
            ..Design::default()
        },
        layouts: LayoutControl::Drawn {
            how: Drawing::Independent {
                reason: "a test".to_owned(),
            },
            population: Population::Pad,
        },
        seed: 7,
        heap: HeapStart::Drawn,
        inputs: Inputs::default(),
        machine: Machine::default(),
        proofmark: "test".to_owned(),
        began_ms: 0,
    }
}

//! A recorded world: every number follows from where it is asked for, so that an experiment
//! interrupted anywhere meets the same world again.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod normal;
pub(crate) mod program;

use std::time::Duration;

use proofmark_conclude::{Count, Counted, CountedDrawn, DrawnCounts, Evened};
use proofmark_evidence::record::{
    ArmRef, Benchmark, Build, BuildOrigin, CodeChange, Design, Drawing, Experiment, HeapStart,
    Images, Inputs, LayoutControl, Question, Run, Schedule, Warning,
};
use proofmark_lab::{Alone, LabError, Printed, Rig, RoundPlan, Solo, Traceable};
use proofmark_terms::{BuildIndex, Digest, Machine, Population};

use normal::normal;
use program::Program;

/// A world in which the truth is known.
#[derive(Clone, Debug)]
pub(crate) struct World {
    /// ln(new ÷ base) of the work.
    pub(crate) effect: f64,
    /// A build beside base that is as base is.
    pub(crate) as_base: Option<u32>,
    /// What slicing adds to it.
    pub(crate) distortion: f64,
    /// The share of every difference that slicing hides, 0 to 1.
    pub(crate) hidden: f64,
    /// What another run of the program beside it adds to each run, on the scale of ln.
    pub(crate) beside: f64,
    /// CPU time of one run, in nanoseconds.
    pub(crate) run_ns: f64,
    /// Standard deviation of a build over layouts.
    pub(crate) layouts: f64,
    /// ln(taxed base ÷ base).
    pub(crate) tax: f64,
    /// What the new build's shipped image has beside that and its layouts have not.
    pub(crate) shipped: f64,
    /// Two counts of instructions of each build.
    pub(crate) counts: [[u64; 2]; 2],
    /// Two counts of a drawn image of each build; none where nothing counts them.
    pub(crate) drawn_counts: Option<[[u64; 2]; 2]>,
    /// What layouts make alike of the builds' data.
    pub(crate) evened: Option<Evened>,
    /// Standard deviation of one run.
    pub(crate) noise: f64,
    /// How much noisier whole runs are than slices.
    pub(crate) bursts: f64,
    /// What the builds' programs do beside their work.
    pub(crate) program: Program,
    /// Cores that whole runs use at once where they may.
    pub(crate) cores: f64,
    /// Whether runs are pinned at the moment.
    pub(crate) pinned: bool,
    /// Time that the images of a block take, in nanoseconds.
    pub(crate) images_ns: u64,
    /// The block before which the user interrupts.
    pub(crate) interrupt: Option<u32>,
    pub(crate) block: Option<u32>,
    pub(crate) arms: Vec<ArmRef>,
    pub(crate) clock_ms: u64,
    /// Time goes by with the runs, and not with the blocks.
    pub(crate) ticks: bool,
    /// From this block on, time goes by so many times as fast.
    pub(crate) slows: Option<(u32, f64)>,
    /// What is told of the runs of the last round.
    pub(crate) told: Vec<Solo>,
    /// Runs so far.
    pub(crate) runs: u32,
    /// Runs that share their time fail.
    pub(crate) quarrels: bool,
    /// What was said of company.
    pub(crate) company: Option<bool>,
    /// Every so many rounds of whole runs, other programs hold them up for as long as they take; 0
    /// for never.
    pub(crate) held_up: u32,
    /// What all runs print.
    pub(crate) printed: Option<Digest>,
    /// What runs before an interruption printed, as far as it was told.
    pub(crate) recalled: Option<Digest>,
}

impl World {
    pub(crate) fn new(effect: f64) -> Self {
        World {
            effect,
            as_base: None,
            distortion: 0.0,
            hidden: 0.0,
            beside: 0.0,
            run_ns: 60e6,
            layouts: 0.01,
            tax: 0.01_f64.ln_1p(),
            shipped: 0.0,
            counts: [[1_000_000; 2], [1_030_000; 2]],
            drawn_counts: None,
            evened: None,
            noise: 0.005,
            bursts: 10.0,
            program: Program::default(),
            cores: 1.0,
            pinned: true,
            images_ns: 0,
            interrupt: None,
            block: None,
            arms: Vec::new(),
            clock_ms: 0,
            ticks: false,
            slows: None,
            told: Vec::new(),
            runs: 0,
            quarrels: false,
            company: None,
            held_up: 0,
            printed: None,
            recalled: None,
        }
    }

    /// So many runs, which took so many nanoseconds in all.
    fn spend(&mut self, runs: usize, took_ns: f64) {
        self.runs += u32::try_from(runs).unwrap();
        if self.ticks {
            let slow = self.slows.filter(|(block, _)| self.block >= Some(*block));
            let took_ns = took_ns * slow.map_or(1.0, |(_, times)| times);
            let ms = Duration::from_secs_f64(took_ns / 1e9).as_millis();
            self.clock_ms += u64::try_from(ms).unwrap();
        }
    }

    fn value(&self, arm: ArmRef, plan: &RoundPlan<'_>) -> f64 {
        let (build, drawn) = match arm {
            ArmRef::Drawn { build } => (build.0, true),
            ArmRef::AsShipped { build } => (build.0, false),
            ArmRef::Taxed => (0, true),
            ArmRef::Idle => (0, false),
        };
        let changed = f64::from(u8::from(build > 0 && self.as_base != Some(build)));
        let block = self.block.map_or(0, |index| u64::from(index) + 1);
        let sliced = matches!(plan.schedule, Schedule::Sliced { .. });
        let alone = if sliced { 1.0 } else { self.bursts };
        let tax = if arm == ArmRef::Taxed { self.tax } else { 0.0 };
        let visible = if sliced { 1.0 - self.hidden } else { 1.0 };
        // A neighbour that leaves the caches alone distorts nothing.
        let neighbour = !plan.order.iter().any(|&arm| self.arms[arm] == ArmRef::Idle);
        let distortion = if sliced && neighbour {
            self.distortion
        } else {
            0.0
        };
        let beside = if sliced && neighbour {
            self.beside
        } else {
            0.0
        };
        let work = beside + visible * (changed * (self.effect + distortion) + tax);
        let layout = if drawn {
            self.layouts * normal(&[1, block, u64::from(build)])
        } else {
            0.0
        };
        let noise = alone
            * self.noise
            * normal(&[
                2,
                block,
                u64::from(plan.at.round),
                u64::from(build),
                u64::from(drawn) + u64::from(arm == ArmRef::Taxed),
            ]);
        let lost = if drawn { 0.0 } else { changed * self.shipped };
        self.run_ns * (work + layout + lost + noise).exp()
    }
}

impl Rig for World {
    fn now_ms(&mut self) -> u64 {
        self.clock_ms
    }

    fn machine(&self) -> Machine {
        Machine::default()
    }

    fn place(&mut self, block: Option<u32>, arms: &[ArmRef]) -> Result<Vec<Digest>, LabError> {
        if self.interrupt.is_some() && self.interrupt == block {
            return Err(LabError::Interrupted);
        }
        // The clock of a block follows from the block, so that it is the same after a pause.
        if !self.ticks {
            self.clock_ms = block.map_or(0, |index| 1000 * (u64::from(index) + 1));
        }
        self.block = block;
        self.arms = arms.to_vec();
        Ok(arms
            .iter()
            .map(|arm| blake3::hash(format!("{arm:?} of {block:?}").as_bytes()).into())
            .collect())
    }

    fn images_ns(&self) -> u64 {
        self.images_ns
    }

    fn round(&mut self, plan: &RoundPlan<'_>) -> Result<Vec<Run>, LabError> {
        let running = plan.order.iter().map(|&arm| self.arms[arm]);
        let values: Vec<f64> = running.map(|arm| self.value(arm, plan)).collect();
        // Side by side, every run lasts as long as all of them take.
        let all = values.iter().sum::<f64>();
        let sliced = matches!(plan.schedule, Schedule::Sliced { .. });
        self.spend(values.len(), all);
        let round = self.runs / u32::try_from(values.len()).unwrap();
        let held = self.held_up > 0 && round.is_multiple_of(self.held_up);
        if sliced && !self.pinned {
            // As the instrument does.
            return Err(LabError::Refused("slices are taken on one core".to_owned()));
        }
        if sliced && self.quarrels {
            return Err(LabError::Beside(Box::new(LabError::Refused(
                "new exited with 1".to_owned(),
            ))));
        }
        let ns = |value: f64| Duration::from_secs_f64(value / 1e9).as_nanos();
        let cores = if self.pinned { 1.0 } else { self.cores };
        let run = |&value: &f64| Run {
            value,
            cpu_ns: u64::try_from(ns(value)).unwrap(),
            wall_ns: u64::try_from(ns(match (sliced, held) {
                (true, _) => all,
                (false, true) => 2.0 * value / cores,
                (false, false) => value / cores,
            }))
            .unwrap(),
            peak_bytes: 1 << 20,
        };
        let runs: Vec<Run> = values.iter().map(run).collect();
        self.told = self.program.told(&runs);
        Ok(runs)
    }

    fn told(&self) -> Result<Vec<Solo>, LabError> {
        Ok(self.told.clone())
    }

    fn alone(&mut self, arm: usize, how: &Alone) -> Result<Solo, LabError> {
        let times = how.pauses.map_or(1.0, |pauses| pauses.times);
        self.spend(1, times * self.run_ns);
        Ok(self.program.alone(arm, how, self.run_ns))
    }

    fn trace(&mut self, _arm: usize, how: &Alone) -> Result<Traceable, LabError> {
        self.spend(1, self.run_ns);
        Ok(self.program.trace(how, self.run_ns))
    }

    fn pin(&mut self, pinned: bool) {
        self.pinned = pinned;
    }

    fn core(&self) -> Option<u32> {
        self.pinned.then_some(1)
    }

    fn other_core(&self) -> Option<u32> {
        Some(0)
    }

    fn company(&mut self, welcome: bool) {
        self.company = Some(welcome);
    }

    fn recall(&mut self, printed: Digest) {
        self.recalled = Some(printed);
    }

    fn printed(&self) -> Printed {
        Printed {
            digest: self.printed.clone(),
            ..Printed::default()
        }
    }

    fn remarks(&self) -> Vec<Warning> {
        Vec::new()
    }

    fn instructions(&mut self, _until_ms: Option<u64>) -> Vec<Counted> {
        self.counts.map(|counts| Ok(count(counts))).to_vec()
    }

    fn counted_drawn(&mut self, _until_ms: Option<u64>) -> Vec<CountedDrawn> {
        let Some(drawn) = self.drawn_counts else {
            return vec![Err("nothing counts here".to_owned()); 2];
        };
        let both = self.counts.into_iter().zip(drawn);
        let both = both.map(|(shipped, drawn)| {
            Ok(DrawnCounts {
                shipped: count(shipped),
                drawn: count(drawn),
            })
        });
        both.collect()
    }

    fn evened(&self, _build: BuildIndex) -> Option<Evened> {
        self.evened.clone()
    }

    fn code(&mut self) -> Vec<CodeChange> {
        vec![CodeChange::Read {
            functions: 1000,
            changed: 3,
            removed: 0,
            renamed: 0,
            expectations: None,
        }]
    }
}

/// Two captured builds, layouts independent, 8 to 60 blocks.
pub(crate) fn experiment(question: Question) -> Experiment {
    let build = |name: &str| Build {
        name: name.to_owned(),
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
        question,
        builds: vec![build("base"), build("new")],
        benchmark: Benchmark {
            timeout_ms: 60_000,
            ..Benchmark::default()
        },
        design: Design::default(),
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

/// Two counts of one image.
fn count([instructions, again]: [u64; 2]) -> Count {
    Count {
        instructions,
        again: Some(again),
        by: "valgrind",
    }
}

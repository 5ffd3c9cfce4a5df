//! The real world of an experiment: images copied afresh for each block, runs on the instrument,
//! outputs held against the base's.

mod accept;
mod alongside;
mod drawn;
mod launch;
mod left_out;
mod parts;
mod place;
mod remarks;
mod round;
mod runner;
mod sampled;
mod solo;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use proofmark_conclude::{Counted, CountedDrawn, Draws, Evened, build_of};
use proofmark_evidence::record::{ArmRef, Benchmark, CodeChange, Experiment, Run, Warning};
use proofmark_layout::Elsewhere;
use proofmark_measure::{CoreChoice, CoreLock, Interrupt, Outcome, measured_by_others, other_core};
use proofmark_terms::{BuildIndex, Digest, Machine};

use crate::beside::Reading;
use crate::block::idle;
use crate::builds::Subject;
use crate::clock::now_ms;
use crate::error::LabError;
use crate::inputs::Watched;
use crate::output::{Heard, Printed, Printing};
use crate::places::{Copies, Mapped, Places, Staged};
use crate::rig::{Alone, Rig, RoundPlan, Solo, Traceable};
pub(crate) use alongside::Alongside;
pub(crate) use parts::BenchParts;
pub(crate) use remarks::not_idle;
pub(crate) use runner::Runner;
pub(crate) use sampled::SampledLaunch;

/// The machine, the builds and the folder in which blocks are measured.
pub(crate) struct Bench {
    experiment: Experiment,
    shipped: Vec<Vec<PathBuf>>,
    /// BLAKE3 of those, as recorded.
    hashes: Vec<Vec<Digest>>,
    watched: Watched,
    /// Where each build runs.
    places: Arc<Places>,
    /// What each build was seen to map.
    mapped: Mapped,
    draws: Draws,
    runner: Runner,
    core: CoreChoice,
    _lock: Option<Rc<CoreLock>>,
    machine: Machine,
    alongside: Alongside,
    copies: Copies,
    placed: Vec<Placed>,
    /// The block that is placed.
    block: Option<u32>,
    heard: Heard,
    printing: Printing,
    elsewhere: BTreeMap<String, Elsewhere>,
    /// Runs of the last round, with the places of their arms.
    last: Vec<(usize, Outcome)>,
    pinned: bool,
    /// Cores on which others were seen to measure meanwhile.
    others: BTreeSet<u32>,
    stop: Interrupt,
}

/// One image of the block at hand.
#[derive(Clone, Debug)]
struct Placed {
    arm: ArmRef,
    staged: Staged,
}

impl Bench {
    /// A bench for an experiment.
    pub(crate) fn new(
        experiment: &Experiment,
        subjects: &[Subject],
        parts: BenchParts,
        alongside: Alongside,
    ) -> Self {
        Bench {
            experiment: experiment.clone(),
            shipped: subjects.iter().map(Subject::shipped).collect(),
            hashes: subjects.iter().map(Subject::shipped_hashes).collect(),
            watched: Watched::new(&experiment.inputs),
            places: parts.places,
            mapped: Mapped::of(subjects),
            draws: Draws::new(experiment.seed),
            runner: Runner::new(parts.instrument, &experiment.benchmark, parts.stop.clone()),
            core: parts.core,
            _lock: parts.lock,
            machine: parts.machine,
            alongside,
            copies: Copies::within(parts.folder),
            placed: Vec::new(),
            block: None,
            heard: Heard::new(&experiment.benchmark),
            printing: Printing::default(),
            elsewhere: BTreeMap::new(),
            last: Vec::new(),
            pinned: true,
            others: BTreeSet::new(),
            stop: parts.stop,
        }
    }

    /// What people call an arm.
    fn name(&self, arm: ArmRef) -> String {
        let build = |build: BuildIndex| {
            let build = build.of(&self.experiment.builds);
            build.map_or("?", |build| build.name.as_str())
        };
        match arm {
            ArmRef::Drawn { build: index } => format!("{} (in a drawn layout)", build(index)),
            ArmRef::AsShipped { build: index } => format!("{} (as shipped)", build(index)),
            ArmRef::Taxed => format!("{} (taxed)", build(BuildIndex::BASE)),
            ArmRef::Idle => idle::PROGRAM.to_owned(),
        }
    }

    /// CPU time of the longest of the last runs.
    fn longest(&self) -> Duration {
        let all = self.last.iter().map(|(_, outcome)| outcome.cpu);
        all.max().unwrap_or(Duration::ZERO)
    }

    /// How an arm is run.
    fn benchmark(&self, arm: ArmRef) -> &Benchmark {
        build_of(arm)
            .and_then(|build| build.of(&self.experiment.builds))
            .and_then(|build| build.run_as.as_deref())
            .unwrap_or(&self.experiment.benchmark)
    }
}

impl Rig for Bench {
    fn now_ms(&mut self) -> u64 {
        now_ms()
    }

    fn machine(&self) -> Machine {
        self.machine.clone()
    }

    fn place(&mut self, block: Option<u32>, arms: &[ArmRef]) -> Result<Vec<Digest>, LabError> {
        if self.stop.requested() {
            return Err(LabError::Interrupted);
        }
        self.others.extend(measured_by_others());
        self.block = block;
        self.put(block, arms)
    }

    fn images_ns(&self) -> u64 {
        let maker = self.alongside.maker.as_ref();
        let took = maker.map_or(Duration::ZERO, |maker| maker.borrow().took());
        u64::try_from(took.as_nanos()).unwrap_or(u64::MAX)
    }

    fn round(&mut self, plan: &RoundPlan<'_>) -> Result<Vec<Run>, LabError> {
        self.made(plan)
    }

    fn told(&self) -> Result<Vec<Solo>, LabError> {
        let all = self.last.iter();
        all.map(|(arm, outcome)| self.solo_of(*arm, outcome))
            .collect()
    }

    fn alone(&mut self, arm: usize, how: &Alone) -> Result<Solo, LabError> {
        self.one_alone(arm, how)
    }

    fn trace(&mut self, arm: usize, how: &Alone) -> Result<Traceable, LabError> {
        self.traced(arm, how)
    }

    fn pin(&mut self, pinned: bool) {
        self.pinned = pinned;
    }

    fn core(&self) -> Option<u32> {
        self.core.core().filter(|_| self.pinned)
    }

    fn other_core(&self) -> Option<u32> {
        self.core.core().and_then(other_core)
    }

    fn company(&mut self, welcome: bool) {
        let run = self.longest();
        if let Some(counting) = self.alongside.counting.as_mut().filter(|_| welcome) {
            counting.foresee(run);
            counting.start();
        }
    }

    fn recall(&mut self, printed: Digest) {
        self.heard.recall(printed);
    }

    fn printed(&self) -> Printed {
        self.heard.printed(&self.experiment.benchmark)
    }

    fn remarks(&self) -> Vec<Warning> {
        self.all_remarks()
    }

    fn instructions(&mut self, until_ms: Option<u64>) -> Vec<Counted> {
        let Some(mut counting) = self.alongside.counting.take() else {
            return Vec::new();
        };
        counting.foresee(self.longest());
        counting.wait(until_ms)
    }

    fn counted_drawn(&mut self, until_ms: Option<u64>) -> Vec<CountedDrawn> {
        self.count_drawn(until_ms)
    }

    fn evened(&self, build: BuildIndex) -> Option<Evened> {
        self.evened_with_base(build)
    }

    fn code(&mut self) -> Vec<CodeChange> {
        let reading = self.alongside.reading.take();
        reading.map(Reading::wait).unwrap_or_default()
    }
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

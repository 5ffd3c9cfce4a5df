//! The real world of an experiment: images copied afresh for each block, runs on the instrument,
//! outputs held against the base's.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use proofmark_conclude::{Counted, Draws, RoundAt, build_of};
use proofmark_evidence::record::{
    ArmRef, Benchmark, CodeChange, Experiment, NoIdleCore, Run, Schedule, Warning,
};
use proofmark_measure::trace::{self, TraceLimits, Untraceable};
use proofmark_measure::{
    CoreChoice, CoreLock, Grouping, Instrument, Launch, MeasureError, Outcome, Output, Stop,
    Stretch, Turns, proportional_slices,
};

use proofmark_layout::Elsewhere;
use proofmark_terms::{Machine, OsText};

use crate::LabError;
use crate::aside::Alongside;
use crate::begin::now_ms;
use crate::command;
use crate::habits::{Alone, Habits, Pauses, Solo};
use crate::held;
use crate::idle;
use crate::inputs::Watched;
use crate::left_out;
use crate::mapped::Mapped;
use crate::output::{Heard, Printed, Speaker, run_of, varies};
use crate::places::{Places, Staged};
use crate::reading::Reading;
use crate::request::Subject;
use crate::rig::{Rig, RoundPlan, Traceable};
use crate::runner::{Runner, prepare};
use crate::said::Said;
use crate::taxed::tax;

/// Files of the builds' own that a remark names.
const NAMED: usize = 3;

/// The machine, the builds and the folder in which blocks are measured.
pub struct Bench {
    experiment: Experiment,
    shipped: Vec<Vec<PathBuf>>,
    /// BLAKE3 of those, as recorded.
    hashes: Vec<Vec<String>>,
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
    folder: PathBuf,
    placed: Vec<Placed>,
    heard: Heard,
    elsewhere: BTreeMap<String, Elsewhere>,
    waits: Vec<u64>,
    pinned: bool,
    stop: Stop,
}

/// One image of the block at hand.
#[derive(Clone, Debug)]
struct Placed {
    arm: ArmRef,
    staged: Staged,
}

/// What a bench is made of.
pub struct BenchParts {
    /// The instrument; benchmarks of one suite share it.
    pub instrument: Rc<Instrument>,
    /// Where each build runs.
    pub(crate) places: Arc<Places>,
    /// The core that runs are pinned to.
    pub core: CoreChoice,
    /// Keeps others who measure off that core; benchmarks of one suite share it.
    pub lock: Option<Rc<CoreLock>>,
    /// The machine as it is now.
    pub machine: Machine,
    /// The folder in which blocks are placed; emptied at the end.
    pub folder: PathBuf,
    /// Raised when the user wants to stop.
    pub stop: Stop,
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
            machine: parts.machine,
            _lock: parts.lock,
            alongside,
            folder: parts.folder,
            placed: Vec::new(),
            heard: Heard::new(&experiment.benchmark),
            elsewhere: BTreeMap::new(),
            waits: Vec::new(),
            pinned: true,
            stop: parts.stop,
        }
    }

    /// The build's own image for a block; a repeated capture has several.
    fn shipped(&self, block: Option<u32>, build: u32) -> Result<&Path, LabError> {
        let images = self
            .shipped
            .get(build as usize)
            .map(Vec::as_slice)
            .unwrap_or_default();
        images
            .get(self.draws.repeat(block, build as usize, images.len()))
            .map(PathBuf::as_path)
            .ok_or_else(|| LabError::Fault(format!("build {build} has no image")))
    }

    /// The file that an arm of a block is a copy of.
    fn source(&self, block: Option<u32>, arm: ArmRef) -> Result<PathBuf, LabError> {
        let Some(build) = build_of(arm) else {
            return Ok(PathBuf::from(idle::PROGRAM));
        };
        match (&self.alongside.maker, arm) {
            (Some(maker), ArmRef::Drawn { .. } | ArmRef::Taxed) => maker.borrow_mut().image(build),
            (_, ArmRef::AsShipped { .. } | ArmRef::Idle) | (None, _) => {
                self.shipped(block, build).map(Path::to_owned)
            }
        }
    }

    /// Whether the copy of a build's own image is the image that was recorded.
    fn as_recorded(
        &self,
        block: Option<u32>,
        arm: ArmRef,
        source: &Path,
        found: &str,
    ) -> Result<(), LabError> {
        let Some(build) = build_of(arm).and_then(|build| usize::try_from(build).ok()) else {
            return Ok(());
        };
        let all = self
            .hashes
            .get(build)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let recorded = all.get(self.draws.repeat(block, build, all.len()));
        match (recorded, arm) {
            (Some(recorded), ArmRef::AsShipped { .. }) if !recorded.is_empty() => {
                held::same(found, source, recorded)
            }
            _ => Ok(()),
        }
    }

    /// What people call an arm.
    fn name(&self, arm: ArmRef) -> String {
        let build = |build: u32| {
            self.experiment
                .builds
                .get(build as usize)
                .map_or("?", |build| build.name.as_str())
        };
        match arm {
            ArmRef::Drawn { build: index } => format!("{} (in a drawn layout)", build(index)),
            ArmRef::AsShipped { build: index } => format!("{} (as shipped)", build(index)),
            ArmRef::Taxed => format!("{} (taxed)", build(0)),
            ArmRef::Idle => idle::PROGRAM.to_owned(),
        }
    }

    /// How an arm is run.
    fn benchmark(&self, arm: ArmRef) -> &Benchmark {
        build_of(arm)
            .and_then(|build| self.experiment.builds.get(build as usize))
            .and_then(|build| build.run_as.as_deref())
            .unwrap_or(&self.experiment.benchmark)
    }

    fn launches(&self, plan: &RoundPlan<'_>) -> Result<Vec<Launch>, LabError> {
        let padding = self.draws.padding(plan.at);
        let placed: Vec<&Placed> = plan
            .order
            .iter()
            .filter_map(|&arm| self.placed.get(arm))
            .collect();
        let stacks: Vec<usize> = placed
            .iter()
            .map(|placed| Ok(stack_bytes(&self.launch(placed, padding)?)))
            .collect::<Result<_, LabError>>()?;
        let most = stacks.iter().copied().max().unwrap_or(0);
        placed
            .into_iter()
            .zip(stacks)
            .map(|(placed, stack)| {
                if placed.arm == ArmRef::Idle {
                    return Ok(idle::launch(plan.idle_loops, padding, self.core()));
                }
                // Names and places may differ in length; the stack begins at one address all the
                // same.
                let mut launch = self.launch(placed, padding + most - stack)?;
                if placed.arm == ArmRef::Taxed {
                    launch.tax = tax(&self.experiment);
                    // The limit is for the program; a tax of less than all of it comes on top.
                    launch.timeout = launch.timeout.saturating_mul(2);
                }
                Ok(launch)
            })
            .collect()
    }

    fn launch(&self, placed: &Placed, padding: usize) -> Result<Launch, LabError> {
        let launch = command::launch(
            self.benchmark(placed.arm),
            &placed.staged.path,
            padding,
            self.core(),
        )?;
        Ok(Launch {
            view: placed.staged.view.clone(),
            ..launch
        })
    }

    /// Looks, once for each build, whether the arm placed last maps what it is meant to.
    fn check(&mut self, of: (usize, usize)) -> Result<(), LabError> {
        let Some(placed) = self.placed.last() else {
            return Ok(());
        };
        if self.mapped.knows(of.0) {
            return Ok(());
        }
        prepare(&self.experiment.benchmark)?;
        let placed = placed.clone();
        let benchmark = self.benchmark(placed.arm);
        let named = command::image_is_named(benchmark);
        let launch = self.launch(&placed, 0)?;
        self.mapped
            .check(of, &launch, &self.places, named, &self.stop)
    }

    /// How a placed arm is run by itself, always with the same padding.
    fn launch_alone(&self, arm: usize, how: &Alone) -> Result<Launch, LabError> {
        let placed = self
            .placed
            .get(arm)
            .ok_or_else(|| LabError::Fault(format!("arm {arm} is not placed")))?;
        let at = RoundAt {
            block: None,
            round: 0,
        };
        let core = self.core.core().filter(|_| how.pinned);
        Ok(Launch {
            core,
            ..self.launch(placed, self.draws.padding(at))?
        })
    }

    /// The digest of what a placed arm printed, as outputs are compared.
    fn printed(&self, arm: usize, output: &Output) -> Result<String, LabError> {
        let placed = self.placed.get(arm);
        let placed = placed.ok_or_else(|| LabError::Fault(format!("arm {arm} is not placed")))?;
        let benchmark = self.benchmark(placed.arm);
        Ok(Said::of(benchmark, output, &placed.staged.path)?.digest)
    }

    /// Whether what the runs read is as it was. What is prepared before each run is looked at as a
    /// run finds it: another benchmark may have prepared the same file since.
    fn inputs_hold(&mut self) -> Result<(), LabError> {
        match self.watched.check() {
            Err(LabError::InputChanged { .. }) if self.experiment.benchmark.prepare.is_some() => {
                prepare(&self.experiment.benchmark)?;
                self.watched.check()
            }
            other => other,
        }
    }

    /// Makes the placed arms' copies of the working folder anew, where they have such.
    fn renew(&self, arms: &[usize]) -> Result<(), LabError> {
        let placed = arms.iter().filter_map(|&arm| self.placed.get(arm));
        let mut copies = placed.filter_map(|placed| placed.staged.fresh.as_ref());
        copies.try_for_each(|fresh| fresh.renew())
    }

    /// Before the first round: finds out who tells CPU time, by all images that are placed.
    fn settle(&mut self) -> Result<(), LabError> {
        if self.runner.is_settled() {
            return Ok(());
        }
        let builds = self
            .placed
            .iter()
            .filter(|placed| placed.arm != ArmRef::Idle);
        let launches: Vec<Launch> = builds
            .map(|placed| self.launch(placed, 0))
            .collect::<Result<_, LabError>>()?;
        self.runner.settle(&launches)
    }

    /// Keeps the image of a failed run beside the store and gives the command that runs it again.
    fn keep_failed(&self, placed: &Placed) -> String {
        let kept = self
            .folder
            .with_file_name("failed")
            .join(placed.staged.path.file_name().unwrap_or_default());
        let copied = kept
            .parent()
            .is_some_and(|parent| fs::create_dir_all(parent).is_ok())
            && fs::copy(&placed.staged.file, &kept).is_ok();
        command::shown(
            self.benchmark(placed.arm),
            if copied { &kept } else { &placed.staged.path },
        )
    }

    /// What there is to say of runs that failed: whether it happens only beside one another, or
    /// whether one image prints something else each time, so that it is not the builds that do.
    /// `before` is what had been heard.
    fn looked_into(
        &mut self,
        error: LabError,
        launches: &[Launch],
        (order, turns, before): (&[usize], &Turns, Heard),
        first: &[Outcome],
    ) -> LabError {
        if error.is_of_a_run() && matches!(turns, Turns::Sliced { .. }) {
            self.heard = before;
            if self.each_by_itself(launches, order) {
                return error.beside();
            }
        }
        if !error.is_of_output() {
            return error;
        }
        let renewed = self.renew(order);
        let second = renewed.and_then(|()| self.runner.round(launches, turns));
        let Ok(second) = second else {
            return error;
        };
        let itself = first
            .iter()
            .zip(&second)
            .zip(launches)
            .any(|((first, second), launch)| {
                let benchmark = &self.experiment.benchmark;
                matches!(
                    varies(benchmark, &launch.program, &first.stdout, &second.stdout),
                    Ok(true)
                )
            });
        if itself {
            error.not_deterministic()
        } else {
            error
        }
    }

    /// Whether every run is as it must be where they come one after the other.
    fn each_by_itself(&mut self, launches: &[Launch], order: &[usize]) -> bool {
        let turns = Turns::Interleaved {
            order: (0..launches.len()).collect(),
        };
        let renewed = self.renew(order);
        let outcomes = renewed.and_then(|()| self.runner.round(launches, &turns));
        outcomes.is_ok_and(|outcomes| self.accept_all(order, &outcomes).is_ok())
    }

    /// Accepts the outcomes of the arms in `order`; the runs are in that order too. The base is
    /// heard first, whichever ran first: others are held against it.
    fn accept_all(&mut self, order: &[usize], outcomes: &[Outcome]) -> Result<Vec<Run>, LabError> {
        let mut places: Vec<usize> = (0..order.len().min(outcomes.len())).collect();
        places.sort_by_key(|&place| order[place]);
        let mut runs = Vec::with_capacity(places.len());
        for place in places {
            runs.push((place, self.accept(order[place], &outcomes[place])?));
        }
        runs.sort_by_key(|&(place, _)| place);
        Ok(runs.into_iter().map(|(_, run)| run).collect())
    }

    /// Holds an outcome against what a run must be, and makes its record.
    fn accept(&mut self, index: usize, outcome: &Outcome) -> Result<Run, LabError> {
        let placed = &self.placed[index];
        let Some(build) = build_of(placed.arm) else {
            return idle::run(outcome);
        };
        let arm = self.name(placed.arm);
        let mut heard = std::mem::take(&mut self.heard);
        let speaker = Speaker {
            build,
            name: &arm,
            image: &placed.staged.path,
        };
        let run = run_of(
            self.benchmark(placed.arm),
            &mut heard,
            speaker,
            outcome,
            || self.keep_failed(placed),
        );
        self.heard = heard;
        run.map_err(|error| error.of_build(build))
    }
}

impl Rig for Bench {
    fn now_ms(&mut self) -> u64 {
        now_ms()
    }

    fn machine(&self) -> Machine {
        self.machine.clone()
    }

    fn place(&mut self, block: Option<u32>, arms: &[ArmRef]) -> Result<Vec<String>, LabError> {
        if self.stop.requested() {
            return Err(LabError::Interrupted);
        }
        if let Some(maker) = &self.alongside.maker {
            for shared in maker.borrow_mut().advance(block)? {
                self.elsewhere.insert(shared.what.clone(), shared.clone());
            }
        }
        let of_file = |action, path: &Path| {
            let path = path.to_owned();
            move |source| LabError::File {
                action,
                path,
                source,
            }
        };
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder).map_err(of_file("empty", &self.folder))?;
        }
        self.placed.clear();
        let mut hashes = Vec::new();
        // Numbers of one length for the arms, and so paths.
        for (number, &arm) in (10_u32..).zip(arms) {
            let Some(index) = build_of(arm) else {
                let staged = idle::staged().map_err(of_file("read", Path::new(idle::PROGRAM)))?;
                hashes.push(staged.hash.clone());
                self.placed.push(Placed { arm, staged });
                continue;
            };
            let source = self.source(block, arm)?;
            let folder = self.folder.join(number.to_string());
            let build = index as usize;
            let images = self.shipped.get(build).map_or(0, Vec::len);
            let repeat = self.draws.repeat(block, build, images);
            let staged = self.places.stage((build, repeat), &source, &folder)?;
            self.as_recorded(block, arm, &source, &staged.hash)?;
            hashes.push(staged.hash.clone());
            self.placed.push(Placed { arm, staged });
            self.check((build, repeat))
                .map_err(|error| error.of_build(index))?;
        }
        Ok(hashes)
    }

    fn images_ns(&self) -> u64 {
        let maker = self.alongside.maker.as_ref();
        let took = maker.map_or(Duration::ZERO, |maker| maker.borrow().took());
        u64::try_from(took.as_nanos()).unwrap_or(u64::MAX)
    }

    fn round(&mut self, plan: &RoundPlan<'_>) -> Result<Vec<Run>, LabError> {
        let launches = self.launches(plan)?;
        let turns = match plan.schedule {
            // The launches are in the order in which they start.
            Schedule::Interleaved => Turns::Interleaved {
                order: (0..launches.len()).collect(),
            },
            Schedule::Sliced { slice_us } => {
                let expected = |&arm: &usize| plan.cpu_ns.get(arm).copied().unwrap_or(0);
                let cpu: Vec<Duration> = plan
                    .order
                    .iter()
                    .map(|arm| Duration::from_nanos(expected(arm)))
                    .collect();
                Turns::Sliced {
                    slices: proportional_slices(Duration::from_micros(slice_us), &cpu),
                    order_seed: self.draws.turns_seed(plan.at),
                }
            }
        };
        self.inputs_hold()?;
        self.settle()?;
        self.renew(plan.order)?;
        let outcomes = self.runner.round(&launches, &turns)?;
        // A block of which any run may have read something else is not stored.
        self.watched.check()?;
        self.waits = outcomes.iter().map(|outcome| outcome.waits).collect();
        let before = self.heard.clone();
        self.accept_all(plan.order, &outcomes).map_err(|error| {
            self.looked_into(error, &launches, (plan.order, &turns, before), &outcomes)
        })
    }

    fn waits(&self) -> Vec<u64> {
        self.waits.clone()
    }

    fn alone(&mut self, arm: usize, how: &Alone) -> Result<Solo, LabError> {
        self.settle()?;
        self.renew(&[arm])?;
        let launch = self.launch_alone(arm, how)?;
        let outcome = match &how.pauses {
            None => {
                let turns = Turns::Interleaved { order: vec![0] };
                let launches = std::slice::from_ref(&launch);
                self.runner.round(launches, &turns)?.pop()
            }
            Some(pauses) => Some(self.runner.stretched(&launch, &stretch(pauses))?),
        };
        let outcome = outcome.ok_or(MeasureError::LauncherLost)?;
        Ok(Solo {
            end: outcome.end,
            printed: self.printed(arm, &outcome.stdout)?,
            cpu_ns: ns(outcome.cpu),
            wall_ns: ns(outcome.wall),
            waits: outcome.waits,
        })
    }

    fn trace(&mut self, arm: usize, how: &Alone) -> Result<Traceable, LabError> {
        prepare(&self.experiment.benchmark)?;
        self.renew(&[arm])?;
        let launch = self.launch_alone(arm, how)?;
        let limits = TraceLimits {
            time: launch.timeout,
            ..TraceLimits::default()
        };
        let traced = match &how.pauses {
            None => trace::trace(&launch, &limits, &self.stop),
            Some(pauses) => trace::trace_stretched(&launch, &limits, &self.stop, &stretch(pauses)),
        };
        match traced {
            Ok(traced) => {
                let printed = self.printed(arm, &traced.stdout)?;
                Ok(Ok(Habits::of(&traced, printed)))
            }
            Err(Untraceable::Run(error)) => Err(error.into()),
            Err(reason) => Ok(Err(reason.to_string())),
        }
    }

    fn pin(&mut self, pinned: bool) {
        self.pinned = pinned;
    }

    fn core(&self) -> Option<u32> {
        self.core.core().filter(|_| self.pinned)
    }

    fn company(&mut self, welcome: bool) {
        if let Some(counting) = self.alongside.counting.as_mut().filter(|_| welcome) {
            counting.start();
        }
    }

    fn printed(&self) -> Printed {
        self.heard.printed(&self.experiment.benchmark)
    }

    fn remarks(&self) -> Vec<Warning> {
        let mut remarks = Vec::new();
        if let Some(core) = not_idle(&self.core).filter(|_| self.pinned) {
            remarks.push(Warning::NoIdleCore { core });
        }
        if let Grouping::Signals { why } = self.runner.grouping() {
            remarks.push(Warning::HeldBySignals { why: why.clone() });
        }
        remarks.extend(self.runner.remark());
        remarks.extend(self.watched.remarks());
        let images = self.shipped.iter().flatten().map(PathBuf::as_path);
        let files = images.chain(self.watched.fixed());
        remarks.extend(left_out::remark(&self.experiment.benchmark, files));
        remarks.extend(self.remarks_on_places());
        remarks.extend(elsewhere(&self.elsewhere));
        remarks
    }

    fn instructions(&mut self, until_ms: Option<u64>) -> Vec<Counted> {
        let counting = self.alongside.counting.take();
        counting
            .map(|counting| counting.wait(until_ms))
            .unwrap_or_default()
    }

    fn code(&mut self) -> Vec<CodeChange> {
        let reading = self.alongside.reading.take();
        reading.map(Reading::wait).unwrap_or_default()
    }
}

/// What there was in the place of an idle core.
fn not_idle(core: &CoreChoice) -> Option<NoIdleCore> {
    match core {
        CoreChoice::Idle { .. } => None,
        &CoreChoice::Busy { core, busy_percent } => Some(NoIdleCore::Busy { core, busy_percent }),
        &CoreChoice::Taken { core } => Some(NoIdleCore::Taken { core }),
        &CoreChoice::OnlyOne { core } => Some(NoIdleCore::OnlyOne { core }),
        CoreChoice::Unknown { why } => Some(NoIdleCore::Unknown { why: why.clone() }),
    }
}

/// Data that layouts could not keep at one address.
fn elsewhere(shared: &BTreeMap<String, Elsewhere>) -> Option<Warning> {
    let examples = shared.values().map(|shared| shared.example.clone());
    let examples: Vec<String> = examples.take(NAMED).collect();
    (!examples.is_empty()).then_some(Warning::NotAtOneAddress { examples })
}

impl Bench {
    /// What each build ran with, and how sure that is.
    fn remarks_on_places(&self) -> Vec<Warning> {
        let mut remarks = Vec::new();
        let different = self.places.different();
        let files: Vec<OsText> = different
            .iter()
            .take(NAMED)
            .map(|&path| path.into())
            .collect();
        if !files.is_empty() {
            let more = u32::try_from(different.len() - files.len()).unwrap_or(u32::MAX);
            remarks.push(Warning::OwnFiles { files, more });
        }
        if let Some(why) = self.places.unusable() {
            remarks.push(Warning::NotAtItsPlace {
                why: why.to_owned(),
            });
        }
        if let Some(why) = &self.mapped.untraced
            && !different.is_empty()
        {
            remarks.push(Warning::NotTraced { why: why.clone() });
        }
        remarks
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // Best effort: what is left is under the store's own folder and goes with the next
        // experiment.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What the kernel puts on top of a new program's stack and whose length a launch decides: its
/// path, its words, its environment.
fn stack_bytes(launch: &Launch) -> usize {
    let path = launch.program.as_os_str().len() + launch.argv0.len();
    let words: usize = launch.args.iter().map(|word| word.len()).sum();
    let set = launch.env.iter();
    path + words
        + set
            .map(|(name, value)| name.len() + value.len())
            .sum::<usize>()
}

fn stretch(pauses: &Pauses) -> Stretch {
    Stretch {
        slice: Duration::from_nanos(pauses.every_ns),
        times: pauses.times,
    }
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

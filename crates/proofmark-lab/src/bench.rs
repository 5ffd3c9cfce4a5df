//! The real world of an experiment: images copied afresh for each block, runs on the instrument, outputs held against the base's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::thread::sleep;
use std::time::Duration;

use proofmark_evidence::record::{
    ArmRef, Benchmark, CodeChange, Experiment, Run, Schedule, Warning,
};
use proofmark_measure::{
    CoreChoice, Grouping, Instrument, Launch, MeasureError, Outcome, Stop, Turns,
    proportional_slices,
};

use proofmark_layout::Elsewhere;

use crate::LabError;
use crate::arms::build_of;
use crate::aside::Alongside;
use crate::begin::now_ms;
use crate::certificate::tax;
use crate::command;
use crate::counting::Counting;
use crate::draws::Draws;
use crate::output::{Heard, Printed, Speaker, run_of, varies};
use crate::reading::Reading;
use crate::request::Subject;
use crate::rig::{Counted, Rig, RoundPlan};
use crate::warnings::warning;

/// How often a file that is still open for writing is tried again: a linker that was started while the copy was being written holds it
/// until it is itself executed.
const BUSY_TRIES: u32 = 40;
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// The machine, the builds and the folder in which blocks are measured.
pub struct Bench {
    experiment: Experiment,
    shipped: Vec<Vec<PathBuf>>,
    /// What every image is called: the base's own name, for all arms alike.
    name: OsString,
    draws: Draws,
    instrument: Rc<Instrument>,
    core: CoreChoice,
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
    path: PathBuf,
}

/// What a bench is made of.
pub struct BenchParts {
    /// The instrument; benchmarks of one suite share it.
    pub instrument: Rc<Instrument>,
    /// The core that runs are pinned to.
    pub core: CoreChoice,
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
            name: subjects.first().map(Subject::file_name).unwrap_or_default(),
            draws: Draws::new(experiment.seed),
            instrument: parts.instrument,
            core: parts.core,
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
            .ok_or_else(|| LabError::Plan(format!("build {build} has no image")))
    }

    /// The file that an arm of a block is a copy of.
    fn source(&self, block: Option<u32>, arm: ArmRef) -> Result<PathBuf, LabError> {
        let build = build_of(arm);
        match (&self.alongside.maker, arm) {
            (Some(maker), ArmRef::Drawn { .. } | ArmRef::Taxed) => maker.borrow_mut().image(build),
            (_, ArmRef::AsShipped { .. }) | (None, _) => {
                self.shipped(block, build).map(Path::to_owned)
            }
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
        }
    }

    /// How an arm is run.
    fn benchmark(&self, arm: ArmRef) -> &Benchmark {
        let build = self.experiment.builds.get(build_of(arm) as usize);
        build
            .and_then(|build| build.run_as.as_deref())
            .unwrap_or(&self.experiment.benchmark)
    }

    fn launches(&self, plan: &RoundPlan<'_>) -> Result<Vec<Launch>, LabError> {
        let padding = self.draws.padding(plan.at);
        self.placed
            .iter()
            .map(|placed| {
                let mut launch = command::launch(
                    self.benchmark(placed.arm),
                    &placed.path,
                    padding,
                    self.core(),
                )?;
                if placed.arm == ArmRef::Taxed {
                    launch.tax = tax(&self.experiment);
                    // The limit is for the program; a tax of less than all of it comes on top.
                    launch.timeout = launch.timeout.saturating_mul(2);
                }
                Ok(launch)
            })
            .collect()
    }

    /// Runs the launches as planned, again where a copy is still held open.
    fn run(&self, launches: &[Launch], turns: &Turns) -> Result<Vec<Outcome>, LabError> {
        for _ in 1..BUSY_TRIES {
            match self.instrument.round(launches, turns) {
                Err(MeasureError::Busy { .. }) => sleep(BUSY_PAUSE),
                other => return Ok(other?),
            }
        }
        Ok(self.instrument.round(launches, turns)?)
    }

    /// The command given by --prepare.
    fn prepare(&self) -> Result<(), LabError> {
        let Some(text) = &self.experiment.benchmark.prepare else {
            return Ok(());
        };
        let failed = |how: String| LabError::Prepare {
            command: text.clone(),
            how,
        };
        let status = Command::new("/bin/sh")
            .arg("-c")
            .arg(text)
            .current_dir(self.experiment.benchmark.cwd.as_ref())
            .status()
            .map_err(|error| failed(format!("could not be started: {error}")))?;
        if status.success() {
            Ok(())
        } else {
            Err(failed(format!("failed ({status})")))
        }
    }

    /// Keeps the image of a failed run beside the store and gives the command that runs it again.
    fn keep_failed(&self, placed: &Placed) -> String {
        let kept = self
            .folder
            .with_file_name("failed")
            .join(placed.path.file_name().unwrap_or_default());
        let copied = kept
            .parent()
            .is_some_and(|parent| fs::create_dir_all(parent).is_ok())
            && fs::copy(&placed.path, &kept).is_ok();
        command::shown(
            self.benchmark(placed.arm),
            if copied { &kept } else { &placed.path },
        )
    }

    /// Where the outputs of two builds differ: whether a second run of either differs from its own first one, so that it is not the builds
    /// that do.
    fn looked_into(
        &self,
        error: LabError,
        launches: &[Launch],
        turns: &Turns,
        first: &[Outcome],
    ) -> LabError {
        if !error.is_of_output() {
            return error;
        }
        let Ok(second) = self.prepare().and_then(|()| self.run(launches, turns)) else {
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

    /// Holds an outcome against what a run must be, and makes its record.
    fn accept(&mut self, index: usize, outcome: &Outcome) -> Result<Run, LabError> {
        let placed = &self.placed[index];
        let arm = self.name(placed.arm);
        let mut heard = std::mem::take(&mut self.heard);
        let speaker = Speaker {
            build: build_of(placed.arm),
            name: &arm,
            image: &placed.path,
        };
        let run = run_of(
            self.benchmark(placed.arm),
            &mut heard,
            speaker,
            outcome,
            || self.keep_failed(placed),
        );
        self.heard = heard;
        run.map_err(|error| error.of_build(build_of(placed.arm)))
    }
}

impl Rig for Bench {
    fn now_ms(&mut self) -> u64 {
        now_ms()
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
        // One letter for each arm, so that all paths have one length.
        for (letter, &arm) in ('a'..='z').cycle().zip(arms) {
            let source = self.source(block, arm)?;
            let folder = self.folder.join(letter.to_string());
            fs::create_dir_all(&folder).map_err(of_file("make", &folder))?;
            let path = folder.join(&self.name);
            hashes.push(copy_afresh(&source, &path).map_err(of_file("copy an image to", &path))?);
            self.placed.push(Placed { arm, path });
        }
        Ok(hashes)
    }

    fn images_ns(&self) -> u64 {
        let maker = self.alongside.maker.as_ref();
        let took = maker.map_or(Duration::ZERO, |maker| maker.borrow().took());
        u64::try_from(took.as_nanos()).unwrap_or(u64::MAX)
    }

    fn round(&mut self, plan: &RoundPlan<'_>) -> Result<Vec<Run>, LabError> {
        self.prepare()?;
        let launches = self.launches(plan)?;
        let turns = match plan.schedule {
            Schedule::Interleaved => Turns::Interleaved {
                order: plan.order.to_vec(),
            },
            Schedule::Sliced { slice_us } => {
                let cpu: Vec<Duration> = plan
                    .cpu_ns
                    .iter()
                    .map(|&ns| Duration::from_nanos(ns))
                    .collect();
                Turns::Sliced {
                    slices: proportional_slices(Duration::from_micros(slice_us), &cpu),
                    order_seed: self.draws.turns_seed(plan.at),
                }
            }
        };
        let outcomes = self.run(&launches, &turns)?;
        self.waits = outcomes.iter().map(|outcome| outcome.waits).collect();
        outcomes
            .iter()
            .enumerate()
            .map(|(index, outcome)| self.accept(index, outcome))
            .collect::<Result<Vec<Run>, LabError>>()
            .map_err(|error| self.looked_into(error, &launches, &turns, &outcomes))
    }

    fn waits(&self) -> Vec<u64> {
        self.waits.clone()
    }

    fn pin(&mut self, pinned: bool) {
        self.pinned = pinned;
    }

    fn core(&self) -> Option<u32> {
        self.core.core().filter(|_| self.pinned)
    }

    fn printed(&self) -> Printed {
        self.heard.printed(&self.experiment.benchmark)
    }

    fn remarks(&self) -> Vec<Warning> {
        let mut remarks = Vec::new();
        if let Some(found) = self.core.warning().filter(|_| self.pinned) {
            remarks.push(warning(
                "no-idle-core",
                found,
                "`proofmark doctor` says what else is running",
            ));
        }
        if let Grouping::Signals { why } = self.instrument.grouping() {
            remarks.push(warning(
                "held-by-signals",
                format!(
                    "processes are held by signals, which interrupt system calls that sleep: {why}"
                ),
                "a cgroup that this user may write to; `proofmark doctor` says more",
            ));
        }
        remarks.extend(elsewhere(&self.elsewhere));
        remarks
    }

    fn instructions(&mut self) -> Vec<Counted> {
        let counting = self.alongside.counting.take();
        counting.map(Counting::wait).unwrap_or_default()
    }

    fn code(&mut self) -> Vec<CodeChange> {
        let reading = self.alongside.reading.take();
        reading.map(Reading::wait).unwrap_or_default()
    }
}

/// Data that layouts could not keep at one address.
fn elsewhere(shared: &BTreeMap<String, Elsewhere>) -> Option<Warning> {
    let examples: Vec<String> = shared
        .values()
        .map(|shared| format!("`{}`", shared.example))
        .take(3)
        .collect();
    (!examples.is_empty()).then(|| {
        let found = format!(
            "some data (such as {}) is at other addresses in the builds; usually harmless",
            examples.join(", ")
        );
        warning("not-at-one-address", found, "")
    })
}

impl Drop for Bench {
    fn drop(&mut self) {
        // Best effort: what is left is under the store's own folder and goes with the next experiment.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Writes a new file with the image's content, so that no two arms share an inode or its physical pages; gives the content's BLAKE3.
fn copy_afresh(from: &Path, to: &Path) -> std::io::Result<String> {
    use std::os::unix::fs::PermissionsExt as _;
    let content = fs::read(from)?;
    fs::write(to, &content)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o755))?;
    Ok(blake3::hash(&content).to_hex().to_string())
}

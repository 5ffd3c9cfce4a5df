//! The builds that a matrix lacks, made in parallel: each in a clean copy of its sources, once,
//! with its log kept.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use proofmark_capture::outside::Touched;
use proofmark_capture::{
    BuildError, BuildOutput, Capture, CaptureRequest, CapturedLink, Compile, CompiledObject, Keep,
    SESSION, capture_until,
};
use rustix::fs::FlockOperation;

use super::above::Copied;
use super::asked::{self, missing, tried};
use super::built::{BuildOutcome, BuiltCell, Failure, FlagReport, Made};
use super::features::{Evidence, present};
use super::linked::{missing_in_link, of_the_link};
use super::plan::{BuildPlan, CellState, Planned, Workshop, cores};
use super::reads::{self, Reads, Watched};
use super::record::{Record, Recorded, Slot};
use super::together::{Tried, met};
use crate::cells::Cell;
use crate::definition::{Replacements, Source, expanded};
use crate::sources::{self, Frozen, Snapshot};
use crate::toolchain::{READS, SOURCES, Toolchain};

/// What happens while builds are made.
pub trait BuildObserver: Sync {
    /// A build begins.
    fn begins(&self, _cell: &Cell) {}

    /// A build has ended, well or not.
    fn ends(&self, _cell: &BuiltCell) {}

    /// Whether to end the builds under way, and begin no further one.
    fn stopped(&self) -> bool {
        false
    }
}

/// Watches nothing, and never stops.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl BuildObserver for Unwatched {}

/// One build that has to be made: the cells that share a key are one build.
struct Job<'a> {
    key: &'a str,
    cell: &'a Cell,
    toolchain: &'a Toolchain,
    source: &'a Source,
    snapshot: &'a Snapshot,
    frozen: &'a Result<Frozen, String>,
}

/// What a build was made from, beside what its key holds.
struct Sources {
    reads: Reads,
    /// Files of its sources that it made anew or removed.
    remade: Vec<PathBuf>,
    touched: Touched,
}

/// Why there is no build.
struct Fault {
    why: String,
    /// Something that it read was changed under it, or by it.
    unsettled: bool,
    touched: Touched,
}

impl From<String> for Fault {
    fn from(why: String) -> Fault {
        Fault {
            why,
            unsettled: false,
            touched: Touched::default(),
        }
    }
}

impl Workshop<'_> {
    /// Makes the builds that are missing, `parallel` at a time (as many as there are cores when
    /// `None`), and returns every cell as it stands then. When the observer stops it, cells that
    /// have no build say so; a later call takes up where this one ended.
    ///
    /// # Errors
    /// When another process builds this matrix, or the folder cannot be written to. A build that
    /// fails is no error: its cell says why.
    pub fn build(
        &self,
        plan: &BuildPlan,
        parallel: Option<usize>,
        observer: &dyn BuildObserver,
    ) -> Result<Vec<BuiltCell>, BuildError> {
        let _lock = self.lock()?;
        self.sweep();
        let mut made = BTreeSet::new();
        let again = self.pass(plan, parallel, None, observer, &mut made);
        if !again.is_empty() && !observer.stopped() {
            self.forget(plan, &again);
            self.pass(plan, Some(1), Some(&again), observer, &mut made);
        }
        if self.forget_others(plan, &made) && !observer.stopped() {
            self.pass(plan, Some(1), None, observer, &mut made);
        }
        // A build may write what others read that were there: they are made from that then.
        let lost = self.lost(plan);
        if !lost.is_empty() && !observer.stopped() {
            self.pass(plan, Some(1), Some(&lost), observer, &mut made);
        }
        Ok(self.standing(plan))
    }

    /// Cells that have no build and did not fail.
    fn lost(&self, plan: &BuildPlan) -> BTreeSet<String> {
        let lacking = plan.cells.iter().filter_map(|planned| self.lacks(planned));
        let lost = lacking.filter(|key| self.places.failed(key).is_none());
        lost.map(str::to_owned).collect()
    }

    /// Takes builds back, so that they are made again.
    fn forget(&self, plan: &BuildPlan, keys: &BTreeSet<String>) {
        for key in plan.cells.iter().filter_map(|planned| planned.key.as_ref()) {
            if keys.contains(key)
                && let Some(record) = self.kept(key)
            {
                let _ = self.places.forget(key, &record.capture);
            }
        }
    }

    /// Makes what is missing, of `only` these, and adds the keys to `made`. Returns those of builds
    /// that met outside of their folders.
    fn pass(
        &self,
        plan: &BuildPlan,
        parallel: Option<usize>,
        only: Option<&BTreeSet<String>>,
        observer: &dyn BuildObserver,
        made: &mut BTreeSet<String>,
    ) -> BTreeSet<String> {
        let frozen = self.frozen(plan);
        let mut jobs: VecDeque<Job<'_>> = VecDeque::new();
        for planned in &plan.cells {
            if let Some(job) = self.job(plan, planned, &frozen)
                && !jobs.iter().any(|known| known.key == job.key)
                && only.is_none_or(|only| only.contains(job.key))
            {
                jobs.push_back(job);
            }
        }
        made.extend(jobs.iter().map(|job| job.key.to_owned()));
        // Who is told how many cores there are uses them all.
        let several = jobs.iter().any(|job| job.source.says_jobs());
        let at_once = if several { 2 } else { usize::MAX };
        let workers = parallel.unwrap_or(cores().min(at_once));
        let workers = workers.clamp(1, jobs.len().max(1));
        let jobs = Mutex::new(jobs);
        let tried = Mutex::new(Vec::new());
        let work = || {
            while !observer.stopped() {
                let next = jobs
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .pop_front();
                let Some(job) = next else { break };
                observer.begins(job.cell);
                let touched = self.make(&job, observer);
                let mut tried = tried.lock().unwrap_or_else(PoisonError::into_inner);
                tried.push(touched);
                drop(tried);
                observer.ends(&self.stands(plan, job.cell, job.key, false));
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(work);
            }
            work();
        });
        met(&tried.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes back those builds that were there and whose makers left a file of the sources alone
    /// which a build of now makes anew, or the other way round: what goes by the times of files,
    /// and these are in no key, must not differ between the cells of a table. Whether there are
    /// such.
    fn forget_others(&self, plan: &BuildPlan, made: &BTreeSet<String>) -> bool {
        let found: Vec<(&str, &str, Record)> = plan
            .cells
            .iter()
            .filter_map(|planned| {
                let key = planned.key.as_deref()?;
                Some((planned.cell.axes.source.as_str(), key, self.kept(key)?))
            })
            .collect();
        let mut any = false;
        for (source, key, record) in &found {
            let now = found
                .iter()
                .filter(|(other, key, _)| other == source && made.contains(*key));
            let mut now = now.map(|(_, _, other)| &other.remade).peekable();
            if !made.contains(*key)
                && now.peek().is_some()
                && !now.any(|remade| *remade == record.remade)
            {
                any |= self.places.forget(key, &record.capture).is_ok();
            }
        }
        any
    }

    /// Every cell as it stands, without building anything.
    #[must_use]
    pub fn standing(&self, plan: &BuildPlan) -> Vec<BuiltCell> {
        let kept = |planned: &Planned| matches!(planned.state, CellState::Built { .. });
        plan.cells
            .iter()
            .map(|planned| match &planned.state {
                CellState::Blocked(failure) => BuiltCell {
                    cell: planned.cell.clone(),
                    key: String::new(),
                    log: PathBuf::new(),
                    outcome: BuildOutcome::Failed(failure.clone()),
                },
                _ => {
                    let key = planned.key.as_deref().unwrap_or_default();
                    self.stands(plan, &planned.cell, key, kept(planned))
                }
            })
            .collect()
    }

    /// One copy of each source of which a build is missing: what was hashed is what is built, in
    /// every cell.
    fn frozen<'a>(&self, plan: &'a BuildPlan) -> HashMap<&'a str, Result<Frozen, String>> {
        let mut frozen = HashMap::new();
        for planned in &plan.cells {
            let name = planned.cell.axes.source.as_str();
            if let Some((_, snapshot)) = plan.sources.get(name)
                && self.lacks(planned).is_some()
            {
                frozen
                    .entry(name)
                    .or_insert_with(|| snapshot.freeze(self.places.folder()));
            }
        }
        frozen
    }

    /// The key of a planned cell that has no build.
    fn lacks<'a>(&self, planned: &'a Planned) -> Option<&'a str> {
        let key = planned.key.as_deref()?;
        let kept = self.kept(key);
        let there = kept.is_some_and(|record| self.builds.find(&record.capture).is_ok());
        (!there).then_some(key)
    }

    /// What a planned cell lacks.
    fn job<'a>(
        &self,
        plan: &'a BuildPlan,
        planned: &'a Planned,
        frozen: &'a HashMap<&str, Result<Frozen, String>>,
    ) -> Option<Job<'a>> {
        let key = self.lacks(planned)?;
        let (source, snapshot) = plan.sources.get(&planned.cell.axes.source)?;
        Some(Job {
            key,
            cell: &planned.cell,
            toolchain: plan
                .toolchain(&planned.cell.axes.toolchain)?
                .as_ref()
                .ok()?,
            source,
            snapshot,
            frozen: frozen.get(planned.cell.axes.source.as_str())?,
        })
    }

    fn stands(&self, plan: &BuildPlan, cell: &Cell, key: &str, kept: bool) -> BuiltCell {
        let failed = |why: String| {
            BuildOutcome::Failed(Failure {
                why,
                toolchain: false,
            })
        };
        let record = self.kept(key).or_else(|| self.places.failed(key));
        let log = record.as_ref().map(|record| self.places.log(record));
        let outcome = match record {
            None => failed(self.not_built(key)),
            Some(Record {
                outcome: Recorded::Failed(failure),
                ..
            }) => BuildOutcome::Failed(failure),
            Some(Record {
                capture,
                seconds,
                reads,
                outcome: Recorded::Made(flags),
                ..
            }) => match self.builds.find(&capture) {
                Err(error) => failed(error.to_string()),
                Ok(capture) => BuildOutcome::Made(Box::new(Made {
                    capture,
                    image: plan
                        .sources
                        .get(&cell.axes.source)
                        .and_then(|(source, _)| source.image.clone()),
                    flags,
                    unseen: reads.unseen,
                    seconds,
                    kept,
                })),
            },
        };
        BuiltCell {
            cell: cell.clone(),
            key: key.to_owned(),
            log: log.unwrap_or_default(),
            outcome,
        }
    }

    /// Why there is no build of a cell that did not fail.
    fn not_built(&self, key: &str) -> String {
        let records = self.places.read(key).into_iter();
        let made = { records }.find(|record| matches!(record.outcome, Recorded::Made(_)));
        let changed = made.and_then(|of| of.reads.changed(&self.memory, &of.capture));
        changed.map_or_else(
            || "it has not been built".to_owned(),
            |file| {
                format!(
                    "it was built, and {} has changed since, which it reads\n  \
                     next: `proofmark matrix build`; where that says so again, another cell's \
                     build writes the file: let builds write into their own folder only",
                    file.display()
                )
            },
        )
    }

    /// One build, from its sources to its record.
    fn make(&self, job: &Job<'_>, observer: &dyn BuildObserver) -> Tried {
        let began = Instant::now();
        let slot = self.places.slot(job.key, &capture_name(job));
        let mut tried = Tried {
            key: job.key.to_owned(),
            began,
            ended: began,
            touched: Touched::default(),
            unsettled: false,
        };
        let (reads, outcome) = match self.captured(job, &slot, observer) {
            Ok((made, report)) => {
                tried.touched = made.touched;
                ((made.reads, made.remade), Recorded::Made(report))
            }
            // It was ended, which is no fault of the build's.
            Err(_) if observer.stopped() => return tried,
            Err(fault) => {
                tried.unsettled = fault.unsettled;
                tried.touched = fault.touched;
                let failure = Failure {
                    why: fault.why,
                    toolchain: false,
                };
                ((Reads::default(), Vec::new()), Recorded::Failed(failure))
            }
        };
        let record = Record::new(&slot, began.elapsed().as_secs_f64(), reads, outcome);
        // Without its record the build is made again.
        let _ = self.places.write(&slot, &record);
        tried.ended = Instant::now();
        tried
    }

    fn captured(
        &self,
        job: &Job<'_>,
        slot: &Slot,
        observer: &dyn BuildObserver,
    ) -> Result<(Sources, FlagReport), Fault> {
        let work = self.places.work(job.key);
        let log = self.places.log_of(slot);
        let failed = |path: &Path| {
            let path = path.display().to_string();
            move |error: std::io::Error| format!("cannot write {path}: {error}")
        };
        // What it left when it failed, a moment ago.
        if work.exists() {
            fs::remove_dir_all(&work).map_err(failed(&work))?;
        }
        fs::create_dir_all(&work).map_err(failed(&work))?;
        if let Some(folder) = log.parent() {
            fs::create_dir_all(folder).map_err(failed(folder))?;
        }
        fs::write(&log, "").map_err(failed(&log))?;
        let frozen = job.frozen.as_ref().map_err(String::clone)?;
        let (flags, ldflags) = self.words(job.cell);
        let tried = self.tried(job, &flags, &ldflags);
        let mut disturbed = None;
        let (watched, captured) = loop {
            frozen.copy_to(&work)?;
            let folder = self.places.folder();
            let watched = Watched::begin(folder, &self.shim_program, disturbed.is_some())
                .map_err(failed(folder))?;
            let mut request = self.request(job, &slot.capture, &work, &log);
            request.followed = watched.following(&[&work, self.builds.folder()]);
            request.env.push((READS.into(), watched.program().into()));
            let captured = capture_until(&self.builds, &request, &|| observer.stopped());
            match watched.disturbed() {
                Some(why) if !observer.stopped() => {
                    disturbed = Some(why);
                    fs::remove_dir_all(&work).map_err(failed(&work))?;
                    fs::create_dir_all(&work).map_err(failed(&work))?;
                }
                _ => break (watched, captured),
            }
        };
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let work_folder = real(&work);
        let capture = captured.map_err(|error| Fault {
            touched: watched.touched(&work_folder, self.builds.folder()),
            ..Fault::from(because(&error, &tried, &log))
        })?;
        let copied = Copied {
            work: &work_folder,
            own: &real(self.builds.folder()),
            source: &job.snapshot.folder,
        };
        if let Some(why) = watched.misses(&copied) {
            return Err(why.into());
        }
        let link = capture
            .image(job.source.image.as_deref())
            .map_err(|error| which_image(&error, job))?;
        let objects = objects_of(&capture, link);
        let mut report = self.report(job, link, &objects, &flags, &tried)?;
        let mut for_link = of_the_link(&report.asked);
        for_link.extend(ldflags.iter().cloned());
        let of_link = missing_in_link(&for_link, &watched.links(&link.output));
        report.asked.extend(ldflags);
        report.missing.extend(of_link);
        let ended = watched.end(
            &work_folder,
            self.builds.folder(),
            &capture,
            &objects,
            &job.snapshot.inputs,
        );
        let (mut reads, touched) = ended.map_err(|why| Fault {
            unsettled: true,
            ..Fault::from(why)
        })?;
        reads.unseen = reads.unseen.or(disturbed);
        let remade = frozen.remade(&work).map_err(failed(&work))?;
        let _ = fs::remove_dir_all(&work);
        let sources = Sources {
            reads,
            remade,
            touched,
        };
        Ok((sources, report))
    }

    /// What the compiler says about the options by themselves.
    fn tried(&self, job: &Job<'_>, flags: &[String], ldflags: &[String]) -> asked::Tried {
        let words: Vec<String> = flags.iter().chain(ldflags).cloned().collect();
        if words.is_empty() {
            return asked::Tried::default();
        }
        let key = format!("tried {} {words:?}", job.toolchain.hash);
        if let Some(known) = self.memory.get(&key) {
            return known;
        }
        match tried(job.toolchain, &words) {
            Ok(tried) => {
                self.memory.put(&key, &tried);
                tried
            }
            Err(_) => asked::Tried::default(),
        }
    }

    fn request(&self, job: &Job<'_>, name: &str, work: &Path, log: &Path) -> CaptureRequest {
        let (flags, ldflags) = self.words(job.cell);
        let cc = job.toolchain.cc.to_string_lossy();
        let cxx = job.toolchain.cxx.as_ref().unwrap_or(&job.toolchain.cc);
        let build = expanded(
            &job.source.build,
            &Replacements {
                cc: &cc,
                cxx: &cxx.to_string_lossy(),
                flags: &flags,
                ldflags: &ldflags,
                jobs: cores(),
            },
        );
        let mut env: Vec<(OsString, OsString)> = vec![
            ("CC".into(), job.toolchain.cc.clone().into()),
            ("CXX".into(), cxx.into()),
            (SOURCES.into(), work.into()),
            ("LC_ALL".into(), "C".into()),
            // A cached object does not tell what it was made from.
            ("CCACHE_DISABLE".into(), "1".into()),
            // The copy is no repository. git would find the one around it, in another state.
            (
                "GIT_CEILING_DIRECTORIES".into(),
                work.parent().unwrap_or(work).into(),
            ),
            // The capture adds to these, and not to the user's.
            ("COMPILER_PATH".into(), "".into()),
            ("CCC_OVERRIDE_OPTIONS".into(), "#".into()),
        ];
        let said = job.source.env.iter();
        env.extend(said.map(|(name, value)| (name.into(), value.into())));
        let set = env.iter().map(|(name, _)| name.as_os_str());
        let by_capture = [READS, SESSION, "DISTCC_HOSTS"].map(OsStr::new);
        let own: Vec<&OsStr> = set.chain(by_capture).collect();
        let mut command: Vec<OsString> = vec!["env".into()];
        for variable in self.environment.cleared() {
            if !own.contains(&variable) {
                command.extend(["-u".into(), variable.to_owned()]);
            }
        }
        // The log begins with the command as it was run.
        command.extend(["/bin/sh", "-xc", &build].map(OsString::from));
        CaptureRequest {
            unset: Vec::new(),
            revision: None,
            not_from: None,
            name: name.to_owned(),
            command,
            followed: None,
            with: Vec::new(),
            cwd: work.to_owned(),
            image: job.source.image.clone(),
            repeat: 1,
            pristine: false,
            compile: Compile::default(),
            allow_unseen: false,
            env,
            shim_program: self.shim_program.clone(),
            output: BuildOutput::File(log.to_owned()),
            keep: Keep::WhileUsed,
        }
    }

    fn report(
        &self,
        job: &Job<'_>,
        link: &CapturedLink,
        objects: &[&CompiledObject],
        flags: &[String],
        tried: &asked::Tried,
    ) -> Result<FlagReport, String> {
        check_compiler(job, objects)?;
        let definition = self.definitions.toolchain(&job.cell.axes.toolchain);
        let own: Vec<String> = definition.map(|of| of.flags.0).unwrap_or_default();
        let asked: Vec<String> = own.iter().chain(flags).cloned().collect();
        let mut lacking = tried.ignored(objects);
        for flag in missing(&asked, objects) {
            if !lacking.iter().any(|known| known.flag == flag.flag) {
                lacking.push(flag);
            }
        }
        let written = format!("{} {}", job.source.build, asked.join(" "));
        let blobs = objects
            .iter()
            .map(|object| self.builds.object(&object.hash));
        let evidence = Evidence {
            image: &link.image,
            blobs: blobs.collect(),
            objects,
            toolchain: job.toolchain,
            written: &written,
        };
        Ok(FlagReport {
            present: present(&evidence),
            asked,
            missing: lacking,
        })
    }

    /// Removes what failed and killed builds left. Their folder is moved first: a process of a
    /// killed build that still runs in it moves with it, and does not write into the next copy.
    fn sweep(&self) {
        let work = self.places.all_work();
        let Some(folder) = work.parent() else { return };
        if let Ok(aside) = tempfile::TempDir::with_prefix_in("swept-", folder) {
            let _ = fs::rename(&work, aside.path().join("work"));
        }
        let left = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in left {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if [sources::PREFIX, reads::PREFIX]
                .iter()
                .any(|start| name.starts_with(start))
            {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// One process builds a matrix at a time.
    fn lock(&self) -> Result<File, BuildError> {
        let path = self.places.lock();
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(BuildError::file("create", folder))?;
        }
        let file = File::options()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(BuildError::file("open", &path))?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(BuildError::Busy { path }),
            Err(error) => Err(BuildError::File {
                doing: "lock",
                path,
                source: error.into(),
            }),
        }
    }
}

/// Why a build has no image, with what its file can say.
fn which_image(error: &BuildError, job: &Job<'_>) -> String {
    match error {
        BuildError::WhichImage { candidates, .. } => {
            let names = candidates.iter().map(|path| path.display().to_string());
            format!(
                "the build makes {} images: say by `image` in [source.{}] which one benchmarks run: {}",
                candidates.len(),
                job.cell.axes.source,
                names.collect::<Vec<String>>().join(", ")
            )
        }
        error => error.to_string(),
    }
}

/// The objects of an image.
fn objects_of<'a>(capture: &'a Capture, link: &CapturedLink) -> Vec<&'a CompiledObject> {
    let mut hashes: Vec<&str> = Vec::new();
    for input in &link.as_built().inputs {
        hashes.push(&input.hash);
        hashes.extend(input.members.iter().map(|member| member.hash.as_str()));
    }
    let objects = capture.objects.iter();
    objects
        .filter(|object| hashes.contains(&object.hash.as_str()))
        .collect()
}

/// The cell's words, which its capture's name begins with.
fn capture_name(job: &Job<'_>) -> String {
    const MOST: usize = 50;
    let mut words = job.cell.axes.clone();
    words.options = None;
    let mut name: String = words.words().collect::<Vec<&str>>().join("+");
    while name.len() > MOST {
        name.pop();
    }
    name
}

/// A failed build in words, with what the compiler says about the options by themselves.
fn because(error: &BuildError, tried: &asked::Tried, log: &Path) -> String {
    let log = || String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
    if let Some(rejected) = tried.rejected_in(log) {
        return format!("the toolchain rejects its flags: {rejected}");
    }
    match error {
        // The log is shown by a command of its own.
        BuildError::BuildFailed { status, said, .. } => {
            let telling = telling(said);
            format!(
                "the build failed ({status}): {}",
                telling.unwrap_or("it said nothing").trim()
            )
        }
        error => match error.unseen() {
            Some(objects) => {
                format!("{objects}  next: compile them in the cell's own build, through {{cc}}")
            }
            None => error.to_string(),
        },
    }
}

/// The line of a failed build's output that says why. Compilers quote the source below an error,
/// and that may hold the word as well.
fn telling(said: &str) -> Option<&str> {
    let error = |line: &&str| {
        let lower = line.to_ascii_lowercase();
        ["error:", "error[", "error "].iter().any(|mark| {
            lower.find(mark).is_some_and(|at| {
                // `file.c:1:2: error:`, `ld: error:`, `make: *** [x] Error 1`, not `no_error: x`.
                lower.get(..at).is_some_and(|before| {
                    before.is_empty() || before.ends_with(' ') || before.ends_with('\u{1b}')
                })
            })
        })
    };
    let quoted = |line: &str| {
        let behind = line
            .trim_start()
            .trim_start_matches(|c: char| c.is_ascii_digit());
        line.starts_with('+') || behind.trim_start().starts_with('|')
    };
    let plain: Vec<&str> = said.lines().filter(|line| !quoted(line)).collect();
    let with_word = |line: &&&str| line.contains("error");
    plain
        .iter()
        .find(|line| error(line))
        .or_else(|| plain.iter().find(with_word))
        .or(plain.last())
        .copied()
}

/// The image holds at least one object that this toolchain compiled, and none that another compiler
/// did.
fn check_compiler(job: &Job<'_>, objects: &[&CompiledObject]) -> Result<(), String> {
    let foreign: Vec<&Path> = objects
        .iter()
        .filter_map(|object| object.compiler.as_deref())
        .filter(|compiler| !job.toolchain.has(compiler) && !is_assembler(compiler))
        .collect();
    let Some(compiler) = foreign.first() else {
        return Ok(());
    };
    Err(format!(
        "{} of {} objects were compiled by {}, not by toolchain `{}`: does its build use {{cc}}?",
        foreign.len(),
        objects.len(),
        compiler.display(),
        job.toolchain.name
    ))
}

fn is_assembler(program: &Path) -> bool {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    name == "as" || name.ends_with("-as")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_build_is_told_by_its_error_and_not_by_what_is_quoted() {
        let said = "+ cc -c a.c -DERROR=error:\nIn file included from a.c:1:\n\
            a.h:3:1: warning: unused variable 'error'\n    3 | int error: 1;\n      | ^~~ error: here\n\
            a.h:4:2: error: expected ';'\n    4 | int error\n      |     ^~~~~\nmake: *** [all] Error 1\n";
        assert_eq!(telling(said), Some("a.h:4:2: error: expected ';'"));
        let rust = "   Compiling x\nerror[E0308]: mismatched types\n --> src/main.rs:1:1\n";
        assert_eq!(telling(rust), Some("error[E0308]: mismatched types"));
        let lld = "+ ld x\nld.lld: error: undefined symbol: f\n";
        assert_eq!(telling(lld), Some("ld.lld: error: undefined symbol: f"));
        let make = "cc a.c\nmake: *** [Makefile:2: all] Error 1\n";
        assert_eq!(telling(make), Some("make: *** [Makefile:2: all] Error 1"));
        assert_eq!(telling("one\ntwo\n"), Some("two"));
        assert_eq!(telling(""), None);
    }
}

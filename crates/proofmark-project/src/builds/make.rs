//! One build, from a clean copy of its sources to its record.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use proofmark_capture::outside::{Held, Known, Sought, Tools, Touched};
use proofmark_capture::{BuildError, Capture, CompiledObject, Seen, capture_until};
use proofmark_terms::{Digest, OsText};

use super::asked;
use super::built::{Failure, FlagReport};
use super::fault::{Changes, Fault, because, which_image};
use super::job::Job;
use super::observer::BuildObserver;
use super::parts::Parts;
use super::plan::Workshop;
use super::reads::{OfTree, Reads, Watched};
use super::record::{Record, Recorded, Slot};
use super::together::Tried;
use crate::sources::{Copied, Frozen};
use crate::toolchain::READS;

/// What a build was made from, beside what its key holds.
struct Sources {
    reads: Reads,
    /// Files of its sources that it made anew or removed.
    remade: Vec<PathBuf>,
    touched: Touched,
}

impl Workshop<'_> {
    /// One build, from its sources to its record.
    pub(super) fn make(&self, job: &Job<'_>, observer: &dyn BuildObserver) -> Tried {
        let began = Instant::now();
        let slot = self.places.slot(job.key, &job.capture_name());
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
                tried.touched = *fault.touched;
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
        let log = self.places.log_of(slot);
        if let Some(folder) = log.parent() {
            fs::create_dir_all(folder).map_err(cannot_write(folder))?;
        }
        let frozen = job.frozen.as_ref().map_err(String::clone)?;
        let (flags, ldflags) = self.words(job.cell);
        let tried = self.tried(job, &flags, &ldflags);
        // Why it is not followed, and what it changed that it goes by, with all that it touched.
        let (mut alone, mut changes): (Option<String>, Option<Changes>) = (None, None);
        loop {
            let work = self.copy(job, frozen)?;
            fs::write(&log, "").map_err(cannot_write(&log))?;
            let folder = self.places.folder();
            let held = self.makers.held(job.key);
            let maker = alone.is_none().then(|| job.maker());
            let watched = Watched::begin(folder, &self.shim_program, maker.as_ref())
                .map_err(cannot_write(folder))?;
            let mut request = self.request(job, &slot.capture, &work, &log);
            request.followed = watched.following(&[&work, self.builds.folder()]);
            request.env.push((READS.into(), watched.program().into()));
            let captured = capture_until(&self.builds, &request, &|| observer.stopped());
            let disturbed = watched.disturbed().filter(|_| !observer.stopped());
            if disturbed.is_some() {
                alone = disturbed;
                continue;
            }
            let ran = Ran {
                job,
                work: &work,
                log: &log,
                watched: &watched,
                tried: &tried,
                held: &held,
            };
            let made = self.judged(&ran, captured);
            let (mut sources, report) =
                made.map_err(|fault| fault.after_change(changes.as_ref()))?;
            if let Some(before) = &changes {
                sources.touched = sources.touched.and(&before.touched);
            }
            match (sources.reads.left_otherwise(), changes.is_some()) {
                (None, _) => {
                    sources.reads.unseen = sources.reads.unseen.or(alone);
                    self.remove_copy(job);
                    return Ok((sources, report));
                }
                (Some(file), true) => return Err(Fault::of_changes(&file, sources.touched)),
                // It may be that it only makes sure of something.
                (Some(file), false) => {
                    let touched = sources.touched;
                    changes = Some(Changes { file, touched });
                }
            }
        }
    }

    /// A fresh copy of a cell's sources, without what an earlier build left.
    fn copy(&self, job: &Job<'_>, frozen: &Frozen) -> Result<PathBuf, String> {
        let work = self.places.work(job.key);
        let around = self.places.around(job.key);
        if around.exists() {
            fs::remove_dir_all(&around).map_err(cannot_write(&around))?;
        }
        fs::create_dir_all(&work).map_err(cannot_write(&work))?;
        frozen.copy_to(&work)?;
        Ok(work)
    }

    fn remove_copy(&self, job: &Job<'_>) {
        let _ = fs::remove_dir_all(self.places.around(job.key));
    }

    /// What came of a build that has run to its end. What it left is taken down in any case.
    fn judged(
        &self,
        ran: &Ran<'_>,
        captured: Result<Capture, BuildError>,
    ) -> Result<(Sources, FlagReport), Fault> {
        let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let (work, own) = (real(ran.work), real(self.builds.folder()));
        let (followed, touched) = ran.watched.ended(&work, &own);
        self.note(ran, &touched);
        let examined = self.examined(ran, (&work, &own), captured, followed);
        let met = examined.is_ok().then(|| ran.held.met(&touched)).flatten();
        let examined = met.map_or(examined, |met| Err(Fault::of_another(&met)));
        match examined {
            Ok((reads, remade, report)) => {
                let sources = Sources {
                    reads,
                    remade,
                    touched,
                };
                Ok((sources, report))
            }
            Err(fault) => Err(Fault {
                touched: Box::new(touched),
                ..fault
            }),
        }
    }

    /// What a build was made from, the files of its sources that it made anew, and what its options
    /// became.
    fn examined(
        &self,
        ran: &Ran<'_>,
        (work, own): (&Path, &Path),
        captured: Result<Capture, BuildError>,
        followed: Option<Result<Known, String>>,
    ) -> Result<(Reads, Vec<PathBuf>, FlagReport), Fault> {
        let Ran { job, watched, .. } = *ran;
        let capture = captured.map_err(|error| because(&error, ran.tried, ran.log))?;
        let copied = Copied {
            work,
            own,
            source: &job.snapshot.folder,
        };
        if let Some(why) = watched.misses(&copied) {
            return Err(why.into());
        }
        let frozen = job.frozen.as_ref().map_err(String::clone)?;
        if let Some(why) = self.is_bypassed(job, frozen, &watched.sought(), &capture, own) {
            return Err(why.into());
        }
        let link = capture
            .image(job.source.image.as_deref())
            .map_err(|error| which_image(&error, job))?;
        let parts = Parts::of(&capture, link);
        let report = self.report(job, link, &parts, ran.tried, &watched.links(&link.output))?;
        let inputs = &job.snapshot.inputs;
        let made = without_those_of(frozen, &parts).map_err(cannot_read(work))?;
        let ended = watched.end(work, followed, &capture, &made, inputs);
        let mut reads = ended.map_err(|why| Fault {
            unsettled: true,
            ..Fault::from(why)
        })?;
        let not_copied = watched.sought().not_copied(&job.snapshot.folder, work);
        reads.not_copied = not_copied.into_iter().map(OsText::from).collect();
        reads.displaced = frozen.displaced().to_vec();
        if let Some(tree) = &job.snapshot.tree {
            reads.of_tree = OfTree::of(&watched.sought(), &tree.seen_by_build(work));
        }
        let remade = frozen.remade(work).map_err(cannot_write(work))?;
        Ok((reads, remade, report))
    }

    /// Why a build is none of the copy that it was made in.
    fn is_bypassed(
        &self,
        job: &Job<'_>,
        frozen: &Frozen,
        sought: &Sought,
        capture: &Capture,
        own: &Path,
    ) -> Option<String> {
        let tools = job.toolchain.tools.iter().chain(&capture.toolchain);
        let mut programs: Vec<&Path> = tools.map(|tool| tool.path.as_path()).collect();
        programs.push(&job.toolchain.driver);
        let of_source = |name: &str| job.source.env.get(name).map(OsString::from);
        let variable = |name: &str| of_source(name).or_else(|| env::var_os(name));
        let own = [own, self.shim_program.as_path()];
        let tools = Tools {
            programs: &programs,
            variable: &variable,
        };
        frozen.is_bypassed(sought, job.snapshot, &own, tools)
    }

    /// Takes down what a build left outside of its copy. Where that cannot be written, what another
    /// one reads of it is taken for the user's.
    fn note(&self, ran: &Ran<'_>, touched: &Touched) {
        let _ = self.makers.note(&ran.job.maker(), touched, ran.held);
    }
}

/// A build that has run.
#[derive(Clone, Copy)]
struct Ran<'a> {
    job: &'a Job<'a>,
    work: &'a Path,
    log: &'a Path,
    watched: &'a Watched,
    tried: &'a asked::Tried,
    /// What other builds had left when it began.
    held: &'a Held,
}

/// Objects without those that are files of the sources, as they are there, or are in an archive that
/// is one: what they were made from is no part of the build. An earlier capture into this store has
/// compiled them.
fn without_those_of<'a>(
    sources: &Frozen,
    parts: &Parts<'a>,
) -> io::Result<Vec<&'a CompiledObject>> {
    let files = |object: &CompiledObject| -> Vec<Digest> {
        let is_earlier = matches!(object.seen, Seen::Earlier { .. });
        let files = [Some(&object.hash), parts.archive(object)];
        let files = files.into_iter().flatten().filter(|_| is_earlier);
        files.cloned().collect()
    };
    let mut objects = parts.objects.clone();
    let earlier = objects.iter().flat_map(|object| files(object));
    let theirs = sources.having(earlier.collect())?;
    objects.retain(|object| !files(object).iter().any(|file| theirs.contains(file)));
    Ok(objects)
}

fn cannot_read(path: &Path) -> impl Fn(io::Error) -> String + use<> {
    let path = path.display().to_string();
    move |error| format!("cannot read the sources that {path} is a copy of: {error}")
}

fn cannot_write(path: &Path) -> impl Fn(io::Error) -> String + use<> {
    let path = path.display().to_string();
    move |error| format!("cannot write {path}: {error}")
}

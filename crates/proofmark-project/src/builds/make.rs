//! One build, from a clean copy of its sources to its record.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use proofmark_capture::capture_until;
use proofmark_capture::outside::Touched;

use super::above::Copied;
use super::built::{Failure, FlagReport};
use super::fault::{Fault, because, which_image};
use super::job::Job;
use super::linked::{missing_in_link, of_the_link};
use super::observer::BuildObserver;
use super::plan::Workshop;
use super::reads::{Reads, Watched};
use super::record::{Record, Recorded, Slot};
use super::report::objects_of;
use super::together::Tried;
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
}

//! The builds that a matrix lacks, made in parallel, each once; and those made again that met
//! outside of their folders.

use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, File};
use std::sync::{Mutex, PoisonError};

use proofmark_capture::BuildError;
use rustix::fs::FlockOperation;

use super::built::BuiltCell;
use super::job::Job;
use super::observer::BuildObserver;
use super::plan::{BuildPlan, Workshop};
use super::reads;
use super::record::Record;
use super::together::met;
use crate::environment::cores;
use crate::sources;

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
        self.complete(plan, parallel, observer);
        // What builds read is known now.
        match self.settled(plan).filter(|_| !observer.stopped()) {
            None => Ok(self.standing(plan)),
            Some(plan) => {
                self.complete(&plan, parallel, observer);
                Ok(self.standing(&plan))
            }
        }
    }

    /// Makes the builds that a plan lacks.
    fn complete(&self, plan: &BuildPlan, parallel: Option<usize>, observer: &dyn BuildObserver) {
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
                observer.ends(&self.stands(plan, (job.cell, job.of), job.key, false));
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
                Some((planned.source.as_str(), key, self.kept(key)?))
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

    /// Removes what failed and killed builds left. Their folder is moved first: a process of a
    /// killed build that still runs in it moves with it, and does not write into the next copy.
    fn sweep(&self) {
        let work = self.places.all_work();
        let Some(folder) = work.parent() else { return };
        if let Ok(aside) = tempfile::TempDir::with_prefix_in("swept-", folder) {
            // The folder itself stays: cells that are measured see their own in its place.
            for copy in fs::read_dir(&work).into_iter().flatten().flatten() {
                let _ = fs::rename(copy.path(), aside.path().join(copy.file_name()));
            }
        }
        let left = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in left {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if [sources::PREFIX, reads::PREFIX]
                .iter()
                .any(|start| name.starts_with(start))
            {
                let own = [self.builds.folder(), folder];
                let _ = self.makers.left_by_killed(&entry.path(), &own);
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

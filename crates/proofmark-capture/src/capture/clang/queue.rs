//! Compilations that wait to be made once more.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, PoisonError};

use super::job::Job;

/// Compilations to be made a second time.
#[derive(Default)]
pub(super) struct Queue {
    jobs: Mutex<(VecDeque<Job>, bool)>,
    news: Condvar,
}

impl Queue {
    pub(super) fn give(&self, job: Job) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.0.push_back(job);
        self.news.notify_one();
    }

    /// No more will come; what waits is done only where it is needed.
    pub(super) fn end(&self, needed: bool) {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        jobs.1 = true;
        if !needed {
            jobs.0.clear();
        }
        self.news.notify_all();
    }

    pub(super) fn take(&self) -> Option<Job> {
        let mut jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(job) = jobs.0.pop_front() {
                return Some(job);
            }
            if jobs.1 {
                return None;
            }
            jobs = self.news.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

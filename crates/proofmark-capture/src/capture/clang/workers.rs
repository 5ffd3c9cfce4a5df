//! Threads that make waiting compilations once more, as many as there are cores.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, available_parallelism, spawn};

use super::again::{Made as Object, Variables, compile};
use super::job::Job;
use super::queue::Queue;
use crate::session::Session;

/// What a job came to, with the number of the compilation.
type Made = (usize, Object);

/// The threads, what waits for them, and what they have made.
pub(super) struct Workers {
    queue: Arc<Queue>,
    made: Arc<Mutex<Vec<Made>>>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    pub(super) fn start(session: &Session, variables: &Variables) -> Workers {
        let queue = Arc::new(Queue::default());
        let made: Arc<Mutex<Vec<Made>>> = Arc::default();
        let work = |_| {
            let (session, variables) = (session.clone(), variables.clone());
            let (queue, made) = (Arc::clone(&queue), Arc::clone(&made));
            spawn(move || {
                while let Some(job) = queue.take() {
                    let object = compile(&session, &variables, &job);
                    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
                    made.push((job.number, object));
                }
            })
        };
        let cores = available_parallelism().map_or(1, usize::from);
        let threads = (0..cores).map(work).collect();
        Workers {
            queue,
            made,
            threads,
        }
    }

    pub(super) fn give(&self, job: Job) {
        self.queue.give(job);
    }

    /// No more will come: waits for what is under way, and for what waits where that is needed.
    pub(super) fn end(self, needed: bool) -> Vec<Made> {
        self.queue.end(needed);
        for thread in self.threads {
            // One that fell over leaves its compilations without a second one, which is said of
            // them.
            let _ = thread.join();
        }
        std::mem::take(&mut *self.made.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

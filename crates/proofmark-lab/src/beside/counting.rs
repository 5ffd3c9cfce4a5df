//! Instructions of each build, counted exactly, on a thread of their own: while blocks are measured
//! where the program stands another run of itself beside it, and otherwise at the end. Where the
//! builds differ, each is counted once more: a program may vary by itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use proofmark_conclude::{Count, Counted, SAME_WORK, apart};
use proofmark_evidence::record::{Benchmark, Experiment};
use proofmark_measure::count::worth_trying;
use proofmark_measure::trace::{TraceLimits, trace};
use proofmark_measure::{Interrupt, Launch};
use proofmark_terms::BuildIndex;

use super::aside;
use crate::builds::Subject;
use crate::clock::now_ms;
use crate::command;
use crate::places::{Places, Staged, Take};
use crate::prepare::prepare;

/// How often it is looked whether a count is over, or the user stops.
const LOOK: Duration = Duration::from_millis(20);

/// A count, planned or under way.
pub(crate) struct Counting {
    plan: Option<Planned>,
    thread: Option<JoinHandle<Vec<Counted>>>,
    /// CPU time of a run, as far as known.
    run: Duration,
    /// Ends this count alone.
    end: Interrupt,
    /// The user's.
    stop: Interrupt,
}

/// An image that is to be counted.
pub(crate) struct ToCount {
    /// Which capture of which build it is.
    pub(crate) take: Take,
    /// Where it lies, if anywhere.
    pub(crate) image: Option<PathBuf>,
}

/// What is to be counted.
struct Planned {
    benchmark: Benchmark,
    images: Vec<ToCount>,
    /// So many images, one after the other, are held against each other.
    group: usize,
    places: Arc<Places>,
    /// Whether runs write into their trees.
    warm: bool,
    folder: PathBuf,
    core: Option<u32>,
}

impl Counting {
    /// Plans a count. The images are copied below `folder`, and run at their own places.
    pub(crate) fn plan(
        experiment: &Experiment,
        subjects: &[Subject],
        places: &Arc<Places>,
        folder: &Path,
        core: Option<u32>,
        stop: Interrupt,
    ) -> Self {
        let images = BuildIndex::each(subjects).map(|(build, subject)| ToCount {
            take: Take::first(build),
            image: subject.shipped().into_iter().next(),
        });
        Counting::of(experiment, images.collect(), places, folder, core, stop)
    }

    /// Plans a count of these images.
    pub(crate) fn of(
        experiment: &Experiment,
        images: Vec<ToCount>,
        places: &Arc<Places>,
        folder: &Path,
        core: Option<u32>,
        stop: Interrupt,
    ) -> Self {
        Counting {
            plan: Some(Planned {
                benchmark: experiment.benchmark.clone(),
                group: images.len().max(1),
                images,
                places: Arc::clone(places),
                warm: experiment.benchmark.warmup > 0,
                folder: folder.to_owned(),
                core,
            }),
            thread: None,
            run: Duration::ZERO,
            end: Interrupt::new(),
            stop,
        }
    }

    /// Images of such groups are held against each other, and not all against the first.
    pub(crate) fn in_groups_of(mut self, images: usize) -> Self {
        if let Some(plan) = &mut self.plan {
            plan.group = images;
        }
        self
    }

    /// How much CPU time a run takes: what cannot be counted in reasonable time is not tried.
    pub(crate) fn foresee(&mut self, run: Duration) {
        self.run = run;
    }

    /// Begins to count, once.
    pub(crate) fn start(&mut self) {
        if let Some(plan) = self.plan.take() {
            let (end, run) = (self.end.clone(), self.run);
            let thread = std::thread::Builder::new().name("instructions".to_owned());
            self.thread = thread.spawn(move || plan.carry_out(run, &end)).ok();
        }
    }

    /// The counts, when they are there; those that are not there at this time (milliseconds since
    /// 1970-01-01 UTC) are given up.
    pub(crate) fn wait(mut self, until_ms: Option<u64>) -> Vec<Counted> {
        self.start();
        let Some(thread) = self.thread.take() else {
            return Vec::new();
        };
        let mut in_time = true;
        while in_time && !thread.is_finished() && !self.stop.requested() {
            std::thread::sleep(LOOK);
            in_time = until_ms.is_none_or(|until| now_ms() < until);
        }
        self.end.request();
        let counted = thread.join().unwrap_or_default();
        let spent = |why: String| {
            if in_time {
                why
            } else {
                "the budget was spent before they were counted".to_owned()
            }
        };
        let each = counted.into_iter();
        each.map(|counted| counted.map_err(spent)).collect()
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.end.request();
        if let Some(thread) = self.thread.take() {
            // What it started is ended within a tenth of a second.
            let _ = thread.join();
        }
    }
}

impl Planned {
    fn carry_out(self, run: Duration, end: &Interrupt) -> Vec<Counted> {
        if let Err(why) = worth_trying(run) {
            return vec![Err(why.to_string()); self.images.len()];
        }
        aside(self.core);
        let Planned {
            benchmark,
            images,
            group,
            places,
            warm,
            folder,
            ..
        } = self;
        let mut all = Vec::new();
        for (number, ToCount { take, image }) in (10..).zip(images) {
            let staged = image.ok_or_else(|| "there is no image to count".to_owned());
            all.push(staged.and_then(|image| {
                let folder = folder.join(number.to_string());
                let staged = places.stage(take, &image, &folder);
                staged.map_err(|error| error.to_string())
            }));
        }
        let count = |staged: &Staged| count_one(&benchmark, staged, warm, end);
        let mut counted: Vec<Counted> = all
            .iter()
            .map(|staged| staged.as_ref().map_err(Clone::clone).and_then(count))
            .collect();
        for (counted, all) in counted.chunks_mut(group).zip(all.chunks(group)) {
            if !differ(counted) {
                continue;
            }
            for (first, staged) in counted.iter_mut().zip(all) {
                if let (Ok(first), Ok(staged)) = (first, staged) {
                    first.again = count(staged).ok().map(|second| second.instructions);
                }
            }
        }
        let _ = fs::remove_dir_all(&folder);
        counted
    }
}

/// Whether builds take another number of instructions than the first.
fn differ(counted: &[Counted]) -> bool {
    let mut counts = counted.iter().flatten().map(|count| count.instructions);
    let Some(first) = counts.next() else {
        return false;
    };
    counts.any(|count| apart(first, count) > SAME_WORK)
}

fn count_one(benchmark: &Benchmark, staged: &Staged, warm: bool, end: &Interrupt) -> Counted {
    prepare(benchmark).map_err(|error| error.to_string())?;
    if let Some(fresh) = &staged.fresh {
        fresh.renew().map_err(|error| error.to_string())?;
    }
    let launch = command::launch(benchmark, &staged.path, 0, None);
    let launch = Launch {
        view: staged.view.clone(),
        ..launch.map_err(|error| error.to_string())?
    };
    // What the first run makes in a fresh copy of a tree, the others find there.
    if warm {
        let limits = TraceLimits {
            time: launch.timeout,
            ..TraceLimits::default()
        };
        trace(&launch, &limits, end).map_err(|why| why.to_string())?;
    }
    proofmark_measure::count::instructions(&launch, end)
        .map(|count| Count {
            instructions: count.instructions,
            again: None,
            by: count.by,
        })
        .map_err(|unavailable| unavailable.to_string())
}

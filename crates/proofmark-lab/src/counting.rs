//! Instructions of each build, counted exactly, on a thread of their own while blocks are measured. Where
//! the builds differ, each is counted once more: a program may vary by itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use proofmark_evidence::record::{Benchmark, Experiment};
use proofmark_measure::{Launch, Stop};

use crate::aside::aside;
use crate::command;
use crate::conclude::{SAME_WORK, apart};
use crate::places::{Places, Staged};
use crate::request::Subject;
use crate::rig::{Count, Counted};

/// A count under way.
pub(crate) struct Counting {
    thread: JoinHandle<Vec<Counted>>,
}

impl Counting {
    /// Starts to count. The images are copied below `folder`, and run at their own places.
    pub(crate) fn start(
        experiment: &Experiment,
        subjects: &[Subject],
        places: &Arc<Places>,
        folder: &Path,
        core: Option<u32>,
        stop: Stop,
    ) -> Option<Self> {
        let benchmark = experiment.benchmark.clone();
        let images: Vec<Option<PathBuf>> = subjects
            .iter()
            .map(|subject| subject.shipped().into_iter().next())
            .collect();
        let places = Arc::clone(places);
        let folder = folder.to_owned();
        let count = move || {
            aside(core);
            let mut all = Vec::new();
            for (build, image) in images.into_iter().enumerate() {
                let staged = image.ok_or_else(|| "there is no image to count".to_owned());
                all.push(staged.and_then(|image| {
                    let folder = folder.join((10 + build).to_string());
                    let staged = places.stage((build, 0), &image, &folder);
                    staged.map_err(|error| error.to_string())
                }));
            }
            let count = |staged: &Staged| count_one(&benchmark, staged, &stop);
            let mut counted: Vec<Counted> = all
                .iter()
                .map(|staged| staged.as_ref().map_err(Clone::clone).and_then(count))
                .collect();
            if differ(&counted) {
                for (first, staged) in counted.iter_mut().zip(&all) {
                    if let (Ok(first), Ok(staged)) = (first, staged) {
                        first.again = count(staged).ok().map(|second| second.instructions);
                    }
                }
            }
            let _ = fs::remove_dir_all(&folder);
            counted
        };
        let thread = std::thread::Builder::new()
            .name("instructions".to_owned())
            .spawn(count)
            .ok()?;
        Some(Counting { thread })
    }

    /// The counts, when they are there.
    pub(crate) fn wait(self) -> Vec<Counted> {
        self.thread.join().unwrap_or_default()
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

fn count_one(benchmark: &Benchmark, staged: &Staged, stop: &Stop) -> Counted {
    let launch = command::launch(benchmark, &staged.path, 0, None);
    let launch = Launch {
        view: staged.view.clone(),
        ..launch.map_err(|error| error.to_string())?
    };
    proofmark_measure::count::instructions(&launch, stop)
        .map(|count| Count {
            instructions: count.instructions,
            again: None,
            by: count.by,
        })
        .map_err(|unavailable| unavailable.to_string())
}

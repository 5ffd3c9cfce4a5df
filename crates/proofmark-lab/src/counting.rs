//! Instructions of each build, counted once and exactly, on a thread of their own while blocks are measured.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use proofmark_evidence::record::Experiment;
use proofmark_measure::Stop;

use crate::aside::aside;
use crate::command;
use crate::request::Subject;
use crate::rig::Counted;

/// A count under way.
pub(crate) struct Counting {
    thread: JoinHandle<Vec<Counted>>,
}

impl Counting {
    /// Starts to count. The images are copied below `folder` under paths of one length: a longer path is more work.
    pub(crate) fn start(
        experiment: &Experiment,
        subjects: &[Subject],
        folder: &Path,
        core: Option<u32>,
        stop: Stop,
    ) -> Option<Self> {
        let benchmark = experiment.benchmark.clone();
        let images: Vec<Option<PathBuf>> = subjects
            .iter()
            .map(|subject| subject.shipped().into_iter().next())
            .collect();
        let name = subjects.first()?.file_name();
        let folder = folder.to_owned();
        let count = move || {
            aside(core);
            let mut counted = Vec::new();
            for (letter, image) in ('a'..='z').cycle().zip(images) {
                let place = folder.join(letter.to_string()).join(&name);
                counted.push(count_one(&benchmark, image.as_deref(), &place, &stop));
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

fn count_one(
    benchmark: &proofmark_evidence::record::Benchmark,
    image: Option<&Path>,
    place: &Path,
    stop: &Stop,
) -> Counted {
    let image = image.ok_or_else(|| "there is no image to count".to_owned())?;
    let copy = || {
        fs::create_dir_all(place.parent().unwrap_or(place))?;
        fs::copy(image, place)
    };
    copy().map_err(|error| format!("cannot copy the image: {error}"))?;
    let launch = command::launch(benchmark, place, 0, None).map_err(|error| error.to_string())?;
    proofmark_measure::count::instructions(&launch, stop)
        .map(|count| (count.instructions, count.by))
        .map_err(|unavailable| unavailable.to_string())
}

//! Whether an experiment can be measured again with images that came with its records, in place of
//! builds of its revisions.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{Build, BuildOrigin, Experiment};
use proofmark_terms::{CaptureId, Digest};

use crate::again::{DrawnAgain, Obstacle, of_benchmark, of_experiment, to_the_end};

/// What came with the records of an experiment.
#[derive(Clone, Copy)]
pub struct AtHand<'a> {
    /// Whether the image with this digest did.
    pub image: &'a dyn Fn(&Digest) -> bool,
    /// Whether this captured build did, with all that it is linked again from.
    pub capture: &'a dyn Fn(&CaptureId) -> bool,
}

const WITH_IMAGES: &str = "a bundle that has it, `proofmark bundle ID --images -o FILE`";

const WITH_OBJECTS: &str =
    "a bundle with what it is linked again from, `proofmark bundle ID --objects -o FILE`";

const OF_PROGRAMS: &str = "a comparison of programs that a command runs as it stands";

impl AtHand<'_> {
    /// Whether a build can be linked again.
    #[must_use]
    pub fn is_linked_again(&self, build: &Build) -> bool {
        let ids = captures(build);
        !ids.is_empty() && ids.iter().all(self.capture)
    }

    /// Whether all builds can be.
    #[must_use]
    pub fn are_linked_again(&self, experiment: &Experiment) -> bool {
        let mut builds = experiment.builds.iter();
        builds.all(|build| self.is_linked_again(build))
    }

    /// How placement is varied: as it was where all builds can be linked again, and not at all
    /// where one of them is there as shipped alone.
    #[must_use]
    pub fn drawn(&self, experiment: &Experiment) -> DrawnAgain {
        match self.are_linked_again(experiment) {
            true => DrawnAgain::of(&experiment.layouts),
            false => DrawnAgain::AsShipped,
        }
    }

    /// All that stands in the way; nothing where the experiment can be measured again with them.
    #[must_use]
    pub fn obstacles(&self, recorded: &Recorded) -> Vec<Obstacle> {
        let experiment = &to_the_end(recorded);
        let mut all = of_experiment(recorded);
        for build in &experiment.builds {
            if let Some((why, needed)) = self.of_build(build) {
                all.push(Obstacle {
                    what: build.name.clone(),
                    why,
                    needed,
                });
            }
        }
        let drawn = experiment.layouts.is_drawn();
        if drawn && !experiment.design.as_shipped && self.drawn(experiment) == DrawnAgain::AsShipped
        {
            all.push(Obstacle {
                what: "the experiment".to_owned(),
                why: "its images were not measured as shipped, and no more than those are here"
                    .to_owned(),
                needed: WITH_OBJECTS,
            });
        }
        all.extend(of_benchmark(&experiment.benchmark));
        all
    }

    fn of_build(&self, build: &Build) -> Option<(String, &'static str)> {
        if build.tree.is_some() {
            let why = "its runs read a folder of files that is not in the bundle";
            return Some((why.to_owned(), OF_PROGRAMS));
        }
        if build.run_as.is_some() {
            let why = "it is run in a way of its own";
            return Some((why.to_owned(), OF_PROGRAMS));
        }
        if self.is_linked_again(build) {
            return None;
        }
        if !(self.image)(&build.images.program.digest) {
            return Some(("its image is not in the bundle".to_owned(), WITH_IMAGES));
        }
        if !build.images.libraries.is_empty() {
            let why = "it has libraries of its own, and its capture alone says where they lie";
            return Some((why.to_owned(), WITH_OBJECTS));
        }
        if captures(build).len() > 1 {
            let why = "it was built several times, and one image of it does not stand for all";
            return Some((why.to_owned(), WITH_OBJECTS));
        }
        None
    }
}

fn captures(build: &Build) -> &[CaptureId] {
    match &build.origin {
        BuildOrigin::Captured { ids, .. } => ids,
        BuildOrigin::Executable { .. } => &[],
    }
}

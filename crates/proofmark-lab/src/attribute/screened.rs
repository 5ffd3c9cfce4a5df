//! The layouts of a recorded comparison, drawn again from their seeds and held against where the
//! functions in question started in them. Nothing is run or linked for it but what says that the
//! builds still make their files.

use std::path::Path;

use proofmark_conclude::{AnchoredLayout, Draws, anchored_layouts, screen_places};
use proofmark_evidence::Recorded;
use proofmark_evidence::record::{Drawing, HotFunction, LayoutControl, PlaceScreening};
use proofmark_layout::{Captured, Chosen, LayoutSet, Matching};
use proofmark_terms::{BuildIndex, Population};

use super::hot::Hot;
use crate::LabError;
use crate::builds::Subject;

/// A recorded comparison with the builds that it was of.
#[derive(Clone, Debug)]
pub struct RecordedComparison {
    /// What was recorded.
    pub recorded: Recorded,
    /// Its builds, in their order.
    pub subjects: Vec<Subject>,
    /// The build whose layouts are asked about.
    pub build: BuildIndex,
}

impl RecordedComparison {
    /// What its layouts say of these functions.
    ///
    /// # Errors
    ///
    /// When layouts were not varied, or not beside the build as shipped; when they cannot be drawn
    /// again.
    pub(super) fn screen(
        &self,
        hot: &Hot,
        (confidence, seed): (f64, u64),
        folder: &Path,
    ) -> Result<PlaceScreening, LabError> {
        let layouts = anchored_layouts(&self.recorded, self.build);
        let (how, population) = self.control()?;
        if layouts.is_empty() {
            return Err(self.refused(
                "has no layout of the build that ran beside the build as shipped",
                "compare them again without --skip as-shipped",
            ));
        }
        let (functions, starts) = self.starts(hot, &layouts, (how, population), folder)?;
        let drawn = (functions, starts);
        Ok(screen_places(
            &self.recorded,
            &layouts,
            drawn,
            (confidence, seed),
        )?)
    }

    /// How its layouts were drawn.
    fn control(&self) -> Result<(&Drawing, Population), LabError> {
        match &self.recorded.experiment.layouts {
            LayoutControl::Drawn {
                how: Drawing::Inside,
                ..
            } => Err(self.refused(
                "moved code within functions as well, which their starts do not tell of",
                "compare them again without --layouts inside",
            )),
            LayoutControl::Drawn { how, population } => Ok((how, *population)),
            LayoutControl::AsShipped { .. } => Err(self.refused(
                "did not vary the placement of its builds",
                "compare captured builds, without --layouts as-shipped",
            )),
        }
    }

    /// Of those functions that layouts move, where each started, layout by layout.
    fn starts(
        &self,
        hot: &Hot,
        layouts: &[AnchoredLayout],
        (how, population): (&Drawing, Population),
        folder: &Path,
    ) -> Result<(Vec<HotFunction>, Vec<Vec<u64>>), LabError> {
        let (matching, own) = match how {
            Drawing::Matched => (Matching::Matched, false),
            Drawing::Jittered | Drawing::Inside => (Matching::Jittered, false),
            Drawing::Independent { .. } => (Matching::Independent, true),
        };
        let lacking = || LabError::Fault("a comparison without its build".to_owned());
        let subject = self.build.of(&self.subjects).ok_or_else(lacking)?;
        if subject.links().map_or(0, <[_]>::len) > 1 {
            return Err(self.refused(
                "took turns among several captures of one build",
                "compare captures that were made without --repeat",
            ));
        }
        let members = if own {
            std::slice::from_ref(subject)
        } else {
            self.subjects.as_slice()
        };
        let place = if own { 0 } else { self.build.place() };
        let links = |subject: &Subject| subject.links().unwrap_or_default().to_vec();
        let links: Vec<_> = members.iter().map(links).collect();
        let captured: Vec<Captured<'_>> = links
            .iter()
            .flatten()
            .map(|link| link.for_layouts())
            .collect();
        let first = links.iter().take(place).map(Vec::len).sum();
        let set = LayoutSet::prepare(&captured, matching, population, folder)?;
        let chosen: Vec<Chosen> = hot.functions.iter().map(|one| one.0.clone()).collect();
        let mut starts = vec![Vec::with_capacity(layouts.len()); chosen.len()];
        for layout in layouts {
            let seed = if own {
                Draws::independent_seed(layout.seed, self.build)
            } else {
                layout.seed
            };
            for (starts, start) in starts.iter_mut().zip(set.starts(first, seed, &chosen)?) {
                starts.extend(start);
            }
        }
        let records = hot.functions.iter().map(|one| one.1.clone());
        let moved = records.zip(starts);
        Ok(moved
            .filter(|(_, starts)| starts.len() == layouts.len())
            .unzip())
    }

    fn refused(&self, why: &str, next: &str) -> LabError {
        let id = self.recorded.id.short();
        LabError::Refused(format!(
            "the comparison {id} {why}\n  next: {next}; or measure the build by itself, `proofmark \
             attribute BUILD -- {{}} …`"
        ))
    }
}

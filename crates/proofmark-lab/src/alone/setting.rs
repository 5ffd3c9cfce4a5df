//! One build made ready to be measured by itself.

use std::path::PathBuf;

use proofmark_capture::CapturedLink;
use proofmark_evidence::record::{Benchmark, Inputs};
use proofmark_measure::Interrupt;
use proofmark_terms::BuildIndex;

use super::bench::AloneBench;
use crate::LabError;
use crate::bench::BenchParts;
use crate::budget::Budget;
use crate::builds::held::{held, still_there};
use crate::builds::{Subject, refuse_special};
use crate::inputs::{self, Look, changed_since};
use crate::laboratory::{Laboratory, emptied};
use crate::observer::{Event, Observer};
use crate::places::{Original, Places, Take, libraries};
use crate::prepare::set_up;

/// A build held fast with its benchmark set up, and a folder to work in.
pub(crate) struct Setting<'a> {
    benchmark: &'a Benchmark,
    subjects: Vec<Subject>,
    original: Option<Original>,
    own: PathBuf,
    /// A folder of this experiment's own.
    pub(crate) work: PathBuf,
    pub(crate) stop: Interrupt,
}

impl<'a> Setting<'a> {
    /// Empties what was left, holds the build fast, and sets the benchmark up.
    ///
    /// # Errors
    ///
    /// When the build may not be measured, or the benchmark cannot be set up.
    pub(crate) fn new(
        laboratory: &Laboratory<'_>,
        subject: &Subject,
        benchmark: &'a Benchmark,
    ) -> Result<Setting<'a>, LabError> {
        let work = laboratory.folder.join("work");
        emptied(&work)?;
        let subjects = std::slice::from_ref(subject);
        refuse_special(subjects)?;
        let original = Original::of(benchmark, laboratory.folder)?;
        let subjects = held(subjects, &work.join("held"))?;
        set_up(benchmark)?;
        still_there(std::slice::from_ref(subject))?;
        libraries::check(&subjects, |_| benchmark)?;
        Ok(Setting {
            benchmark,
            subjects,
            original,
            own: laboratory.folder.to_owned(),
            work,
            stop: laboratory.stop.clone(),
        })
    }

    /// Where images run.
    ///
    /// # Errors
    ///
    /// When no core can be claimed.
    pub(crate) fn bench(&self) -> Result<AloneBench, LabError> {
        let parts = BenchParts::claim(self.work.join("run"), self.places()?, &self.stop)?;
        Ok(AloneBench::new(self.benchmark, parts, 0))
    }

    /// The file of the build as it was shipped.
    pub(crate) fn shipped(&self) -> Option<PathBuf> {
        self.subjects.first()?.shipped().into_iter().next()
    }

    /// What runs read, by a traced run.
    ///
    /// # Errors
    ///
    /// When the run fails.
    pub(crate) fn inputs(&self, budget: Budget) -> Result<Inputs, LabError> {
        let places = self.places()?;
        let staged = places.to_be_looked_at(&self.subjects, &self.work)?;
        let looks: Vec<Look<'_>> = staged
            .iter()
            .map(|staged| Look {
                benchmark: self.benchmark,
                image: &staged.path,
                view: staged.view.clone(),
                bound: places.covered(Take::first(BuildIndex::BASE)),
                original: self.original.as_ref(),
                tree: None,
                copies: places.copies(Take::first(BuildIndex::BASE)),
            })
            .collect();
        inputs::find(&looks, &self.subjects, &self.own, &self.stop, budget)
    }

    fn places(&self) -> Result<Places, LabError> {
        Places::of(&self.subjects, self.original.clone())
    }
}

/// Whether what runs read is as it was; where it is not, the experiment begins anew, and that is
/// said.
pub(crate) fn inputs_hold(inputs: &Inputs, blocks: usize, observer: &mut dyn Observer) -> bool {
    let changed = changed_since(inputs);
    if let Some(path) = &changed {
        observer.tell(&Event::Anew {
            path: &path.display(),
            blocks,
        });
    }
    changed.is_none()
}

/// The link that the images of a captured build are made of.
///
/// # Errors
///
/// When it was not captured.
pub(crate) fn link_of(subject: &Subject) -> Result<&CapturedLink, LabError> {
    let links = subject.links().ok_or_else(|| {
        LabError::Refused(format!(
            "{} is a file that was not captured: its functions cannot be moved\n  next: capture \
             the \
             build that makes it, `proofmark capture NAME -- BUILD…`",
            subject.name
        ))
    })?;
    links.first().ok_or_else(|| {
        LabError::Refused("a captured build without a link: capture it again".to_owned())
    })
}

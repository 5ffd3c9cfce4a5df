//! The first question: do the ends differ at all, and over layouts?

use proofmark_conclude::bisect::{EndsSay, ends_sign, of_ends};
use proofmark_evidence::record::{
    BisectAnswer, CertificateUse, Design, Drawing, EndsFound, LayoutControl, Question, StepOf,
    StepOutcome,
};

use super::course::Course;
use super::request::{Revisions, Role};
use super::same_work::same_work;
use crate::builds::{Alike, Subject, alike, cut_alike};
use crate::clock::now_ms;
use crate::error::LabError;
use crate::experiment::{LayoutChoice, Request, compare, run};

/// The ends as they are measured beside each commit.
pub(super) struct Ends {
    pub(super) older: Subject,
    pub(super) newer: Subject,
    /// 1 where the newer end's value is above the older's, −1 where it is below.
    pub(super) sign: f64,
    /// How the layouts of all steps are drawn.
    pub(super) layouts: LayoutChoice,
    pub(super) found: EndsFound,
}

/// What the ends say.
pub(super) enum Asked {
    /// There is something to look for.
    Differ(Box<Ends>),
    /// There is not.
    Not(BisectAnswer, Option<EndsFound>),
}

impl<R: Revisions> Course<'_, '_, R> {
    /// Builds both ends and compares them, or takes the comparison from the store.
    pub(super) fn ends(&mut self, design: &Design, as_shipped: bool) -> Result<Asked, R::Error> {
        let began_ms = now_ms();
        let older = self.revisions.build(&self.request.older, Role::Older)??;
        let newest = self.commit(self.request.commits.len().saturating_sub(1))?;
        let newer = self.revisions.build(&newest, Role::Newer)??;
        if matches!(alike(&older, &newer), Some(Alike::Bytes | Alike::Loaded)) {
            return Ok(Asked::Not(BisectAnswer::SameProgram, None));
        }
        self.rebuilt = self.builds_again(&self.request.older, &older)?;
        let experiment = match self.ends_step() {
            Some(StepOutcome::Compared { experiment, .. }) => experiment.clone(),
            _ => {
                let level = self.next_level()?;
                let request = Request {
                    question: Question::Compare,
                    subjects: cut_alike(vec![older.clone(), newer.clone()]),
                    design: Design {
                        confidence: 1.0 - level,
                        certificate: CertificateUse::Never,
                        as_shipped: true,
                        ..design.clone()
                    },
                    ..self.request_of(Vec::new(), self.request.layouts)?
                };
                // As shipped is what the files are, however layouts explain it.
                let experiment = if as_shipped {
                    run(self.laboratory, &request, self.observer)?
                } else {
                    compare(self.laboratory, request, self.observer)?
                };
                let outcome = StepOutcome::Compared {
                    experiment: experiment.clone(),
                    level,
                };
                self.came(StepOf::Ends, outcome, began_ms)?;
                experiment
            }
        };
        let recorded = self.laboratory.store.load(experiment.as_str());
        let recorded = recorded.map_err(LabError::from)?;
        if !as_shipped {
            same_work(&recorded)?;
        }
        let (found, say) = of_ends(&recorded, as_shipped).map_err(LabError::from)?;
        Ok(match say {
            EndsSay::Differ => Asked::Differ(Box::new(Ends {
                older,
                newer,
                sign: ends_sign(&found.interval),
                layouts: layouts(&recorded.experiment.layouts, as_shipped),
                found,
            })),
            EndsSay::Not(answer) => Asked::Not(answer, Some(found)),
        })
    }
}

/// How the layouts of all steps are drawn: as those of the ends were, so that every step is over
/// one population.
pub(super) fn layouts(of_ends: &LayoutControl, as_shipped: bool) -> LayoutChoice {
    match of_ends {
        _ if as_shipped => LayoutChoice::AsShipped,
        LayoutControl::AsShipped { .. } => LayoutChoice::AsShipped,
        LayoutControl::Drawn { how, .. } => match how {
            Drawing::Matched => LayoutChoice::Matched,
            Drawing::Jittered => LayoutChoice::Jittered,
            Drawing::Inside => LayoutChoice::Inside,
            Drawing::Independent { .. } => LayoutChoice::Independent,
        },
    }
}

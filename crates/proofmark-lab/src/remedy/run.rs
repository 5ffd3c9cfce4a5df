//! All remedies, from a request to two comparisons in the store.

use proofmark_capture::{Capture, CapturedLink};
use proofmark_conclude::explain::best_remedy;
use proofmark_evidence::ExperimentId;
use proofmark_evidence::record::{CertificateUse, Design, Question};
use proofmark_terms::{BuildIndex, Population};

use super::hot::hot;
use super::made::{Made, Outcome, Tried, made};
use super::request::RemediesRequest;
use crate::builds::{Source, Subject};
use crate::error::LabError;
use crate::experiment::{LayoutChoice, Request, run};
use crate::laboratory::Laboratory;
use crate::observer::{Event, Observer};

/// Remedies that were tried.
#[derive(Clone, Debug)]
pub struct RemediesRun {
    /// How many functions are hot.
    pub hot: usize,
    /// Each remedy.
    pub tried: Vec<Tried>,
    /// The comparison of all that could be measured; its base is the build as it was. None where
    /// none could.
    pub comparison: Option<ExperimentId>,
    /// The one that helps most, by its place in that comparison, and the comparison in which it was
    /// measured afresh. None where none helps.
    pub afresh: Option<(BuildIndex, ExperimentId)>,
}

/// Makes remedies for a build, compares them with it, and measures the best one afresh.
///
/// # Errors
///
/// When it is not known which functions are hot, the build was captured several times or not at
/// all, or measuring stops for what is not the matter of one remedy.
pub fn run_remedies(
    laboratory: &mut Laboratory<'_>,
    request: &RemediesRequest<'_>,
    observer: &mut dyn Observer,
) -> Result<RemediesRun, LabError> {
    let hot = hot(&request.explanation, request.build)?;
    let (capture, link) = captured(request)?;
    observer.tell(&Event::Preparing("remedies"));
    let mut found = RemediesRun {
        hot: hot.len(),
        tried: made(request, (&capture, link), &hot)?,
        comparison: None,
        afresh: None,
    };
    found.comparison = compared(laboratory, request, &mut found.tried, observer)?;
    let Some(id) = &found.comparison else {
        return Ok(found);
    };
    let recorded = laboratory.store.load(id.as_str())?;
    let best = best_remedy(&recorded);
    let chosen = best.and_then(|build| all_made(&mut found.tried).find(|one| one.build == build));
    if let Some(chosen) = chosen {
        let subjects = vec![request.subject.clone(), chosen.subject.clone()];
        let build = chosen.build;
        let again = Request {
            // What chose it is no evidence for it.
            resume: false,
            ..comparison(request, subjects)
        };
        found.afresh = Some((build, run(laboratory, &again, observer)?));
    }
    Ok(found)
}

/// The captured build that remedies are made from.
fn captured<'a>(request: &'a RemediesRequest<'_>) -> Result<(Capture, &'a CapturedLink), LabError> {
    let name = &request.subject.name;
    let refused = |why: &str| {
        LabError::Refused(format!(
            "there are no remedies for {name}: {why}\n  next: capture it once, `proofmark capture \
             NAME -- BUILD…`"
        ))
    };
    let Source::Captured { ids, links, .. } = &request.subject.source else {
        return Err(refused("it was not captured, and cannot be linked again"));
    };
    let ([id], [link]) = (ids.as_slice(), links.as_slice()) else {
        return Err(refused("it is made of several captures"));
    };
    Ok((request.builds.find(id.as_str())?, link))
}

/// Holds all that were made against the build as it was. One that breaks is taken out, and the
/// others go on without it.
fn compared(
    laboratory: &mut Laboratory<'_>,
    request: &RemediesRequest<'_>,
    tried: &mut [Tried],
    observer: &mut dyn Observer,
) -> Result<Option<ExperimentId>, LabError> {
    loop {
        let mut subjects = vec![request.subject.clone()];
        for made in all_made(tried) {
            made.build = BuildIndex(u32::try_from(subjects.len()).unwrap_or(u32::MAX));
            subjects.push(made.subject.clone());
        }
        if subjects.len() == 1 {
            return Ok(None);
        }
        match run(laboratory, &comparison(request, subjects), observer) {
            Ok(id) => return Ok(Some(id)),
            Err(LabError::OfBuild { build, cause }) if build != BuildIndex::BASE => {
                let why = cause.to_string();
                let of_it = |one: &&mut Tried| matches!(&one.outcome, Outcome::Compared(made) if made.build == build);
                match tried.iter_mut().find(of_it) {
                    Some(one) => one.outcome = Outcome::Broke { why },
                    None => return Err(LabError::OfBuild { build, cause }),
                }
            }
            Err(error) => return Err(error),
        }
    }
}

fn all_made(tried: &mut [Tried]) -> impl Iterator<Item = &mut Made> {
    tried.iter_mut().filter_map(|one| match &mut one.outcome {
        Outcome::Compared(made) => Some(&mut **made),
        Outcome::NotMade { .. } | Outcome::Broke { .. } => None,
    })
}

/// The request of a comparison in which each build keeps its own order and alignment. Matched
/// layouts would give all of them the same, and a shuffled order would undo them.
fn comparison(request: &RemediesRequest<'_>, subjects: Vec<Subject>) -> Request {
    Request {
        question: Question::Compare,
        subjects,
        benchmark: request.benchmark.clone(),
        design: Design {
            as_shipped: true,
            certificate: CertificateUse::Never,
            ..request.design.clone()
        },
        layouts: LayoutChoice::Independent,
        population: Population::Pad,
        seed: None,
        resume: request.resume,
        counted: request.counted,
        expectations: None,
    }
}

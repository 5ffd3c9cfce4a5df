//! Remedies as their view shows them.

use proofmark_code::demangle;
use proofmark_evidence::Recorded;
use proofmark_lab::{Outcome, RemediesRun, Remedy};
use proofmark_report::remedies;

/// Remedies that were tried on the build of this name, with their comparisons and where the file to
/// keep was written.
pub(crate) fn remedies(
    of: &str,
    run: &RemediesRun,
    comparison: Option<Recorded>,
    (afresh, written): (Option<Recorded>, Option<String>),
) -> remedies::Remedies {
    let tried = run.tried.iter().map(|tried| remedies::Tried {
        remedy: match tried.remedy {
            Remedy::Together => remedies::Remedy::Together,
            Remedy::Aligned(bytes) => remedies::Remedy::Aligned(bytes),
        },
        outcome: outcome(&tried.outcome),
    });
    let chosen = run.afresh.as_ref().zip(afresh);
    remedies::Remedies {
        of: of.to_owned(),
        hot: run.hot as u64,
        tried: tried.collect(),
        comparison,
        afresh: chosen.map(|((build, _), comparison)| remedies::Afresh {
            build: *build,
            comparison,
            written,
        }),
    }
}

fn outcome(outcome: &Outcome) -> remedies::Outcome {
    match outcome {
        Outcome::NotMade { why } => remedies::Outcome::NotMade(why.clone()),
        Outcome::Broke { why } => remedies::Outcome::Broke(why.clone()),
        Outcome::Compared(made) => {
            let left = made.left.iter();
            remedies::Outcome::Compared(Box::new(remedies::Made {
                name: made.subject.name.clone(),
                build: made.build,
                functions: made.functions as u64,
                left: left
                    .map(|(symbol, why)| (demangle(symbol), (*why).to_owned()))
                    .collect(),
                keep: made.kept.how.clone(),
                text_bytes: made.text_bytes,
            }))
        }
    }
}

//! What the error budget said of an idea.

use proofmark_evidence::record::{LedgerIdea, LedgerRun, LedgerTest, TestOutcome};

/// What the error budget said of an idea of a run.
pub(crate) fn tested(run: &LedgerRun, test: &LedgerTest) -> String {
    match test.outcome {
        TestOutcome::Asked {
            number,
            level,
            found,
        } => {
            let answer = if found {
                "found to be better"
            } else {
                "not found to be better"
            };
            format!(
                "{answer}: question {number}, p = {} at level {}",
                chance(test.p_value),
                chance(level)
            )
        }
        TestOutcome::KnownBefore => {
            "found by an earlier run; asked again it spends and earns nothing".to_owned()
        }
        TestOutcome::AnsweredBefore { number } => format!(
            "not found to be better: question {number}, and the same blocks answer no other"
        ),
        TestOutcome::SameAs { idea } => {
            let name = idea_of(run, idea).map_or("?", |idea| idea.name.as_str());
            format!("the same change as {name}, and one question of the budget with it")
        }
    }
}

/// An idea of a run, by its place.
pub(crate) fn idea_of(run: &LedgerRun, place: u32) -> Option<&LedgerIdea> {
    run.asked.ideas.get(usize::try_from(place).ok()?)
}

/// A probability in few digits.
pub(super) fn chance(of: f64) -> String {
    match of {
        0.0 => "0".to_owned(),
        of if of >= 0.01 => format!("{of:.2}"),
        of => format!("{of:.1e}"),
    }
}

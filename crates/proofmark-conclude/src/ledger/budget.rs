//! The error budget of a ledger as its entries left it, and the questions of one more run.

use proofmark_evidence::MatrixId;
use proofmark_evidence::record::{
    LedgerAsked, LedgerEntry, LedgerEvent, LedgerRun, LedgerTest, TestOutcome,
};
use proofmark_stats::ledger::ErrorBudget;
use proofmark_terms::Digest;

use crate::error::ConcludeError;

/// The budget after these entries. Their levels are not read: they follow from the chances.
///
/// # Errors
///
/// When the rate is none.
pub fn budget_of(rate: f64, entries: &[LedgerEntry]) -> Result<ErrorBudget, ConcludeError> {
    let budget = ErrorBudget::new(rate);
    let mut budget = budget.map_err(|error| ConcludeError::Design(error.to_string()))?;
    for run in runs(entries) {
        let asked = run.tests.iter();
        let asked = asked.filter(|test| matches!(test.outcome, TestOutcome::Asked { .. }));
        let chances: Vec<f64> = asked.map(|test| test.p_value).collect();
        budget.ask(&chances);
    }
    Ok(budget)
}

/// The questions of one more run: one for each idea with a chance, in the order of the ideas. One
/// change is one question, whatever its names.
pub(super) fn tests(
    mut budget: ErrorBudget,
    asked: &LedgerAsked,
    chances: &[Option<f64>],
    earlier: &[LedgerEntry],
    matrix: &MatrixId,
) -> Vec<LedgerTest> {
    let known: Vec<&Digest> = runs(earlier).flat_map(found).collect();
    let ideas = (0..).zip(&asked.ideas).zip(chances);
    let with_chance: Vec<(u32, Option<&Digest>, f64)> = ideas
        .filter_map(|((place, idea), chance)| Some((place, idea.change.as_ref(), (*chance)?)))
        .collect();
    let mut new: Vec<(u32, Option<&Digest>, f64)> = Vec::new();
    let mut outcomes: Vec<Option<TestOutcome>> = Vec::new();
    for &(place, change, chance) in &with_chance {
        let outcome = change.and_then(|change| {
            if known.contains(&change) {
                return Some(TestOutcome::KnownBefore);
            }
            if let Some(number) = answered_before(change, earlier, matrix) {
                return Some(TestOutcome::AnsweredBefore { number });
            }
            let mut asked = new.iter();
            let twin = asked.find(|(_, of, _)| *of == Some(change));
            twin.map(|&(idea, ..)| TestOutcome::SameAs { idea })
        });
        if outcome.is_none() {
            new.push((place, change, chance));
        }
        outcomes.push(outcome);
    }
    let chances: Vec<f64> = new.iter().map(|(.., chance)| *chance).collect();
    let mut answers = budget.ask(&chances).into_iter();
    let mut answered = || {
        answers.next().map(|answer| TestOutcome::Asked {
            number: answer.number,
            level: answer.level,
            found: answer.found,
        })
    };
    let tests = with_chance.into_iter().zip(outcomes);
    tests
        .filter_map(|((idea, _, p_value), outcome)| {
            Some(LedgerTest {
                idea,
                p_value,
                outcome: outcome.or_else(&mut answered)?,
            })
        })
        .collect()
}

/// The question that the blocks of a matrix answered of a change.
fn answered_before(change: &Digest, earlier: &[LedgerEntry], matrix: &MatrixId) -> Option<u32> {
    let mut runs = runs(earlier).filter(|run| run.matrix == *matrix);
    runs.find_map(|run| {
        run.tests.iter().find_map(|test| {
            let idea = run.asked.ideas.get(usize::try_from(test.idea).ok()?)?;
            match test.outcome {
                TestOutcome::Asked { number, .. } if idea.change.as_ref() == Some(change) => {
                    Some(number)
                }
                _ => None,
            }
        })
    })
}

fn runs(entries: &[LedgerEntry]) -> impl Iterator<Item = &LedgerRun> {
    entries.iter().filter_map(|entry| match &entry.of {
        LedgerEvent::Measured { run } => Some(&**run),
        _ => None,
    })
}

/// What a run found.
fn found(run: &LedgerRun) -> impl Iterator<Item = &Digest> {
    let is_found =
        |test: &&LedgerTest| matches!(test.outcome, TestOutcome::Asked { found: true, .. });
    let found = run.tests.iter().filter(is_found);
    found.filter_map(|test| {
        let place = usize::try_from(test.idea).ok()?;
        run.asked.ideas.get(place)?.change.as_ref()
    })
}

#[cfg(test)]
mod tests {
    use proofmark_evidence::record::LedgerIdea;

    use super::*;

    fn change(of: &str) -> Digest {
        blake3::hash(of.as_bytes()).into()
    }

    fn asked(changes: &[Option<&str>]) -> LedgerAsked {
        let ideas = changes.iter().zip(0..).map(|(of, place)| LedgerIdea {
            name: format!("idea {place}"),
            hypothesis: None,
            on: Vec::new(),
            expected: None,
            change: of.map(change),
            with: place,
            against: 0,
        });
        LedgerAsked {
            builds: Vec::new(),
            benchmarks: Vec::new(),
            groups: Vec::new(),
            ideas: ideas.collect(),
            stacks: Vec::new(),
        }
    }

    fn matrix(of: &str) -> MatrixId {
        serde_json::from_value(of.repeat(32).into()).unwrap()
    }

    fn entry(asked: LedgerAsked, tests: Vec<LedgerTest>) -> LedgerEntry {
        LedgerEntry {
            index: 0,
            at_ms: 0,
            of: LedgerEvent::Measured {
                run: Box::new(LedgerRun {
                    matrix: matrix("5e"),
                    confidence: 0.95,
                    asked,
                    figures: Vec::new(),
                    guards: Vec::new(),
                    out: Vec::new(),
                    tests,
                    warnings: Vec::new(),
                }),
            },
        }
    }

    #[test]
    fn one_change_is_one_question_whatever_its_names() {
        let first = asked(&[Some("gain"), Some("none"), Some("gain"), None]);
        let chances = [Some(1e-9), Some(0.7), Some(1e-9), Some(0.5)];
        let budget = || ErrorBudget::new(0.05).unwrap();
        let came = tests(budget(), &first, &chances, &[], &matrix("5e"));
        let number = |test: &LedgerTest| match test.outcome {
            TestOutcome::Asked { number, .. } => Some(number),
            _ => None,
        };
        let numbers: Vec<_> = came.iter().map(number).collect();
        assert_eq!(numbers, [Some(1), Some(2), None, Some(3)]);
        assert_eq!(came[2].outcome, TestOutcome::SameAs { idea: 0 });
        assert!(matches!(
            came[0].outcome,
            TestOutcome::Asked { found: true, .. }
        ));

        // Later: what was found is not asked by its new place, what was not found is.
        let earlier = [entry(first, came)];
        let after = budget_of(0.05, &earlier).unwrap();
        let later = asked(&[Some("other"), Some("gain"), Some("none")]);
        let came = tests(after, &later, &[Some(0.2); 3], &earlier, &matrix("5f"));
        assert_eq!(came[1].outcome, TestOutcome::KnownBefore);
        let numbers: Vec<_> = came.iter().map(number).collect();
        assert_eq!(numbers, [Some(4), None, Some(5)]);
        // The chance is each idea's own.
        assert_eq!(came[2].p_value, 0.2);

        // The blocks of before have had their look.
        let after = budget_of(0.05, &earlier).unwrap();
        let came = tests(after, &later, &[Some(0.2); 3], &earlier, &matrix("5e"));
        assert_eq!(number(&came[0]), Some(4));
        assert_eq!(came[1].outcome, TestOutcome::KnownBefore);
        assert_eq!(came[2].outcome, TestOutcome::AnsweredBefore { number: 2 });
    }
}

//! The error budget of a ledger as its entries left it, and the questions of one more run.

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

/// The questions of one more run: one for each idea with a chance, in the order of the ideas.
pub(super) fn tests(
    mut budget: ErrorBudget,
    asked: &LedgerAsked,
    chances: &[Option<f64>],
    earlier: &[LedgerEntry],
) -> Vec<LedgerTest> {
    let known: Vec<&Digest> = runs(earlier).flat_map(found).collect();
    let ideas = asked.ideas.iter().zip(chances).zip(0..);
    let with_chance: Vec<(u32, f64, bool)> = ideas
        .filter_map(|((idea, chance), place)| {
            Some((place, (*chance)?, known.contains(&&idea.change)))
        })
        .collect();
    let new = with_chance.iter().filter(|(.., known)| !known);
    let new: Vec<f64> = new.map(|(_, chance, _)| *chance).collect();
    let mut answers = budget.ask(&new).into_iter();
    let test = |(idea, p_value, known): (u32, f64, bool)| {
        let answer = if known { None } else { answers.next() };
        LedgerTest {
            idea,
            p_value,
            outcome: answer.map_or(TestOutcome::KnownBefore, |answer| TestOutcome::Asked {
                number: answer.number,
                level: answer.level,
                found: answer.found,
            }),
        }
    };
    with_chance.into_iter().map(test).collect()
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
        Some(&run.asked.ideas.get(place)?.change)
    })
}

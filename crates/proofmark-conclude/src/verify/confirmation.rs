//! A claim that was measured afresh, held against the matrix that it was measured in.

use proofmark_evidence::record::{
    LedgerClaim, LedgerEntry, LedgerEvent, LedgerFigure, Stop, benchmark_name, is_in_suite,
};
use proofmark_terms::Holds;

use super::numbers::is_same_text;
use crate::ledger::{confirmed, judged};
use crate::{ConcludeError, MatrixEvidence, better};

/// What a measurement says of a claim.
#[derive(serde::Serialize)]
pub(super) struct Confirmation {
    /// `None` where no earlier entry has one of this index.
    claim: Option<LedgerClaim>,
    found: Option<LedgerFigure>,
    holds: Option<Holds>,
    reached: bool,
}

impl Confirmation {
    /// As an entry says it. `None` where it confirms nothing.
    pub(super) fn said(event: &LedgerEvent, earlier: &[LedgerEntry]) -> Option<Self> {
        let LedgerEvent::Confirmed {
            claim,
            found,
            holds,
            reached,
            ..
        } = event
        else {
            return None;
        };
        Some(Confirmation {
            claim: claimed(*claim, earlier).map(|(_, claim)| claim.clone()),
            found: Some(*found),
            holds: Some(*holds),
            reached: *reached,
        })
    }

    /// As the matrix says it, which ended by `stop`.
    pub(super) fn found(
        event: &LedgerEvent,
        earlier: &[LedgerEntry],
        evidence: &MatrixEvidence<'_>,
        stop: Option<Stop>,
    ) -> Result<Self, ConcludeError> {
        let wrong = |why: &str| ConcludeError::Design(why.to_owned());
        let LedgerEvent::Confirmed { claim, .. } = event else {
            return Err(wrong("it confirms nothing"));
        };
        let (entry, claim) = claimed(*claim, earlier)
            .ok_or_else(|| wrong("a confirmation is of a claim that was not made before it"))?;
        let blocks = evidence.members.iter().flat_map(|member| member.blocks);
        let began = blocks.map(|block| block.began_ms);
        let began = began.chain([evidence.run.began_ms]).min();
        if began.is_some_and(|began| entry.at_ms > began) {
            return Err(wrong(
                "a claim was written down after its measurement had begun",
            ));
        }
        if !is_held_against_its_base(&evidence.run.cells) {
            return Err(wrong(
                "a claim was measured against another build than the one that it is about",
            ));
        }
        let first = evidence.members.first();
        let experiment = &first
            .ok_or_else(|| wrong("a confirmation has no benchmark"))?
            .experiment;
        let found = confirmed(evidence)?;
        let better = better(&experiment.benchmark.metric);
        let measured = measured(claim, evidence);
        Ok(Confirmation {
            holds: found.map(|found| judged(&measured, &found, better)),
            claim: Some(measured),
            found,
            reached: stop == Some(Stop::Precise),
        })
    }
}

/// Whether an idea is beside base, or beside what it stands on, which is called by it.
fn is_held_against_its_base(cells: &[String]) -> bool {
    let [base, idea] = cells else { return false };
    is_same_text(base, "base") || is_same_text(base, &format!("{idea} without it"))
}

/// The claim of this index, and its entry.
fn claimed(index: u32, entries: &[LedgerEntry]) -> Option<(&LedgerEntry, &LedgerClaim)> {
    entries.iter().find_map(|entry| match &entry.of {
        LedgerEvent::Claimed { claim } if entry.index == index => Some((entry, claim)),
        _ => None,
    })
}

/// A claim as what was measured says it: its gain and what it is about are the claim's own.
fn measured(claim: &LedgerClaim, evidence: &MatrixEvidence<'_>) -> LedgerClaim {
    let run = evidence.run;
    let all = || {
        let members = run.members.iter();
        members.map(|member| (member.benchmark.as_str(), member.size.as_ref()))
    };
    let benchmarks = all().filter(|(name, size)| is_in_suite(name, *size, all()));
    let benchmarks = benchmarks.map(|(name, size)| benchmark_name(name, size));
    let benchmarks: Vec<String> = benchmarks.collect();
    let named = benchmarks.iter().zip(&claim.benchmarks);
    let alike = benchmarks.len() == claim.benchmarks.len()
        && named
            .into_iter()
            .all(|(one, other)| is_same_text(one, other));
    let idea = run.cells.get(1).cloned().unwrap_or_default();
    let mut measured = LedgerClaim {
        idea: match is_same_text(&idea, &claim.idea) {
            true => claim.idea.clone(),
            false => idea,
        },
        benchmarks: match alike {
            true => claim.benchmarks.clone(),
            false => benchmarks,
        },
        ..claim.clone()
    };
    if let Some(member) = evidence.members.first() {
        let experiment = member.experiment;
        measured.seed = experiment.seed.to_string();
        measured.margin = experiment.design.margin;
        measured.precision = experiment.design.precision.unwrap_or(f64::NAN);
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_is_held_against_base_or_what_its_idea_stands_on() {
        let held = |cells: &[&str]| {
            let cells: Vec<String> = cells.iter().map(|&cell| cell.to_owned()).collect();
            is_held_against_its_base(&cells)
        };
        assert!(held(&["base", "a"]) && held(&["a without it", "a"]));
        for cells in [
            &["slow", "a"][..],
            &["b without it", "a"],
            &["a"],
            &["base", "a", "b"],
        ] {
            assert!(!held(cells), "{cells:?}");
        }
    }
}

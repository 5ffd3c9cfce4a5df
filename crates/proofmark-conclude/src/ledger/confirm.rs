//! What a claim that was measured afresh came to, and what was known of it before.

use proofmark_evidence::record::{
    Asked, FigureOf, FigureOver, FirstFigure, LedgerClaim, LedgerEntry, LedgerEvent, LedgerFigure,
    LedgerRun,
};
use proofmark_stats::AtLeast;
use proofmark_terms::{Better, CellIndex, Digest, Holds};

use crate::error::ConcludeError;
use crate::matrix::{MatrixEvidence, Sheet};

/// The second cell of a matrix ÷ the first, over its suite: the interval of its stopping rule.
/// `None` where there are too few blocks for one, or where one of both is out of a benchmark: a
/// claim is about all of its benchmarks.
///
/// # Errors
///
/// When a block is damaged, or the design is one for which no interval exists.
pub fn confirmed(evidence: &MatrixEvidence<'_>) -> Result<Option<LedgerFigure>, ConcludeError> {
    let nothing_more = Asked::default();
    let sheet = Sheet::new(evidence.run, &nothing_more, &evidence.members)?;
    if evidence.members.iter().any(|member| !member.out.is_empty()) {
        return Ok(None);
    }
    let effect = sheet.suite_effect(CellIndex(1), CellIndex(0));
    Ok(effect.map(|effect| LedgerFigure {
        interval: effect.interval,
        blocks: effect.blocks,
        range: None,
    }))
}

/// What was found of a change when it was last measured in a run of these entries.
#[must_use]
pub fn first_figure(entries: &[LedgerEntry], change: &Digest) -> Option<FirstFigure> {
    entries.iter().rev().find_map(|entry| {
        let LedgerEvent::Measured { run } = &entry.of else {
            return None;
        };
        Some(FirstFigure {
            entry: entry.index,
            figure: figure(run, change)?,
            among: u32::try_from(run.asked.ideas.len()).unwrap_or(u32::MAX),
        })
    })
}

/// The figure of an idea alone, or that of a whole stack, over all benchmarks.
fn figure(run: &LedgerRun, change: &Digest) -> Option<LedgerFigure> {
    let mut ideas = (0..).zip(&run.asked.ideas);
    let mut stacks = (0..).zip(&run.asked.stacks);
    let alone = ideas.find(|(_, idea)| idea.change.as_ref() == Some(change));
    let whole = stacks.find(|(_, stack)| stack.change.as_ref() == Some(change));
    let of = alone
        .map(|(idea, _)| FigureOf::Alone { idea })
        .or_else(|| whole.map(|(stack, _)| FigureOf::Whole { stack }))?;
    let figure = |of: FigureOf| {
        let mut figures = run.figures.iter();
        figures.find(|one| one.of == of && matches!(one.over, FigureOver::Suite { .. }))
    };
    // Base runs on all of them.
    let (found, base) = (figure(of)?, figure(FigureOf::Null)?);
    (found.over == base.over).then_some(found.figure)
}

/// What a figure says of a claim. `better` is the metric's.
#[must_use]
pub fn judged(claim: &LedgerClaim, figure: &LedgerFigure, better: Better) -> Holds {
    let claim = AtLeast {
        gain: claim.at_least,
        better,
        margin: claim.margin,
    };
    claim.judge(&figure.interval)
}

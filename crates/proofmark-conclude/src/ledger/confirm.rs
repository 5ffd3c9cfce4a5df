//! What a claim that was measured afresh came to.

use proofmark_evidence::record::{Asked, LedgerClaim, LedgerFigure};
use proofmark_stats::AtLeast;
use proofmark_terms::{Better, CellIndex, Holds};

use crate::error::ConcludeError;
use crate::matrix::{MatrixEvidence, Sheet};

/// The second cell of a matrix ÷ the first, over its suite: the interval of its stopping rule.
/// `None` where there are too few blocks for one.
///
/// # Errors
///
/// When a block is damaged, or the design is one for which no interval exists.
pub fn confirmed(evidence: &MatrixEvidence<'_>) -> Result<Option<LedgerFigure>, ConcludeError> {
    let nothing_more = Asked::default();
    let sheet = Sheet::new(evidence.run, &nothing_more, &evidence.members)?;
    let effect = sheet.suite_effect(CellIndex(1), CellIndex(0));
    Ok(effect.map(|effect| LedgerFigure {
        interval: effect.interval,
        blocks: effect.blocks,
        range: None,
    }))
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

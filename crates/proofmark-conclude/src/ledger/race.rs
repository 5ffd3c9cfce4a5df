//! What a race among ideas came to: pure, from recorded blocks to who stays.

use proofmark_evidence::MatrixId;
use proofmark_evidence::record::{Asked, LedgerFigure, LedgerRace, LedgerRunner};
use proofmark_terms::{CellIndex, MemberIndex};

use crate::error::ConcludeError;
use crate::matrix::{MatrixEvidence, Sheet};

/// Draws the conclusion of a race. `ideas` have the name, the cell, and why there is none; base is
/// the first cell of the matrix, and base again the second.
///
/// # Errors
///
/// When a block is damaged, or the design is one for which no interval exists.
pub fn conclude_race(
    evidence: &MatrixEvidence<'_>,
    matrix: MatrixId,
    ideas: Vec<(String, Option<CellIndex>, Option<String>)>,
) -> Result<LedgerRace, ConcludeError> {
    let asked = Asked {
        race: ideas.iter().filter_map(|(_, cell, _)| *cell).collect(),
        ..Asked::default()
    };
    let sheet = Sheet::new(evidence.run, &asked, &evidence.members)?;
    let in_race = sheet.in_race();
    let all = sheet.about(&[]);
    let figure = |cell: CellIndex| {
        let effect = sheet.suite_effect(cell, CellIndex(0))?;
        (effect.over.len() == all.len()).then_some(LedgerFigure {
            interval: effect.interval,
            blocks: effect.blocks,
            range: None,
        })
    };
    let failed = |cell: CellIndex| {
        let members = MemberIndex::each(&evidence.members);
        let mut out = members.filter_map(|(_, member)| member.out.get(&cell.build()));
        out.next().cloned()
    };
    let runners = ideas.into_iter().map(|(idea, cell, why)| {
        let blocks = cell.map_or(0, |cell| sheet.suite(&all, cell, CellIndex(0)).len());
        LedgerRunner {
            idea,
            blocks: u32::try_from(blocks).unwrap_or(u32::MAX),
            stays: cell.is_some_and(|cell| in_race.contains(&cell)),
            figure: cell.and_then(figure),
            why: why.or_else(|| cell.and_then(failed)),
        }
    });
    Ok(LedgerRace {
        matrix,
        confidence: sheet.design.confidence,
        runners: runners.collect(),
        null: figure(CellIndex(1)),
    })
}

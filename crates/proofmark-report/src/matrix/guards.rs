//! Guards in words: which cells are worse on them than they may be.

use proofmark_evidence::record::{JudgedGuard, Out};
use proofmark_terms::{CellIndex, Holds, MemberIndex};

use super::MatrixView;
use super::claims::ClaimLine;
use crate::number::{interval, setting};
use crate::style::Tone;
use crate::text::printable;
use crate::wording::comparatives;

/// Each guard: what it asks, and which cells keep it.
pub(crate) fn lines(matrix: &MatrixView<'_>) -> Vec<ClaimLine> {
    let guarded = |member: MemberIndex| {
        let judged = matrix.conclusion.guards.iter();
        let judged: Vec<&JudgedGuard> = judged.filter(|one| one.member == member).collect();
        (!judged.is_empty()).then(|| line(matrix, member, &judged))
    };
    matrix.members().filter_map(guarded).flatten().collect()
}

fn line(
    matrix: &MatrixView<'_>,
    member: MemberIndex,
    judged: &[&JudgedGuard],
) -> Option<ClaimLine> {
    let guard = matrix.guard(&member.of(&matrix.run.members)?.benchmark)?;
    let main = matrix.run.baselines.first().copied()?;
    let mut unbuilt = matrix.conclusion.asked.unbuilt.iter();
    let unbuilt = unbuilt.find(|cell| cell.main);
    let [_, worse] = comparatives(matrix.metric(member));
    let cells = |holds: Holds, name: &dyn Fn(CellIndex) -> String| -> String {
        let all = judged.iter().filter(|one| one.holds == holds);
        let names: Vec<String> = all.map(|one| name(one.cell)).collect();
        names.join(", ")
    };
    let figure = |cell: CellIndex| {
        let name = matrix.cell(cell);
        let out = &matrix.conclusion.out;
        let is_out = |one: &Out| {
            let of = one.member.of(&matrix.run.members);
            one.cell == cell && of.is_some_and(|of| of.benchmark == guard.benchmark)
        };
        let effect = matrix.effect(member, cell, main);
        match effect.filter(|_| !out.iter().any(is_out)) {
            Some(one) => format!("{name} {}", interval(&one.interval)),
            None => format!("{name} (out of it)"),
        }
    };
    let parts = [
        ("broken by", cells(Holds::No, &figure)),
        match unbuilt {
            Some(_) => (
                "not known of",
                cells(Holds::Open, &|cell| matrix.cell(cell)),
            ),
            None => ("not known of", cells(Holds::Open, &figure)),
        },
        ("kept by", cells(Holds::Yes, &|cell| matrix.cell(cell))),
    ];
    let tone = match () {
        () if !parts[0].1.is_empty() => Tone::Worse,
        () if !parts[1].1.is_empty() => Tone::Open,
        () => Tone::Better,
    };
    let said = parts.iter().filter(|(_, cells)| !cells.is_empty());
    let said: Vec<String> = said
        .map(|(word, cells)| format!("{word} {cells}"))
        .collect();
    Some(ClaimLine {
        claim: format!(
            "guard {}: at most {} {worse} than {}",
            matrix.member(member),
            setting(guard.most),
            unbuilt.map_or_else(
                || matrix.cell(main),
                |cell| format!("{}, which has no build", printable(&cell.cell))
            )
        ),
        said: said.join("; "),
        tone,
    })
}

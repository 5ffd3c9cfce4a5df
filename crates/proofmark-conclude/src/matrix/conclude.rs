//! What the blocks of a matrix say: pure, from recorded blocks to a conclusion.

use proofmark_evidence::record::{
    Asked, Block, CellCode, Comparison, Conclusion, Instructions, MatrixConclusion, MemberEffect,
    Out, Stop, SuiteEffect, SumsApart, Warning, benchmark_name,
};
use proofmark_stats::{blocks_needed, check, median, spread};
use proofmark_terms::{CellIndex, MemberIndex};

use super::evidence::{MatrixEvidence, MemberEvidence};
use super::outlier::outliers;
use super::sheet::Sheet;
use crate::error::ConcludeError;
use crate::few_digits::told;
use crate::rule::decided_after;
use crate::sums::sums;
use crate::wall_time::wall_time_apart;
use crate::warnings::{assumption, of_setup};

/// What a matrix ended with beside its blocks.
#[derive(Clone, Debug)]
pub struct Ended {
    /// Why measuring stopped.
    pub stop: Stop,
    /// What the machine code of each cell holds; empty where nothing was asked of it.
    pub code: Vec<CellCode>,
    /// What a reader must know of the machine and the images.
    pub remarks: Vec<Warning>,
}

/// Draws the conclusion, against the baselines that the run names.
///
/// # Errors
///
/// When a block is damaged, or the design is one for which no interval exists.
pub fn conclude_matrix(
    matrix: &MatrixEvidence<'_>,
    asked: &Asked,
    ended: Ended,
) -> Result<MatrixConclusion, ConcludeError> {
    let MatrixEvidence { run, members } = matrix;
    let sheet = Sheet::new(run, asked, members)?;
    let pairs = sheet.pairs();
    let suite: Vec<SuiteEffect> = pairs
        .iter()
        .filter_map(|&(cell, base)| sheet.suite_effect(cell, base))
        .collect();
    let effects = MemberIndex::all(members.len())
        .flat_map(|member| pairs.iter().map(move |&(cell, base)| (member, cell, base)))
        .filter_map(|(member, cell, base)| sheet.member_effect(member, cell, base));
    let (lines, scale) = sheet.scales(&run.baselines)?;
    Ok(MatrixConclusion {
        asked: asked.clone(),
        blocks: members.iter().map(MemberEvidence::count).max().unwrap_or(0),
        stop: ended.stop,
        confidence: sheet.design.confidence,
        effects: effects.collect(),
        out: out(members),
        claims: sheet.claims(),
        guards: sheet.guards(),
        outliers: outliers(run, &suite, sheet.design.margin, &|over| sheet.better(over)),
        lines,
        scale,
        code: ended.code,
        warnings: warnings(&sheet, members, ended.remarks),
        took_ms: members
            .iter()
            .map(|state| took_ms(state.blocks))
            .fold(0, u64::saturating_add),
        suite,
    })
}

/// Adds what the blocks say of all cells against one more, at the confidence of the single
/// intervals of the table. Nothing that was concluded changes: claims and odd baselines are judged
/// once, when a matrix is measured, against the baselines that it was asked for.
///
/// # Errors
///
/// When a block is damaged, or the design is one for which no interval exists.
pub fn against_cell(
    matrix: &MatrixEvidence<'_>,
    mut conclusion: MatrixConclusion,
    baseline: CellIndex,
) -> Result<MatrixConclusion, ConcludeError> {
    let MatrixEvidence { run, members } = matrix;
    if run.baselines.contains(&baseline) {
        return Ok(conclusion);
    }
    let sheet = Sheet::new(run, &conclusion.asked, members)?;
    let others = CellIndex::all(run.cells.len()).filter(|&cell| cell != baseline);
    let suite = others
        .clone()
        .filter_map(|cell| sheet.suite_effect(cell, baseline));
    let effects = MemberIndex::all(members.len())
        .flat_map(|member| others.clone().map(move |cell| (member, cell)))
        .filter_map(|(member, cell)| sheet.member_effect(member, cell, baseline));
    conclusion.suite.extend(suite);
    conclusion.effects.extend(effects);
    conclusion.scale.extend(sheet.scales(&[baseline])?.1);
    Ok(conclusion)
}

impl Sheet<'_> {
    pub(crate) fn suite_effect(&self, cell: CellIndex, baseline: CellIndex) -> Option<SuiteEffect> {
        let over = self.over(cell, baseline);
        let effects = self.suite(&over, cell, baseline);
        let rule = self.rule(&self.levels.suite, &over, cell, baseline);
        let look = rule.look(&effects)?;
        Some(SuiteEffect {
            cell,
            baseline,
            blocks: u32::try_from(effects.len()).unwrap_or(u32::MAX),
            over,
            interval: look.interval,
            verdict: look.verdict,
            blocks_needed: blocks_needed(&effects, &rule).filter(|_| !look.verdict.is_decided()),
        })
    }

    fn member_effect(
        &self,
        member: MemberIndex,
        cell: CellIndex,
        baseline: CellIndex,
    ) -> Option<MemberEffect> {
        let effects = self.effects(member, cell, baseline);
        let rule = self.rule(&self.levels.member, &[member], cell, baseline);
        let look = rule.look(&effects)?;
        Some(MemberEffect {
            member,
            cell,
            baseline,
            blocks: u32::try_from(effects.len()).unwrap_or(u32::MAX),
            interval: look.interval,
            median: median(&effects)?,
            spread: spread(&effects)?,
            verdict: look.verdict,
            decided_after: decided_after(&rule, &effects),
            widening: rule.widening_after(effects.len()),
            blocks_needed: blocks_needed(&effects, &rule).filter(|_| !look.verdict.is_decided()),
        })
    }
}

/// The cells that are out of a benchmark.
pub(crate) fn out(members: &[MemberEvidence<'_>]) -> Vec<Out> {
    MemberIndex::each(members)
        .flat_map(|(member, state)| {
            state.out.iter().map(move |(&build, why)| Out {
                member,
                cell: build.into(),
                why: why.clone(),
            })
        })
        .collect()
}

fn warnings(
    sheet: &Sheet<'_>,
    members: &[MemberEvidence<'_>],
    remarks: Vec<Warning>,
) -> Vec<Warning> {
    let of_members = of_members(sheet, members).into_iter();
    let mut all: Vec<Warning> = of_members.map(|(_, warning)| warning).collect();
    for (cell, base) in sheet.pairs() {
        let effects = sheet.suite(&sheet.over(cell, base), cell, base);
        let name = |cell: CellIndex| cell.of(&sheet.run.cells).map_or("?", String::as_str);
        let pair = format!("{} against {}", name(cell), name(base));
        all.extend(
            check(&effects)
                .into_iter()
                .map(|doubt| assumption(&pair, doubt)),
        );
    }
    all.extend(remarks);
    let mut seen = Vec::new();
    all.retain(|warning| {
        let new = !seen.contains(warning);
        if new {
            seen.push(warning.clone());
        }
        new
    });
    all
}

/// What there is to know of each member, from its pilot and from its blocks.
fn of_members(sheet: &Sheet<'_>, members: &[MemberEvidence<'_>]) -> Vec<(MemberIndex, Warning)> {
    let of_setup = |(member, state): (MemberIndex, &MemberEvidence<'_>)| {
        let warnings = state.pilot.map(|pilot| of_setup(state.experiment, pilot));
        warnings
            .into_iter()
            .flatten()
            .map(move |warning| (member, warning))
    };
    let mut all: Vec<_> = MemberIndex::each(members).flat_map(of_setup).collect();
    for (cell, base) in sheet.pairs() {
        all.extend(of_numbers(sheet, members, cell, base));
    }
    all
}

/// The members that each warning of a matrix is about, in the order of its warnings: none where it
/// is about all of the matrix, or about what was seen while measuring.
///
/// # Errors
///
/// When a block is damaged, or the design is one for which no interval exists.
pub fn members_warned_of(
    matrix: &MatrixEvidence<'_>,
    conclusion: &MatrixConclusion,
) -> Result<Vec<Vec<MemberIndex>>, ConcludeError> {
    let sheet = Sheet::new(matrix.run, &conclusion.asked, &matrix.members)?;
    let all = of_members(&sheet, &matrix.members);
    let about = |warning: &Warning| {
        let equal = all.iter().filter(|(_, one)| one == warning);
        let mut about: Vec<MemberIndex> = equal.map(|(member, _)| *member).collect();
        about.sort_unstable();
        about.dedup();
        about
    };
    Ok(conclusion.warnings.iter().map(about).collect())
}

/// Benchmarks that print too few digits for the margin, wait for what CPU time does not show, or
/// have runs of two kinds.
fn of_numbers(
    sheet: &Sheet<'_>,
    members: &[MemberEvidence<'_>],
    cell: CellIndex,
    base: CellIndex,
) -> Vec<(MemberIndex, Warning)> {
    let [new, beside] = [cell, base].map(CellIndex::build);
    let among = sheet.pairs().len() * members.len();
    let benchmark = |member: MemberIndex| {
        let member = &sheet.run.members[member.place()];
        benchmark_name(&member.benchmark, member.size.as_ref())
    };
    let of = |(member, state): (MemberIndex, &MemberEvidence<'_>)| {
        let unseen = sheet.unseen(member, cell, base);
        let digits = unseen.and_then(|unseen| told(state.experiment, new, beside, unseen));
        let waits = wall_time_apart(state.experiment, [new, beside], state.blocks);
        let both = sheet.meet(member, cell, base);
        let sums = state.pilot.filter(|_| both).and_then(|pilot| {
            let blocks = (state.blocks, among);
            sums(state.experiment, pilot, [new, beside], blocks)
        });
        let sums = sums.map(|found| {
            Warning::SumsApart(SumsApart {
                benchmark: Some(benchmark(member)),
                beside: base.of(&sheet.run.cells).cloned(),
                ..found
            })
        });
        let found = [digits, waits.filter(|_| both), sums].into_iter().flatten();
        found.map(move |warning| (member, warning))
    };
    MemberIndex::each(members).flat_map(of).collect()
}

fn took_ms(blocks: &[Block]) -> u64 {
    blocks
        .iter()
        .map(|block| block.took_ms)
        .fold(0, u64::saturating_add)
}

/// What one experiment of a matrix says by itself: each cell against the main baseline, with the
/// intervals of the matrix. `warned` is what [`members_warned_of`] says: warnings about other members
/// alone are none of this one's.
pub fn of_member(
    conclusion: &MatrixConclusion,
    warned: &[Vec<MemberIndex>],
    member: MemberIndex,
    state: &MemberEvidence<'_>,
) -> Conclusion {
    let warnings = conclusion.warnings.iter().zip(warned);
    let warnings = warnings.filter(|(_, about)| about.is_empty() || about.contains(&member));
    Conclusion {
        blocks: state.count(),
        stop: conclusion.stop,
        comparisons: comparisons(conclusion, member, CellIndex(0)),
        code: Vec::new(),
        certificate: None,
        warnings: (warnings.map(|(warning, _)| warning.clone())).collect(),
        took_ms: took_ms(state.blocks),
    }
}

/// Each cell against one baseline on one benchmark, with the intervals of the matrix.
#[must_use]
pub fn comparisons(
    conclusion: &MatrixConclusion,
    member: MemberIndex,
    baseline: CellIndex,
) -> Vec<Comparison> {
    conclusion
        .effects
        .iter()
        .filter(|effect| effect.member == member && effect.baseline == baseline)
        .map(|effect| Comparison {
            build: effect.cell.build(),
            interval: effect.interval,
            median: effect.median,
            spread: effect.spread,
            verdict: effect.verdict,
            decided_after: effect.decided_after,
            blocks_needed: effect.blocks_needed,
            widening: effect.widening,
            a_run: None,
            slicing: None,
            as_shipped: None,
            layout_alone: None,
            layout_spread: None,
            instructions: Instructions::Unavailable {
                reason: "not counted in a matrix".to_owned(),
            },
            drawn: None,
        })
        .collect()
}

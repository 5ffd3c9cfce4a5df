//! What one run of a ledger found: pure, from recorded blocks to its figures.

use proofmark_evidence::MatrixId;
use proofmark_evidence::record::{
    Asked, FigureOf, FigureOver, Guard, LedgerAsked, LedgerEntry, LedgerFigure, LedgerFigureOf,
    LedgerGuard, LedgerIdea, LedgerRun, MatrixRun, Warning,
};
use proofmark_stats::AtMost;
use proofmark_stats::ledger::{chance_of_no_gain, together};
use proofmark_terms::{Better, MemberIndex};

use super::budget::{budget_of, tests};
use super::contrast::Contrast;
use crate::error::ConcludeError;
use crate::matrix::{MatrixEvidence, Sheet, out};

/// Draws the conclusion of a run whose builds were measured in the blocks of one matrix. `earlier`
/// are the entries of the ledger before it, `rate` is what it promises, and `warnings` are those of
/// the matrix.
///
/// # Errors
///
/// When a block is damaged, or the design is one for which no interval exists.
pub fn conclude_run(
    evidence: &MatrixEvidence<'_>,
    matrix: MatrixId,
    asked: LedgerAsked,
    earlier: &[LedgerEntry],
    rate: f64,
    warnings: Vec<Warning>,
) -> Result<LedgerRun, ConcludeError> {
    let guards = Asked {
        guards: guards(evidence.run, &asked),
        ..Asked::default()
    };
    let sheet = Sheet::new(evidence.run, &guards, &evidence.members)?;
    let page = Page {
        confidence: sheet.design.confidence,
        sheet: &sheet,
        asked: &asked,
    };
    let mut figures = Vec::new();
    let contrasts = contrasts(&asked);
    for overs in page.families() {
        let together = overs.len() * contrasts.len();
        for over in overs {
            let found = contrasts.iter().filter_map(|&(of, contrast)| {
                let (figure, over) = page.figure(contrast, over, together)?;
                Some(LedgerFigureOf { of, over, figure })
            });
            figures.extend(found);
        }
    }
    let chances: Vec<Option<f64>> = (0..)
        .zip(&asked.ideas)
        .map(|(idea, of)| {
            let contrast = Contrast::of(FigureOf::Alone { idea }, &asked)?;
            let did_nothing = in_doubt(&asked, of, &warnings);
            page.chance(contrast).filter(|_| !did_nothing)
        })
        .collect();
    let tests = tests(
        budget_of(rate, earlier)?,
        &asked,
        &chances,
        earlier,
        &matrix,
    );
    Ok(LedgerRun {
        matrix,
        confidence: sheet.design.confidence,
        guards: page.guarded(&contrasts, &figures),
        figures,
        out: out(&evidence.members),
        tests,
        asked,
        warnings,
    })
}

/// Whether nobody knows that the build with an idea, or the one that it is held against, did the
/// work: what does nothing is fast.
fn in_doubt(asked: &LedgerAsked, idea: &LedgerIdea, warnings: &[Warning]) -> bool {
    let names = [idea.with, idea.against].map(|build| {
        let build = usize::try_from(build).ok();
        let build = build.and_then(|build| asked.builds.get(build));
        build.map(|build| build.name.as_str())
    });
    warnings.iter().any(|warning| match warning {
        Warning::WorkInDoubt(doubt) => names.contains(&Some(&doubt.build)),
        _ => false,
    })
}

/// The guards of a run, by the names of benchmarks without their sizes.
fn guards(run: &MatrixRun, asked: &LedgerAsked) -> Vec<Guard> {
    let members = run.members.iter().zip(&asked.benchmarks);
    let guards = members.filter_map(|(member, one)| {
        Some(Guard {
            benchmark: member.benchmark.clone(),
            most: one.guard?,
        })
    });
    guards.collect()
}

/// All figures of which the builds are there.
fn contrasts(asked: &LedgerAsked) -> Vec<(FigureOf, Contrast)> {
    let mut all = vec![FigureOf::Null];
    all.extend(
        (0..)
            .zip(&asked.ideas)
            .map(|(idea, _)| FigureOf::Alone { idea }),
    );
    for (stack, of) in (0..).zip(&asked.stacks) {
        all.push(FigureOf::Whole { stack });
        for (place, _) in (0..).zip(&of.places) {
            all.extend([
                FigureOf::Added { stack, place },
                FigureOf::LeftOut { stack, place },
                FigureOf::Interaction { stack, place },
            ]);
        }
    }
    let made = all.into_iter();
    made.filter_map(|of| Some((of, Contrast::of(of, asked)?)))
        .collect()
}

struct Page<'a> {
    sheet: &'a Sheet<'a>,
    asked: &'a LedgerAsked,
    confidence: f64,
}

impl Page<'_> {
    /// What figures are over; those of one family hold together.
    fn families(&self) -> [Vec<FigureOver>; 3] {
        let groups = (0..).zip(&self.asked.groups);
        let groups = groups.map(|(group, _)| FigureOver::Group {
            group,
            benchmarks: 0,
        });
        let members = MemberIndex::all(self.sheet.run.members.len());
        [
            vec![FigureOver::Suite { benchmarks: 0 }],
            groups.collect(),
            members
                .map(|member| FigureOver::Member { member })
                .collect(),
        ]
    }

    fn members(&self, over: FigureOver) -> Vec<MemberIndex> {
        match over {
            FigureOver::Suite { .. } => self.sheet.about(&[]),
            FigureOver::Member { member } => vec![member],
            FigureOver::Group { group, .. } => {
                let place = usize::try_from(group).unwrap_or(usize::MAX);
                let named = self.asked.groups.get(place);
                named.map_or_else(Vec::new, |group| self.sheet.about(&group.benchmarks))
            }
        }
    }

    /// One figure, and over how many benchmarks it is.
    fn figure(
        &self,
        contrast: Contrast,
        over: FigureOver,
        figures: usize,
    ) -> Option<(LedgerFigure, FigureOver)> {
        let all = self.members(over);
        // Whoever is out of a benchmark, all figures of a table are one way round.
        let way = self.sheet.better(&all);
        let members = contrast.over(self.sheet, all);
        let values = contrast.values(self.sheet, &members, way);
        let widening = contrast.widening(self.sheet, &members, values.len());
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let benchmarks = count(members.len());
        let figure = LedgerFigure {
            interval: together(&values, self.confidence, figures, widening)?,
            blocks: count(values.len()),
            range: self.range(contrast, &members, way),
        };
        let over = match over {
            FigureOver::Suite { .. } => FigureOver::Suite { benchmarks },
            FigureOver::Group { group, .. } => FigureOver::Group { group, benchmarks },
            FigureOver::Member { .. } => over,
        };
        Some((figure, over))
    }

    /// What the figures of ideas alone and of whole stacks say of guards, each by its interval
    /// among those of single benchmarks. What is out of a guard has no figure, and has broken it.
    fn guarded(
        &self,
        contrasts: &[(FigureOf, Contrast)],
        figures: &[LedgerFigureOf],
    ) -> Vec<LedgerGuard> {
        let members = MemberIndex::all(self.sheet.run.members.len());
        let guards =
            members.filter_map(|member| Some((member, self.sheet.guard_of_suite(member)?)));
        let judged = guards.flat_map(|(member, guard)| {
            let judge = AtMost {
                loss: guard.most,
                better: self.sheet.better(&[member]),
            };
            let is_judged =
                |of: FigureOf| matches!(of, FigureOf::Alone { .. } | FigureOf::Whole { .. });
            let contrasts = contrasts.iter().filter(move |(of, _)| is_judged(*of));
            contrasts.map(move |&(of, contrast)| {
                let over = FigureOver::Member { member };
                let figure = figures.iter().find(|one| one.of == of && one.over == over);
                let holds = match figure {
                    Some(one) => judge.judge(&one.figure.interval),
                    None => contrast.without_figure(self.sheet, member),
                };
                LedgerGuard { of, member, holds }
            })
        });
        judged.collect()
    }

    /// The smallest and the largest mean among several benchmarks, the same way round as theirs.
    fn range(&self, contrast: Contrast, members: &[MemberIndex], way: Better) -> Option<[f64; 2]> {
        if members.len() < 2 {
            return None;
        }
        let mean = |member: &MemberIndex| {
            let values = contrast.values(self.sheet, std::slice::from_ref(member), way);
            values.iter().sum::<f64>() / values.len().max(1) as f64
        };
        let means: Vec<f64> = members.iter().map(mean).collect();
        let least = means.iter().copied().fold(f64::INFINITY, f64::min);
        let most = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some([least, most])
    }

    /// How often a useless idea would look as good on the suite. `None` where it was not measured,
    /// or is out of a benchmark: what fails or prints something else is no gain, however fast.
    fn chance(&self, contrast: Contrast) -> Option<f64> {
        let base = self.asked.builds.first().and_then(|base| base.cell)?;
        let mut all = self.sheet.about(&[]);
        all.retain(|&member| !self.sheet.is_out(member, base));
        // What fails on a guard is no gain either.
        let mut sizes: Vec<MemberIndex> = MemberIndex::all(self.sheet.run.members.len()).collect();
        sizes.retain(|&member| !self.sheet.is_out(member, base));
        if contrast.over(self.sheet, sizes.clone()).len() < sizes.len() {
            return None;
        }
        let members = contrast.over(self.sheet, all);
        let better = self.sheet.better(&members);
        let values = contrast.values(self.sheet, &members, better);
        let widening = contrast.widening(self.sheet, &members, values.len());
        (values.len() > 1).then(|| chance_of_no_gain(&values, better, widening))
    }
}

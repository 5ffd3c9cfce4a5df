//! What the blocks of an experiment say: pure, from recorded blocks to a conclusion.

use proofmark_evidence::record::{
    ArmRef, AsShipped, Block, Comparison, Conclusion, Experiment, Instructions, Pilot, ShiftBound,
    Slicing, Stop, Warning, WorkChange,
};
use proofmark_stats::{
    Interval, Rule, Verdict, better_than, blocks_needed, mean_shift, median, spread,
};
use proofmark_terms::BuildIndex;

use crate::a_run::a_run;
use crate::apart::apart as shipped_apart;
use crate::arms::{main_arm, others};
use crate::certificate::{certificate, missed};
use crate::count::{Counted, SAME_WORK, apart};
use crate::effects::{Shifts, effects, shifts};
use crate::error::ConcludeError;
use crate::few_digits::unseen_by_block;
use crate::measured::Measured;
use crate::placement::{alone, spread as layout_spread};
use crate::rule::{better, decided_after, looks, rule, sum_by_block};
use crate::warnings::{distorted, warnings};

/// Where one comparison stands; `None` before the fewest blocks.
pub type SoFar = Option<(Interval, Verdict)>;

/// Counts of two builds that are no more than this many times as far apart as two counts of one
/// image say nothing: two counts tell a program's own variation only roughly. Where counts vary
/// normally, equal builds are beyond it in 4 of 100 cases.
pub(crate) const BEYOND_OWN: f64 = 3.0;

/// The stopping rule of each comparison of an experiment, in the order of the builds but the base,
/// by what its blocks tell of slices and of rounding.
///
/// # Errors
///
/// When the design is one for which no interval exists, or as [`effects`].
pub fn rules(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
) -> Result<Vec<Rule>, ConcludeError> {
    let design = &experiment.design;
    let comparisons = u32::try_from(experiment.builds.len().saturating_sub(1).max(1));
    let comparisons = comparisons.unwrap_or(u32::MAX);
    let looks = looks(design, comparisons)?;
    others(experiment)
        .map(|build| {
            let shifts = shifts(experiment, pilot, build, blocks)?;
            let sliced = shifts.map(|shifts| shifts.widening(design.margin));
            let unseen = unseen_by_block(experiment, pilot, build, blocks);
            Ok(rule(
                looks.clone(),
                design,
                better(&experiment.benchmark.metric),
                sum_by_block(sliced.unwrap_or_default(), &unseen),
            ))
        })
        .collect()
}

/// Where each comparison stands.
///
/// # Errors
///
/// As [`effects`].
pub fn standings(
    experiment: &Experiment,
    pilot: &Pilot,
    rules: &[Rule],
    blocks: &[Block],
) -> Result<Vec<SoFar>, ConcludeError> {
    let base = main_arm(experiment, BuildIndex::BASE);
    others(experiment)
        .zip(rules)
        .map(|(build, rule)| {
            let new = main_arm(experiment, build);
            let effects = effects(blocks, new, base, pilot.schedule)?;
            Ok(rule
                .look(&effects)
                .map(|look| (look.interval, look.verdict)))
        })
        .collect()
}

/// Draws the conclusion.
///
/// # Errors
///
/// When there are fewer blocks than the design's fewest, or as [`effects`].
pub fn conclude(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
    counted: &[Counted],
    stop: Stop,
    took_ms: u64,
) -> Result<Conclusion, ConcludeError> {
    let rules = rules(experiment, pilot, blocks)?;
    let measured = Measured {
        experiment,
        pilot,
        blocks,
    };
    let comparisons = others(experiment)
        .zip(&rules)
        .map(|(build, rule)| compare(&measured, build, rule, counted))
        .collect::<Result<Vec<Comparison>, ConcludeError>>()?;
    let certificate = certificate(experiment, pilot, &rules, blocks)?;
    let apart = shipped_apart(&measured, &comparisons);
    let mut found: Vec<Warning> = apart.into_iter().map(|(_, warning)| warning).collect();
    found.extend(warnings(experiment, pilot, blocks)?);
    let mut warnings = found;
    warnings.extend(distorted(experiment, pilot, blocks)?);
    warnings.extend(missed(experiment, pilot, certificate.as_ref()));
    Ok(Conclusion {
        blocks: u32::try_from(blocks.len()).unwrap_or(u32::MAX),
        stop,
        warnings,
        comparisons,
        code: Vec::new(),
        certificate,
        took_ms,
    })
}

/// One build against the base.
fn compare(
    measured: &Measured<'_>,
    build: BuildIndex,
    rule: &Rule,
    counted: &[Counted],
) -> Result<Comparison, ConcludeError> {
    let &Measured {
        experiment,
        pilot,
        blocks,
    } = measured;
    let effects = measured.effects(
        main_arm(experiment, build),
        main_arm(experiment, BuildIndex::BASE),
    )?;
    let few = || ConcludeError::TooFew {
        blocks: blocks.len(),
        what: "interval",
        fewest: rule.looks().min(),
    };
    let look = rule.look(&effects).ok_or_else(few)?;
    let undecided = !look.verdict.is_decided();
    Ok(Comparison {
        build,
        interval: look.interval,
        median: median(&effects).unwrap_or_default(),
        spread: spread(&effects).unwrap_or_default(),
        verdict: look.verdict,
        decided_after: decided_after(rule, &effects),
        blocks_needed: if undecided {
            blocks_needed(&effects, rule)
        } else {
            None
        },
        widening: rule.widening_after(effects.len()),
        slicing: shifts(experiment, pilot, build, blocks)?.and_then(|shifts| slicing(&shifts)),
        a_run: a_run(
            blocks,
            [build, BuildIndex::BASE].map(|build| main_arm(experiment, build)),
            pilot.schedule,
        ),
        as_shipped: as_shipped(measured, build, rule)?,
        layout_alone: alone(measured, build),
        layout_spread: layout_spread(measured, build, rule.looks()),
        instructions: work(pilot, counted, build),
        drawn: None,
    })
}

/// What slices did to an effect, in all blocks.
fn slicing(shifts: &Shifts) -> Option<Slicing> {
    let bound = |differences: &[f64]| {
        mean_shift(differences).map(|shift| ShiftBound {
            estimate: shift.estimate,
            half_width: shift.half_width,
        })
    };
    Some(Slicing {
        short: bound(&shifts.short)?,
        whole: bound(&shifts.whole)?,
        alone: bound(&shifts.alone),
    })
}

/// The builds' own images, where they were measured beside the drawn ones.
fn as_shipped(
    measured: &Measured<'_>,
    build: BuildIndex,
    rule: &Rule,
) -> Result<Option<AsShipped>, ConcludeError> {
    let experiment = measured.experiment;
    if !experiment.design.as_shipped || !experiment.layouts.is_drawn() {
        return Ok(None);
    }
    let effects_shipped = measured.effects(
        ArmRef::AsShipped { build },
        ArmRef::AsShipped {
            build: BuildIndex::BASE,
        },
    )?;
    let Some(look) = rule.look(&effects_shipped) else {
        return Ok(None);
    };
    // Where the noise of the rounds explains what differs between layouts, a percentile among them
    // would be one of noise.
    let told = alone(measured, build).is_some_and(|alone| !alone.at_most);
    let deviation = |build| measured.effects(ArmRef::Drawn { build }, ArmRef::AsShipped { build });
    let share = better_than(
        &deviation(BuildIndex::BASE)?,
        &deviation(build)?,
        better(&experiment.benchmark.metric),
    );
    Ok(Some(AsShipped {
        interval: look.interval,
        better_than: share.filter(|_| told),
    }))
}

/// What the instruction counts say. They are of runs on one core.
fn work(pilot: &Pilot, counted: &[Counted], build: BuildIndex) -> Instructions {
    let unavailable = |reason: &str| Instructions::Unavailable {
        reason: reason.to_owned(),
    };
    if pilot.core.is_none() && pilot.program.iter().any(|found| found.decides) {
        return unavailable("they are counted on one core, where it may be another program");
    }
    match (counted.first(), build.of(counted)) {
        (Some(Ok(base)), Some(Ok(new))) => {
            let own = [base, new].map(|count| Some(apart(count.instructions, count.again?)));
            let varies = own.into_iter().flatten().reduce(f64::max);
            let work = work_change([base.instructions, new.instructions], varies);
            Instructions::Counted {
                base: base.instructions,
                new: new.instructions,
                by: base.by.to_owned(),
                varies: varies.filter(|&varies| varies > SAME_WORK),
                work,
            }
        }
        (Some(Err(reason)), _) | (_, Some(Err(reason))) => unavailable(reason),
        _ => unavailable("not asked for"),
    }
}

/// What counts of two builds, the base first, say of the work, where two counts of one image are
/// apart by `varies`, as a share.
pub(crate) fn work_change(counts: [u64; 2], varies: Option<f64>) -> WorkChange {
    let [base, new] = counts;
    let change = apart(base, new);
    if change <= SAME_WORK {
        WorkChange::Same
    } else if varies.is_some_and(|varies| change <= BEYOND_OWN * varies) {
        WorkChange::Varies
    } else {
        WorkChange::Changed
    }
}

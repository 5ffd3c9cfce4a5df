//! The sensitivity certificate: the base once more, taxed by exactly the margin, in enough blocks
//! to say whether this set-up sees it.

use proofmark_evidence::record::{
    ArmRef, Block, Certificate, CertificateUse, Experiment, MarginMisjudged, Pilot, Question,
    Schedule, Warning,
};
use proofmark_stats::{Looks, Rule, Sight};
use proofmark_terms::{BuildIndex, Metric};

use crate::arms::{arms_of, main_arm, values};
use crate::effects::effects;
use crate::error::ConcludeError;
use crate::rule::better;

/// Fewest blocks: below, the t quantile exceeds 6 and the interval says nothing.
const LEAST_BLOCKS: u32 = 4;

/// Least tax on CPU time, in nanoseconds: a tax is off by some 2 µs in the mean, which is then 2 %
/// of it.
const LEAST_CPU_NS: f64 = 1e5;

/// Least tax on wall time, in nanoseconds: the end of a run is seen some 50 µs late, more or less.
const LEAST_WALL_NS: f64 = 2e6;

/// A verdict of no difference waits for the certificate until there are this many times the blocks
/// that the verdict took.
const PATIENCE: u32 = 2;

/// Which blocks hold the taxed base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taxing {
    /// Every block.
    Every,
    /// All but every fourth.
    ThreeInFour,
}

impl Taxing {
    /// Whether the block of this index, from 0, holds it.
    fn holds(self, index: u32) -> bool {
        self == Taxing::Every || index % 4 != 3
    }

    /// How many of the first blocks hold it.
    fn among(self, blocks: u32) -> u32 {
        match self {
            Taxing::Every => blocks,
            Taxing::ThreeInFour => blocks - blocks / 4,
        }
    }
}

/// Which blocks of an experiment hold the taxed base, or why none does; `None` where it was not
/// asked for. `base_ns` is the CPU time of one run of the base.
///
/// One more run a round in three blocks of four costs 3 ÷ 4 of a run among as many as there are
/// arms: 19 % with four.
pub fn taxing(experiment: &Experiment, base_ns: u64) -> Option<Result<Taxing, String>> {
    let design = &experiment.design;
    if design.certificate == CertificateUse::Never || experiment.question == Question::Null {
        return None;
    }
    if let Err(reason) = taxable(&experiment.benchmark.metric) {
        return Some(Err(reason.to_owned()));
    }
    let due = base_ns as f64 * design.margin.relative();
    if experiment.benchmark.metric == Metric::CpuTime && due < LEAST_CPU_NS {
        return Some(Err(too_short(experiment, base_ns as f64)));
    }
    let runs = arms_of(experiment).len();
    Some(match (design.certificate, runs) {
        (CertificateUse::Always, _) | (_, 6..) => Ok(Taxing::Every),
        (_, 4 | 5) => Ok(Taxing::ThreeInFour),
        _ => Err(format!(
            "it would take {:.0} % more runs; --certificate on measures it",
            100.0 / runs.max(1) as f64
        )),
    })
}

/// Why a metric does not grow with a tax, if so.
///
/// # Errors
///
/// The reason.
fn taxable(metric: &Metric) -> Result<(), &'static str> {
    match metric {
        Metric::CpuTime | Metric::WallTime => Ok(()),
        Metric::PeakMemory => Err("memory does not grow with time"),
        Metric::Output { .. } => {
            Err("the program times itself, and does not see time that is added after its end")
        }
    }
}

fn too_short(experiment: &Experiment, spent_ns: f64) -> String {
    format!(
        "a run takes {:.1} ms, too little for an exact tax of {} %",
        spent_ns / 1e6,
        experiment.design.margin.relative() * 100.0
    )
}

/// The arms of one block.
#[must_use]
pub fn arms_in(experiment: &Experiment, pilot: &Pilot, index: u32) -> Vec<ArmRef> {
    let mut arms = arms_of(experiment);
    let taxing = taxing(experiment, base_ns(pilot));
    if taxing.is_some_and(|taxing| taxing.is_ok_and(|taxing| taxing.holds(index))) {
        arms.push(ArmRef::Taxed);
    }
    if pilot.check.is_some_and(|check| check.alone_rounds > 0) {
        arms.push(ArmRef::Idle);
    }
    arms
}

fn base_ns(pilot: &Pilot) -> u64 {
    pilot.cpu_ns.first().copied().unwrap_or(0)
}

/// What the blocks say of the taxed base; `None` where it was not asked for. The interval is of the
/// same kind as a comparison's, over the blocks that hold the taxed base, and as wide as the widest
/// comparison's for a shift of slicing.
pub(crate) fn certificate(
    experiment: &Experiment,
    pilot: &Pilot,
    rules: &[Rule],
    blocks: &[Block],
) -> Result<Option<Certificate>, ConcludeError> {
    let taxing = match taxing(experiment, base_ns(pilot)) {
        None => return Ok(None),
        Some(Err(reason)) => return Ok(Some(Certificate::Unavailable { reason })),
        Some(Ok(taxing)) => taxing,
    };
    let base = main_arm(experiment, BuildIndex::BASE);
    let taxed: Vec<Block> = blocks
        .iter()
        .filter(|block| block.arms.contains(&ArmRef::Taxed))
        .cloned()
        .collect();
    if experiment.benchmark.metric == Metric::WallTime {
        let spent: Vec<f64> = taxed
            .iter()
            .flat_map(|block| values(block, base, pilot.schedule))
            .collect();
        let mean = spent.iter().sum::<f64>() / spent.len().max(1) as f64;
        if mean * experiment.design.margin.relative() < LEAST_WALL_NS {
            let reason = too_short(experiment, mean);
            return Ok(Some(Certificate::Unavailable { reason }));
        }
    }
    let count = u32::try_from(taxed.len()).unwrap_or(u32::MAX);
    let rule = rule(experiment, taxing, rules, blocks.len())?;
    let least = rule.looks().min();
    let effects = effects(&taxed, ArmRef::Taxed, base, pilot.schedule)?;
    Ok(Some(match rule.look(&effects) {
        Some(look) => Certificate::Measured {
            sight: Sight::of(&look.interval, experiment.design.margin),
            interval: look.interval,
            blocks: count,
        },
        None => Certificate::TooFew {
            blocks: count,
            least,
        },
    }))
}

/// Whether a verdict of no difference, which the rules first allowed after so many blocks, should
/// wait for more of them: a slowdown of the margin might still pass for none, and so might the
/// difference that was not seen. The intervals hold at all looks together, whatever makes one stop.
///
/// # Errors
///
/// When a block is damaged, or the design is one for which no interval exists.
pub fn awaited(
    experiment: &Experiment,
    pilot: &Pilot,
    rules: &[Rule],
    blocks: &[Block],
    decided_after: u32,
) -> Result<bool, ConcludeError> {
    if blocks.len() as u64 >= u64::from(decided_after) * u64::from(PATIENCE) {
        return Ok(false);
    }
    Ok(match certificate(experiment, pilot, rules, blocks)? {
        Some(Certificate::Measured { sight, .. }) => sight == Sight::NotYet,
        Some(Certificate::TooFew { .. }) => true,
        Some(Certificate::Unavailable { .. }) | None => false,
    })
}

fn rule(
    experiment: &Experiment,
    taxing: Taxing,
    rules: &[Rule],
    blocks: usize,
) -> Result<Rule, ConcludeError> {
    let design = &experiment.design;
    let first = taxing.among(design.min_blocks).max(LEAST_BLOCKS);
    let looks = Looks::new(
        design.confidence,
        first,
        taxing.among(design.max_blocks).max(first),
        u32::try_from(rules.len()).unwrap_or(u32::MAX),
    )
    .map_err(|error| ConcludeError::Design(error.to_string()))?;
    let widening = rules
        .iter()
        .map(|rule| rule.widening_after(blocks))
        .fold(0.0, f64::max);
    let better = better(&experiment.benchmark.metric);
    Ok(Rule::new(looks, design.margin, better).widened(widening))
}

/// The interval does not hold the margin.
pub(crate) fn missed(
    experiment: &Experiment,
    pilot: &Pilot,
    certificate: Option<&Certificate>,
) -> Option<Warning> {
    let Some(Certificate::Measured {
        interval,
        sight: Sight::Misjudged,
        ..
    }) = certificate
    else {
        return None;
    };
    let margin = experiment.design.margin;
    Some(Warning::MarginMisjudged(MarginMisjudged {
        margin,
        interval: *interval,
        sliced: matches!(pilot.schedule, Schedule::Sliced { .. }),
    }))
}

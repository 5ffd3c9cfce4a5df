//! Which of two ends a commit is like, by blocks in which all three were measured side by side.

use proofmark_evidence::record::{Block, Experiment, Pilot};
use proofmark_stats::{Interval, Rule};
use proofmark_terms::{Better, BuildIndex, Effect};

use crate::arms::main_arm;

use crate::effects::{Shifts, effects, shifts};
use crate::error::ConcludeError;
use crate::few_digits::unseen_by_block;
use crate::rule::{looks, rule, sum_by_block};

/// What is known of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// It has the older end's level.
    Older,
    /// It has the newer end's level.
    Newer,
    /// It cannot be judged.
    Skipped,
}

/// The end that a commit is nearer to, on the scale of ln.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nearer {
    /// The older one.
    Older,
    /// The newer one.
    Newer,
}

/// Where a commit stands between the ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// The end that it is nearer to; `None` while that is not decided.
    pub nearer: Option<Nearer>,
    /// It differs from both ends and lies between them: there are at least two steps.
    pub between: bool,
    /// The commit ÷ the geometric mean of the ends.
    pub middle: Interval,
    /// The commit ÷ the older end.
    pub older: Interval,
    /// The commit ÷ the newer end.
    pub newer: Interval,
    /// Blocks that it rests on.
    pub blocks: u32,
}

/// Whether the newer end's value is above the older end's: 1, or −1 where it is below.
#[must_use]
pub fn ends_sign(newer_by_older: &Interval) -> f64 {
    if newer_by_older.estimate.ln() < 0.0 {
        -1.0
    } else {
        1.0
    }
}

/// Judges an experiment whose base is the commit, whose first other build is the older end and
/// whose second is the newer one. `sign` is 1 where the newer end's value is above the older's, −1
/// where it is below. `None` before the design's fewest blocks.
///
/// In each block d = ln c − ½(ln a + ln b), which is −½(ln(a ÷ c) + ln(b ÷ c)). Its sign says which
/// end c is nearer to. d has half of the experiment's level. The other half is for "between", which
/// needs both ln(c ÷ a) and ln(c ÷ b) to leave 0 out: where c is like one end one of the two is
/// false, so that both together are wrong no more often than one (intersection–union test, Berger
/// 1982).
///
/// # Errors
///
/// When a block lacks one of the three, or there is no interval for the design.
pub fn judge(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
    sign: f64,
) -> Result<Option<Judgement>, ConcludeError> {
    let base = main_arm(experiment, BuildIndex::BASE);
    let of = |build: BuildIndex| effects(blocks, main_arm(experiment, build), base, pilot.schedule);
    let (older, newer) = (of(BuildIndex(1))?, of(BuildIndex(2))?);
    let design = &experiment.design;
    let looks = looks(design, 2)?;
    let (by_older, by_newer) = (
        shifts(experiment, pilot, BuildIndex(1), blocks)?,
        shifts(experiment, pilot, BuildIndex(2), blocks)?,
    );
    let [unseen_older, unseen_newer] =
        [BuildIndex(1), BuildIndex(2)].map(|end| unseen_by_block(experiment, pilot, end, blocks));
    let unseen_middle: Vec<f64> = (unseen_older.iter().zip(&unseen_newer))
        .map(|(older, newer)| older.midpoint(*newer))
        .collect();
    let ruled = |shifts: Option<&Shifts>, unseen: &[f64]| {
        let sliced = shifts.map(|shifts| shifts.widening(design.margin));
        let widening = sum_by_block(sliced.unwrap_or_default(), unseen);
        rule(looks.clone(), design, Better::Lower, widening)
    };
    let both = by_older.as_ref().zip(by_newer.as_ref());
    let middle = both.map(|(older, newer)| older.mean_with(newer));
    let rules = [
        ruled(middle.as_ref(), &unseen_middle),
        ruled(by_older.as_ref(), &unseen_older),
        ruled(by_newer.as_ref(), &unseen_newer),
    ];
    Ok(judge_values(&older, &newer, &rules, sign))
}

/// Whether it is known which of its ends a commit is nearer to, or that it lies between them;
/// whichever of them is the higher. That is what its step is measured for.
///
/// # Errors
///
/// As [`judge`].
pub fn is_placed(
    experiment: &Experiment,
    pilot: &Pilot,
    blocks: &[Block],
) -> Result<bool, ConcludeError> {
    for sign in [1.0, -1.0] {
        let judged = judge(experiment, pilot, blocks, sign)?;
        if judged.is_some_and(|judged| judged.nearer.is_some() || judged.between) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// [`judge`] of the effects alone: ln(older ÷ commit) and ln(newer ÷ commit), block by block, and
/// the rules of d, of the older end and of the newer one.
#[must_use]
pub fn judge_values(
    older: &[f64],
    newer: &[f64],
    rules: &[Rule; 3],
    sign: f64,
) -> Option<Judgement> {
    let half: Vec<f64> = older
        .iter()
        .zip(newer)
        .map(|(older, newer)| -f64::midpoint(*older, *newer))
        .collect();
    let turned = |values: &[f64]| values.iter().map(|value| -value).collect::<Vec<f64>>();
    let [middle, by_older, by_newer] = [
        rules[0].look(&half)?.interval,
        rules[1].look(&turned(older))?.interval,
        rules[2].look(&turned(newer))?.interval,
    ];
    let nearer = side(&middle).map(|above| {
        if above == (sign > 0.0) {
            Nearer::Newer
        } else {
            Nearer::Older
        }
    });
    let rising = sign > 0.0;
    let between = side(&by_older) == Some(rising) && side(&by_newer) == Some(!rising);
    Some(Judgement {
        nearer,
        between,
        middle,
        older: by_older,
        newer: by_newer,
        blocks: u32::try_from(half.len()).unwrap_or(u32::MAX),
    })
}

/// Whether an interval lies above 1 or below it, beyond what rounding leaves; `None` where it holds
/// 1.
fn side(interval: &Interval) -> Option<bool> {
    if interval.low.ln() > Effect::ROUNDING {
        Some(true)
    } else if interval.high.ln() < -Effect::ROUNDING {
        Some(false)
    } else {
        None
    }
}

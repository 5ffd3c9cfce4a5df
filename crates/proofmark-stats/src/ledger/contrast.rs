//! Contrasts of builds that ran in the same blocks: one number a block.

use std::collections::BTreeMap;

use crate::moments::Moments;
use crate::quantile::{t_above, t_two_sided};
use crate::{Better, Effect, Interval};

/// The interaction of an idea with a stack, block by block, on the scale of ln:
/// (stack − stack without the idea) − (idea alone − what it is held against). Below 0 the stack
/// takes less time than both gains add up to. Only blocks that hold both differences count; each
/// argument is such a difference, by block.
///
/// With independent noise of equal size in four builds its variance is twice that of one
/// difference. The stack less the sum of all k ideas has k + 1 times that of the one build in it and
/// (k − 1)² that of the base (Montgomery, "Design and analysis of experiments", on contrasts).
#[must_use]
pub fn interaction(
    left_out: &BTreeMap<u32, f64>,
    alone: &BTreeMap<u32, f64>,
) -> BTreeMap<u32, f64> {
    let both = left_out.iter();
    both.filter_map(|(block, in_stack)| Some((*block, in_stack - alone.get(block)?)))
        .collect()
}

/// The interval of the mean of one contrast, where `figures` of them hold together with
/// `confidence` (Bonferroni, which asks nothing of how they depend on one another):
/// mean ± (t(n−1, 1 − (1−confidence) ÷ (2·figures))·s ÷ √n + widening). For one look at a number of
/// blocks that was fixed beforehand. `widening` ≥ 0 is what is known of a shift.
///
/// `None` for fewer than two blocks, or where a value is not finite. Blocks without any spread, as
/// of an exact metric, give an interval of the widening alone.
#[must_use]
pub fn together(
    values: &[f64],
    confidence: f64,
    figures: usize,
    widening: f64,
) -> Option<Interval> {
    let moments = Moments::of(values);
    let error = moments.standard_error()?;
    let alpha = (1.0 - confidence) / figures.max(1) as f64;
    let half = t_two_sided(alpha, f64::from(moments.count() - 1)) * error + widening.max(0.0);
    let (low, high) = (moments.mean() - half, moments.mean() + half);
    (low.is_finite() && high.is_finite()).then(|| Interval {
        estimate: Effect::from_ln(moments.mean()),
        low: Effect::from_ln(low),
        high: Effect::from_ln(high),
    })
}

/// How often blocks of a build that is no better would show a gain like this one: the p value of
/// the t test against "no better", to one side, of a mean that is the widening less. 1 where there
/// is no such test: for fewer than two blocks, or where a value is not finite. What rounding leaves
/// of no change is no gain.
#[must_use]
pub fn chance_of_no_gain(values: &[f64], better: Better, widening: f64) -> f64 {
    let moments = Moments::of(values);
    let Some(error) = moments.standard_error() else {
        return 1.0;
    };
    let gain = match better {
        Better::Lower => -moments.mean(),
        Better::Higher => moments.mean(),
    } - widening.max(0.0);
    if gain <= Effect::ROUNDING {
        return if error > 0.0 {
            t_above(gain / error, f64::from(moments.count() - 1)).clamp(0.5, 1.0)
        } else {
            1.0
        };
    }
    if error == 0.0 {
        return 0.0;
    }
    t_above(gain / error, f64::from(moments.count() - 1))
}

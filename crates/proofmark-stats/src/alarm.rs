//! How often a set-up cries wolf, from one recorded null test.

use rand::{Rng, RngExt};

use crate::quantile::beta_quantile;
use crate::{Rule, Verdict};

/// How often the stopping rule would have called a build different from itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlarmRate {
    /// Verdicts of faster or slower, the negligible ones included.
    pub alarms: u64,
    /// Those among them that lie inside the margin.
    pub negligible: u64,
    /// Verdicts in all.
    pub verdicts: u64,
    /// alarms ÷ verdicts, 0 to 1.
    pub rate: f64,
    /// Lower bound of the rate, 95 % (Clopper and Pearson 1934). Of these blocks re-drawn, not of
    /// other blocks.
    pub low: f64,
    /// Upper bound of the rate, 95 %.
    pub high: f64,
}

/// Replays the stopping rule on blocks of a build against itself, `redraws` times with the sign of
/// each block drawn afresh: which of two equal builds is called new is arbitrary, so every sign was
/// as likely (Fisher's randomisation test, carried over to the stopping rule). Blocks beyond the
/// rule's last look are replayed as further stretches of that length; a last stretch that is
/// shorter is left out. `None` when there is no stretch, or an effect is not finite.
pub fn alarm_rate(
    effects: &[f64],
    rule: &Rule,
    redraws: u32,
    rng: &mut impl Rng,
) -> Option<AlarmRate> {
    let length = effects
        .len()
        .min(usize::try_from(rule.looks().max()).unwrap_or(usize::MAX));
    if length == 0 || redraws == 0 {
        return None;
    }
    let (mut alarms, mut negligible, mut verdicts) = (0_u64, 0_u64, 0_u64);
    let mut redrawn = Vec::with_capacity(length);
    for _ in 0..redraws {
        for stretch in effects.chunks_exact(length) {
            redrawn.clear();
            redrawn.extend(
                stretch
                    .iter()
                    .map(|effect| if rng.random() { *effect } else { -effect }),
            );
            let verdict = rule.replay(&redrawn)?.look.verdict;
            let small = matches!(
                verdict,
                Verdict::FasterButNegligible | Verdict::SlowerButNegligible
            );
            verdicts += 1;
            negligible += u64::from(small);
            alarms += u64::from(small || matches!(verdict, Verdict::Faster | Verdict::Slower));
        }
    }
    let (low, high) = share_bounds(alarms, verdicts);
    Some(AlarmRate {
        alarms,
        negligible,
        verdicts,
        rate: alarms as f64 / verdicts as f64,
        low,
        high,
    })
}

/// The 95 % interval of a share, `hits` of `tries` > 0 (Clopper and Pearson, Biometrika 26, 1934).
#[must_use]
pub fn share_bounds(hits: u64, tries: u64) -> (f64, f64) {
    let (hits, misses) = (hits as f64, (tries - hits) as f64);
    let low = if hits == 0.0 {
        0.0
    } else {
        beta_quantile(0.025, hits, misses + 1.0)
    };
    let high = if misses == 0.0 {
        1.0
    } else {
        beta_quantile(0.975, hits + 1.0, misses)
    };
    (low, high)
}

//! How many times faster or slower, in the digits that the interval carries: `1.09× slower ±0.01`.

use proofmark_evidence::record::{MemberEffect, SuiteEffect};
use proofmark_stats::{Effect, Interval, Verdict};

use crate::number::range;
use crate::text::TIE;
use crate::wording::Wording;

/// Most digits after the point.
const MOST_DECIMALS: usize = 5;

/// In words, with the half-width of the interval.
pub(crate) fn said(interval: &Interval, verdict: Verdict, wording: Wording) -> String {
    match verdict {
        Verdict::Faster | Verdict::Slower => with_width(interval, wording),
        Verdict::FasterButNegligible | Verdict::SlowerButNegligible => {
            format!("equivalent ({})", factor(interval, wording))
        }
        Verdict::Equivalent => "equivalent".to_owned(),
        Verdict::Undecided => format!(
            "undecided ({})",
            range(interval.low.ratio(), interval.high.ratio())
        ),
    }
}

/// The factor and its half-width.
fn with_width(interval: &Interval, wording: Wording) -> String {
    let (_, half, decimals) = parts(interval);
    format!("{} ±{half:.decimals$}", factor(interval, wording))
}

/// `1.09× slower`.
pub(crate) fn factor(interval: &Interval, wording: Wording) -> String {
    let [improved, worsened] = wording.words;
    let less = interval.estimate.ln() < 0.0;
    let word = if less != wording.higher_is_better {
        improved
    } else {
        worsened
    };
    let (factor, _, decimals) = parts(interval);
    format!("{factor:.decimals$}×{TIE}{word}")
}

/// The factor ≥ 1, half the width of its interval, and the digits that both are given.
fn parts(interval: &Interval) -> (f64, f64, usize) {
    let [estimate, low, high] = [interval.estimate, interval.low, interval.high].map(Effect::ratio);
    let (factor, half) = if estimate < 1.0 {
        (1.0 / estimate, (1.0 / low - 1.0 / high) / 2.0)
    } else {
        (estimate, (high - low) / 2.0)
    };
    let carried = |decimals: &usize| {
        let one = format!("{:.decimals$}", 1.0);
        let zero = format!("{:.decimals$}", 0.0);
        format!("{factor:.decimals$}") != one && format!("{half:.decimals$}") != zero
    };
    let decimals = (2..MOST_DECIMALS).find(carried).unwrap_or(MOST_DECIMALS);
    (factor, half, decimals)
}

/// A plain factor, ≥ 1 whichever way round.
pub(crate) fn of_ratio(ratio: f64, wording: Wording) -> String {
    let effect = Effect::from_ratio(ratio);
    let interval = Interval {
        estimate: effect,
        low: effect,
        high: effect,
    };
    let [improved, worsened] = wording.words;
    let word = if (ratio < 1.0) != wording.higher_is_better {
        improved
    } else {
        worsened
    };
    format!("{:.2}×{TIE}{word}", parts(&interval).0)
}

/// What the suite says, and over how much of it where a benchmark is lacking.
pub(crate) fn of_suite(effect: &SuiteEffect, wording: Wording, benchmarks: usize) -> String {
    let mut said = said(&effect.interval, effect.verdict, wording);
    if effect.over.len() < benchmarks {
        said.push_str(&format!(" ({}{TIE}of{TIE}{benchmarks})", effect.over.len()));
    }
    said
}

/// The same without the width, where the interval stands beside it.
pub(crate) fn brief(interval: &Interval, verdict: Verdict, wording: Wording) -> String {
    match verdict {
        Verdict::Faster | Verdict::Slower => factor(interval, wording),
        Verdict::Undecided => "undecided".to_owned(),
        other => said(interval, other, wording),
    }
}

/// What one benchmark says.
pub(crate) fn of_member(effect: &MemberEffect, wording: Wording) -> String {
    said(&effect.interval, effect.verdict, wording)
}

#[cfg(test)]
mod tests {
    use proofmark_terms::Metric;

    use super::*;
    use crate::text::untied;

    fn shown(low: f64, estimate: f64, high: f64, verdict: Verdict) -> String {
        let [low, estimate, high] = [low, estimate, high].map(Effect::from_ratio);
        let interval = Interval {
            estimate,
            low,
            high,
        };
        untied(&said(&interval, verdict, Wording::of(&Metric::CpuTime)))
    }

    #[test]
    fn factors_are_above_one_and_carry_the_digits_of_their_width() {
        assert_eq!(
            shown(1.08, 1.09, 1.1, Verdict::Slower),
            "1.09× slower ±0.01"
        );
        // 1/0.89 = 1.1236, (1/0.88 − 1/0.90)/2 = 0.01263.
        assert_eq!(
            shown(0.88, 0.89, 0.9, Verdict::Faster),
            "1.12× faster ±0.01"
        );
        assert_eq!(
            shown(1.001, 1.003, 1.005, Verdict::SlowerButNegligible),
            "equivalent (1.003× slower)"
        );
        assert_eq!(
            shown(1.012, 1.0131, 1.014, Verdict::Slower),
            "1.013× slower ±0.001"
        );
        assert_eq!(shown(0.995, 1.0, 1.005, Verdict::Equivalent), "equivalent");
        assert_eq!(
            shown(0.95, 1.0, 1.05, Verdict::Undecided),
            "undecided (0.950 … 1.050)"
        );
    }
}

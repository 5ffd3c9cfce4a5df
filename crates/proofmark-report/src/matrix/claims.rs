//! Claims in words: robust, or against which baselines they hold.

use proofmark_evidence::record::{Against, JudgedClaim, Outlier};
use proofmark_stats::{Holds, Interval, Standing};
use proofmark_terms::CellIndex;

use super::MatrixView;
use super::factor::of_ratio;
use crate::number::{interval, setting};
use crate::style::Tone;
use crate::text::{TIE, printable};
use crate::wording::Wording;

/// One claim: what was claimed, and what is said of it.
pub(crate) struct ClaimLine {
    pub(crate) claim: String,
    pub(crate) said: String,
    pub(crate) tone: Tone,
}

/// All claims.
pub(crate) fn lines(matrix: &MatrixView<'_>) -> Vec<ClaimLine> {
    let claims = &matrix.conclusion.claims;
    claims.iter().map(|judged| line(matrix, judged)).collect()
}

fn line(matrix: &MatrixView<'_>, judged: &JudgedClaim) -> ClaimLine {
    let names = |holds: Holds| -> String {
        let all = judged.against.iter().filter(|one| one.holds == holds);
        let names: Vec<String> = all.map(|one| matrix.cell(one.baseline)).collect();
        names.join(", ")
    };
    let open = names(Holds::Open);
    let open = if open.is_empty() {
        String::new()
    } else {
        format!(", open against {open}")
    };
    let each_by = |of: fn(&Against) -> &Interval| {
        let said = |one: &Against| format!("{} {}", matrix.cell(one.baseline), interval(of(one)));
        let all: Vec<String> = judged.against.iter().map(said).collect();
        all.join(", ")
    };
    let each = || each_by(|one| &one.alone);
    let (said, tone) = match judged.standing {
        Standing::Robust => (
            format!("robust: holds against each of {}", each()),
            Tone::Better,
        ),
        Standing::Refuted => (format!("refuted against each of {}", each()), Tone::Worse),
        Standing::BaselineDependent => {
            let only = format!(
                "depends on the baseline: holds against {} only, not against {}{open}",
                names(Holds::Yes),
                names(Holds::No)
            );
            (only + &owed(matrix, judged), Tone::Open)
        }
        Standing::NotRobust => {
            let said = format!(
                "not robust: fails against {}{open}; so far {}",
                names(Holds::No),
                // Those that baselines are named by.
                each_by(|one| &one.together)
            );
            (said, Tone::Open)
        }
        Standing::Undecided => {
            let so_far = if judged.against.is_empty() && !judged.missing.is_empty() {
                "there are no figures".to_owned()
            } else if judged.against.is_empty() {
                "there is nothing to compare it with".to_owned()
            } else {
                format!("so far {}", each())
            };
            (format!("undecided: {so_far}"), Tone::Open)
        }
    };
    ClaimLine {
        claim: claimed(matrix, judged),
        said: said + &missing(judged),
        tone,
    }
}

/// What the claim could not be held against, or on.
fn missing(judged: &JudgedClaim) -> String {
    if judged.missing.is_empty() {
        return String::new();
    }
    let each = judged.missing.iter();
    let each: Vec<String> = each
        .map(|one| printable(&format!("{} {}", one.cell, one.why)))
        .collect();
    let next = if judged
        .missing
        .iter()
        .any(|one| one.why.contains(" out of "))
    {
        " (`benchmarks` in the claim can name those that all of them run)"
    } else {
        ""
    };
    format!("; not known, for {}{next}", each.join(", and "))
}

/// Whether a baseline that makes the claim is itself the odd one.
fn owed(matrix: &MatrixView<'_>, judged: &JudgedClaim) -> String {
    let found = matrix.conclusion.outliers.iter();
    found
        .filter(|outlier| makes(judged, outlier.baseline))
        .map(|outlier| {
            format!(
                " — {} itself is the odd one ({})",
                matrix.cell(outlier.baseline),
                beside(matrix, outlier)
            )
        })
        .collect()
}

/// How an odd baseline differs from its kind.
fn beside(matrix: &MatrixView<'_>, outlier: &Outlier) -> String {
    let peers: Vec<String> = outlier
        .peers
        .iter()
        .map(|&cell| matrix.cell(cell))
        .collect();
    format!(
        "{} than the median of {}, which should be like it",
        of_ratio(outlier.ratio, matrix.wording(&outlier.over)),
        peers.join(", ")
    )
}

/// A claimed gain in words. "5 % faster" is a time of 1 ÷ 1.05. What is 5 % smaller is 0.95 of what
/// it was, and that is not what is claimed: there the words are those of the table.
fn at_least(gain: f64, wording: Wording) -> String {
    let [improved, _] = wording.words;
    if gain <= 0.0 {
        improved.to_owned()
    } else if improved == "faster" || wording.higher_is_better && improved != "better" {
        format!("at least {} {improved}", setting(gain))
    } else {
        let times = format!("{:.6}", 1.0 + gain);
        let times = times.trim_end_matches('0').trim_end_matches('.');
        format!("at least {times}×{TIE}{improved}")
    }
}

/// The claim in words.
fn claimed(matrix: &MatrixView<'_>, judged: &JudgedClaim) -> String {
    let claim = &judged.claim;
    let least = at_least(claim.at_least, matrix.wording(&judged.over));
    let base = claim
        .base
        .map_or_else(String::new, |base| format!(" than {}", matrix.cell(base)));
    let on = if claim.benchmarks.is_empty() {
        String::new()
    } else {
        format!(" on {}", printable(&claim.benchmarks.join(", ")))
    };
    let name = match claim.name.as_str() {
        "claim" => String::new(),
        name => format!(" {}", printable(name)),
    };
    format!(
        "claim{name} “{} is {least}{base}{on}”",
        matrix.cell(claim.new)
    )
}

/// Whether a claim holds against this baseline.
fn makes(judged: &JudgedClaim, baseline: CellIndex) -> bool {
    let mut all = judged.against.iter();
    all.any(|one| one.baseline == baseline && one.holds == Holds::Yes)
}

/// Baselines that are worse than their kind, where no claim says so already.
pub(crate) fn outliers(matrix: &MatrixView<'_>) -> Vec<String> {
    let makes_a_claim = |baseline: CellIndex| {
        let claims = matrix.conclusion.claims.iter();
        let mut dependent = claims.filter(|one| one.standing == Standing::BaselineDependent);
        dependent.any(|judged| makes(judged, baseline))
    };
    let found = matrix.conclusion.outliers.iter();
    found
        .filter(|outlier| !makes_a_claim(outlier.baseline))
        .map(|outlier| {
            format!(
                "{} is the odd one of its kind: {}; a gain against it alone says little",
                matrix.cell(outlier.baseline),
                beside(matrix, outlier)
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proofmark_terms::Metric;

    use super::*;
    use crate::text::untied;

    #[test]
    fn a_claimed_gain_is_said_as_it_is_judged() {
        let printed = |unit: &str, higher_is_better| Metric::Output {
            pattern: "n: ([0-9]+)".to_owned(),
            unit: unit.to_owned(),
            higher_is_better,
        };
        for (gain, metric, said) in [
            (0.05, Metric::CpuTime, "at least 5 % faster"),
            (1.0, Metric::CpuTime, "at least 100 % faster"),
            (1.0, Metric::PeakMemory, "at least 2× smaller"),
            (
                0.05,
                printed("misses", false),
                "at least 1.05× lower (better)",
            ),
            (
                0.05,
                printed("points", true),
                "at least 5 % higher (better)",
            ),
            (0.0, printed("misses", false), "lower (better)"),
        ] {
            assert_eq!(untied(&at_least(gain, Wording::of(&metric))), said);
        }
        let points = printed("points", true);
        for (metrics, said) in [
            ([&Metric::PeakMemory, &points], "at least 1.55× better"),
            ([&points, &Metric::PeakMemory], "at least 1.55× better"),
            (
                [&Metric::CpuTime, &Metric::WallTime],
                "at least 55 % faster",
            ),
        ] {
            let mean = Wording::of_all(metrics.into_iter());
            assert_eq!(untied(&at_least(0.55, mean)), said);
        }
    }
}

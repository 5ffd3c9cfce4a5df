//! Benchmarks with a scale: what of a cell's time is fixed, and what grows with the work.

use proofmark_evidence::record::ScaleEffect;
use proofmark_stats::{Bounded, Part};
use proofmark_terms::{CellIndex, MemberIndex, Metric};

use super::MatrixView;
use super::factor::factor;
use super::rows::Grid;
use crate::number::interval;
use crate::text::TIE;
use crate::wording::Wording;

/// A line that misses a size's mean by more than this, relative and beyond chance, is none.
pub(crate) const CROOKED: f64 = 0.01;

/// Most digits after the point of a difference; a smaller one is given with a power of ten.
const MOST_DECIMALS: usize = 6;

/// A row for each benchmark and cell, against the first of these baselines that has a line on that
/// benchmark; none where no benchmark has several sizes.
pub(crate) fn tables(matrix: &MatrixView<'_>, baselines: &[CellIndex]) -> Vec<Grid> {
    let mut shown: Vec<&str> = Vec::new();
    let mut grids = Vec::new();
    for &baseline in baselines {
        grids.extend(table(matrix, baseline, &shown));
        let all = matrix.conclusion.scale.iter();
        let against = all.filter(|one| one.baseline == baseline);
        shown.extend(against.map(|one| one.benchmark.as_str()));
    }
    grids
}

fn table(matrix: &MatrixView<'_>, baseline: CellIndex, shown: &[&str]) -> Option<Grid> {
    let rows: Vec<Vec<String>> = matrix
        .conclusion
        .scale
        .iter()
        .filter(|one| one.baseline == baseline && !shown.contains(&one.benchmark.as_str()))
        .map(|one| {
            let member = matrix
                .members()
                .find(|&member| matrix.run.members[member.place()].benchmark == one.benchmark);
            let metric = matrix.metric(member.unwrap_or(MemberIndex(0)));
            let fixed = part(&one.fixed, metric);
            let fixed_beyond = beyond(&one.fixed_beyond, metric);
            vec![
                matrix.cell(one.cell),
                crate::text::printable(&one.benchmark),
                format!("{fixed} ({fixed_beyond})"),
                proportional(one, metric),
            ]
        })
        .collect();
    let against = matrix.cell(baseline);
    (!rows.is_empty()).then(|| Grid {
        title: format!("fixed and proportional part vs {against}"),
        header: ["", "fixed part", "proportional part"]
            .map(str::to_owned)
            .into(),
        rows,
    })
}

/// The part that grows with the size; its difference only where there is no ratio.
fn proportional(one: &ScaleEffect, metric: &Metric) -> String {
    let said = part(&one.proportional, metric);
    match (&one.proportional, &one.proportional_beyond) {
        (Part::Ratio { .. }, _) | (_, None) => said,
        (_, Some(difference)) => format!("{said} ({})", beyond(difference, metric)),
    }
}

fn part(part: &Part, metric: &Metric) -> String {
    match part {
        Part::NotFromZero => "may be zero".to_owned(),
        Part::BelowZero => "below zero".to_owned(),
        Part::Ratio { interval: of } => {
            let no_change = of.low.ln() <= 0.0 && of.high.ln() >= 0.0;
            let factor = factor(of, Wording::of(metric));
            // A factor that is one in all its digits is what rounding left.
            if no_change || factor.starts_with("1.00000×") {
                interval(of)
            } else {
                format!("{factor}, {}", interval(of))
            }
        }
    }
}

/// A difference in the metric's own unit: times are recorded in nanoseconds.
fn beyond(difference: &Bounded, metric: &Metric) -> String {
    let (unit, scale) = match metric {
        Metric::CpuTime | Metric::WallTime => ("ms", 1e6),
        Metric::PeakMemory => ("MiB", f64::from(1 << 20)),
        Metric::Output { unit, .. } => (unit.as_str(), 1.0),
    };
    let [estimate, low, high] =
        [difference.estimate, difference.low, difference.high].map(|value| value / scale);
    let half = (high - low) / 2.0;
    let carried = half.max(estimate.abs() / 1e4);
    let decimals = (0..=MOST_DECIMALS)
        .zip(std::iter::successors(Some(1.0), |step| Some(step / 10.0)))
        .find(|(_, step)| carried >= *step)
        .map(|(decimals, _)| decimals);
    let [size, half] = [estimate.abs(), half].map(|value| match decimals {
        Some(decimals) => format!("{value:.decimals$}"),
        // No difference at all, known to what double precision leaves of it.
        None if value == 0.0 && half > 0.0 => "0".to_owned(),
        None if carried > 0.0 => format!("{value:.2e}"),
        None => format!("{value:.4}"),
    });
    let sign = match (
        size.contains(|digit| matches!(digit, '1'..='9')),
        estimate < 0.0,
    ) {
        (false, _) => "",
        (_, true) => "−",
        (_, false) => "+",
    };
    format!(
        "{sign}{size}{TIE}{}{TIE}±{half}",
        crate::text::printable(unit)
    )
}

/// Benchmarks with a scale of one size, through which no line goes.
pub(crate) fn of_one_size(matrix: &MatrixView<'_>) -> Vec<String> {
    let members = matrix.run.members.iter();
    let single = members.filter_map(|member| {
        let size = member.size.as_ref()?;
        let mut others = matrix.run.members.iter();
        let alone = !others.any(|other| {
            other.benchmark == member.benchmark && other.size.as_ref() != Some(size)
        });
        alone.then(|| {
            format!(
                "{} is measured at one size only, {} = {}: its fixed part and the part that grows are not known",
                crate::text::printable(&member.benchmark),
                crate::text::printable(&size.name),
                size.value
            )
        })
    });
    single.collect()
}

/// What is to be said of lines that are none.
pub(crate) fn crooked(matrix: &MatrixView<'_>) -> Vec<String> {
    let lines = matrix.conclusion.lines.iter();
    lines
        .filter(|line| line.misfit > CROOKED)
        .map(|line| {
            format!(
                "{} of {} does not grow in a straight line: one size is {} off the line, so its parts mean little",
                crate::text::printable(&line.benchmark),
                matrix.cell(line.cell),
                crate::number::rough(line.misfit)
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proofmark_stats::{Effect, Interval};

    use super::*;
    use crate::text::untied;

    fn seconds(estimate: f64, half: f64) -> String {
        let (low, high) = (estimate - half, estimate + half);
        let difference = Bounded {
            estimate,
            low,
            high,
        };
        let metric = Metric::Output {
            pattern: "v ([0-9.]+)".to_owned(),
            unit: "s".to_owned(),
            higher_is_better: false,
        };
        untied(&beyond(&difference, &metric))
    }

    #[test]
    fn a_difference_carries_its_digits_however_small_and_no_sign_of_rounding() {
        assert_eq!(seconds(-5.0, 0.0), "−5.0000 s ±0.0000");
        assert_eq!(seconds(0.25, 0.012), "+0.25 s ±0.01");
        assert_eq!(seconds(0.000_021, 0.000_002), "+0.000021 s ±0.000002");
        assert_eq!(seconds(0.0, 0.0), "0.0000 s ±0.0000");
        assert_eq!(seconds(-5e-9, 0.0), "−5.00e-9 s ±0.00e0");
        assert_eq!(seconds(0.0, 2e-8), "0 s ±2.00e-8");
        assert_eq!(seconds(5e-9, 2e-10), "+5.00e-9 s ±2.00e-10");
    }

    #[test]
    fn a_part_below_zero_is_said_with_its_difference() {
        let below = ScaleEffect {
            benchmark: "x".to_owned(),
            cell: CellIndex(1),
            baseline: CellIndex(0),
            fixed: Part::NotFromZero,
            fixed_beyond: exactly(0.0),
            proportional: Part::BelowZero,
            proportional_beyond: Some(exactly(-10.0)),
        };
        let metric = Metric::Output {
            pattern: "v ([0-9.]+)".to_owned(),
            unit: "ops/s".to_owned(),
            higher_is_better: true,
        };
        assert_eq!(
            untied(&proportional(&below, &metric)),
            "below zero (−10.000 ops/s ±0.000)"
        );
    }

    fn exactly(value: f64) -> Bounded {
        let [estimate, low, high] = [value; 3];
        Bounded {
            estimate,
            low,
            high,
        }
    }

    #[test]
    fn equal_parts_are_neither_faster_nor_slower() {
        let said = |ln: f64| {
            let effect = Effect::from_ln(ln);
            let interval = Interval {
                estimate: effect,
                low: effect,
                high: effect,
            };
            untied(&part(&Part::Ratio { interval }, &Metric::CpuTime))
        };
        for rounding in [-2e-16, 0.0, 2e-16] {
            let said = said(rounding);
            assert!(said.starts_with("1.0000"), "{said}");
            assert!(!said.contains("er"), "{said}");
        }
        assert!(said(0.5_f64.ln()).contains("2.00000× faster"));
    }
}

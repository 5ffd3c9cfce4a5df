//! What every view of a history says.

use proofmark_conclude::history::{ChangeFound, ChangeSize, HistoryFound, Series};

use crate::number::{change_of, minute};
use crate::text::{TIE, printable};

/// Letters of a commit that are shown.
const SHORT: usize = 10;

/// The changes that are as large as the margin, and how many are smaller.
pub(super) fn listed(found: &HistoryFound, margin: f64) -> (Vec<(usize, &ChangeFound)>, usize) {
    let large = |change: &ChangeFound| match change.size {
        ChangeSize::Ratio(ratio) => ratio.estimate.relative().abs() >= margin,
        ChangeSize::Difference(..) => true,
    };
    let all = found.changes.iter().enumerate();
    let (listed, smaller): (Vec<_>, Vec<_>) = all.partition(|(_, change)| large(change));
    (listed, smaller.len())
}

/// What a point is called: its commit, its time, or its number from 1.
pub(super) fn label(series: &Series, at: usize) -> String {
    let Some(point) = series.points.get(at) else {
        return String::new();
    };
    let commit = point.commit.as_deref().map(printable);
    commit
        .map(|commit| commit.chars().take(SHORT).collect())
        .or_else(|| time(series, at))
        .unwrap_or_else(|| format!("value {}", at + 1))
}

/// When a point was made, to the minute.
pub(super) fn time(series: &Series, at: usize) -> Option<String> {
    let ms = series.points.get(at)?.time_ms?;
    Some(minute(u64::try_from(ms).ok()?))
}

/// Four digits that count, without an exponent where the number is neither huge nor tiny.
pub(super) fn digits(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.3e}").replace('-', "−");
    }
    let decimals = [1000.0, 100.0, 10.0, 1.0, 0.1, 0.01, 0.001];
    let decimals = decimals
        .iter()
        .position(|least| size >= *least)
        .unwrap_or(7);
    format!("{value:.decimals$}").replace('-', "−")
}

/// `17.00 → 29.10 s`.
pub(super) fn levels(series: &Series, found: &HistoryFound, change: usize) -> String {
    // A level of nothing but zeros is computed to the last digit of the others.
    let least = if found.relative {
        0.0
    } else {
        found.noise * 1e-6
    };
    let mean = |at: usize| {
        let mean = found.levels.get(at).map_or(f64::NAN, |level| level.mean);
        if mean.abs() < least { 0.0 } else { mean }
    };
    let unit = series
        .unit
        .as_deref()
        .map(|unit| format!(" {}", printable(unit)));
    format!(
        "{} → {}{}",
        digits(mean(change)),
        digits(mean(change + 1)),
        unit.unwrap_or_default()
    )
}

/// `+71 % [+69, +73]`.
pub(super) fn size(change: &ChangeFound) -> String {
    match &change.size {
        ChangeSize::Ratio(ratio) => change_of(ratio),
        ChangeSize::Difference(size, low, high) => {
            let sign = if *size > 0.0 { "+" } else { "" };
            format!(
                "{sign}{} [{}, {}]",
                digits(*size),
                digits(*low),
                digits(*high)
            )
        }
    }
}

/// The same without its interval: `+71 %`.
pub(super) fn estimate(change: &ChangeFound) -> String {
    let size = size(change);
    size.split(['[', TIE])
        .next()
        .map_or_else(String::new, |start| {
            let percent = matches!(change.size, ChangeSize::Ratio(_));
            format!("{}{}", start.trim_end(), if percent { " %" } else { "" })
        })
}

/// How many points earlier or later a change may lie: `−2 … +1`.
pub(super) fn within(change: &ChangeFound) -> String {
    let earlier = change.at.saturating_sub(change.within.start);
    let later = change.within.end.saturating_sub(change.at + 1);
    match (earlier, later) {
        (0, 0) => String::new(),
        (0, later) => format!("0 … +{later}"),
        (earlier, 0) => format!("−{earlier} … 0"),
        (earlier, later) => format!("−{earlier} … +{later}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_count() {
        let cases = [
            (0.0, "0"),
            (17.0, "17.00"),
            (0.012_345, "0.01235"),
            (-1234.56, "−1235"),
            (123_456.7, "123457"),
            (1e9, "1.000e9"),
        ];
        for (value, text) in cases {
            assert_eq!(digits(value), text);
        }
    }
}

//! The fastest and the slowest address of a sweep, and what tells them apart.

use proofmark_evidence::record::{RangeFound, Sweep, SweepConclusion};
use proofmark_terms::{AddressIndex, Metric};

use super::{addresses, all_functions, differ, percent, place, within};
use crate::line::Line;

pub(super) fn extremes(
    sweep: &Sweep,
    conclusion: &SweepConclusion,
    range: &RangeFound,
) -> Vec<Line> {
    let metric = &sweep.benchmark.metric;
    let [low, high] = ends(metric);
    let at = |index: AddressIndex| {
        let address = index.of(&sweep.addresses).map(place).unwrap_or_default();
        let found = index.of(&conclusion.addresses);
        let found = found.map_or(String::new(), |found| {
            format!(
                "{:.3} [{:.3}, {:.3}] of as shipped",
                found.ratio, found.low, found.high
            )
        });
        format!("{address}: {found}")
    };
    let count = conclusion.addresses.len();
    let other = sweep.against.as_ref();
    let other = other.map_or(String::new(), |one| format!(" and {:#x}", one.as_shipped));
    let shipped = format!(
        "{:#x}{other} in these images: {} of {count} {} have less {}, {} have more",
        sweep.as_shipped,
        range.less_than_shipped,
        addresses(sweep),
        metric.name(),
        count.saturating_sub(range.less_than_shipped as usize),
    );
    let mut lines = vec![
        Line {
            label: low,
            words: at(range.least),
        },
        Line {
            label: high,
            words: at(range.greatest),
        },
        Line {
            label: "as shipped",
            words: shipped,
        },
        Line {
            label: "range",
            words: format!(
                "{} as found, where noise alone makes {} of {count} addresses that are all alike",
                percent(range.found),
                percent(range.by_noise)
            ),
        },
    ];
    if let Some(afresh) = &range.afresh {
        lines.push(Line {
            label: "afresh",
            words: format!(
                "{} [{}, {}] between these two, in {} blocks of their own",
                percent(afresh.ratio),
                percent(afresh.low),
                percent(afresh.high),
                afresh.blocks
            ),
        });
    }
    lines
}

/// What the least and the greatest value are called.
fn ends(metric: &Metric) -> [&'static str; 2] {
    match metric {
        Metric::CpuTime | Metric::WallTime => ["fastest", "slowest"],
        Metric::PeakMemory | Metric::Output { .. } => ["least", "most"],
    }
}

pub(super) fn widths(conclusion: &SweepConclusion) -> Line {
    let own =
        |found: &proofmark_evidence::record::AddressFound| (found.high / found.low).sqrt() - 1.0;
    let mut owns: Vec<f64> = conclusion.addresses.iter().map(own).collect();
    owns.sort_by(f64::total_cmp);
    let mut together: Vec<f64> = conclusion
        .addresses
        .iter()
        .map(|one| one.together)
        .collect();
    together.sort_by(f64::total_cmp);
    let middle = |values: &[f64]| values.get(values.len() / 2).copied().unwrap_or(0.0);
    let most = |values: &[f64]| values.last().copied().unwrap_or(0.0);
    Line {
        label: "intervals",
        words: format!(
            "{} at each address (at most {}), {} for all together (at most {})",
            within(middle(&owns), 2),
            within(most(&owns), 2),
            within(middle(&together), 2),
            within(most(&together), 2)
        ),
    }
}

/// What crosses lines at the extremes, from the machine code: a description, and no cause.
pub(super) fn crossings(sweep: &Sweep, conclusion: &SweepConclusion) -> Vec<Line> {
    let loops: u64 = all_functions(sweep).map(|one| one.loops).sum();
    let Some(range) = conclusion.range.as_ref().filter(|_| differ(conclusion)) else {
        return Vec::new();
    };
    let at = |index: AddressIndex| index.of(&sweep.addresses);
    let (Some(least), Some(most)) = (at(range.least), at(range.greatest)) else {
        return Vec::new();
    };
    let [low, high] = ends(&sweep.benchmark.metric);
    vec![Line {
        label: "lines",
        words: format!(
            "of {loops} {} {} begin across a 32-byte line at the {low} address and {} at the \
             {high}, {} and {} across a 64-byte line; branches across or up to one: {} and {} of \
             32 bytes, {} and {} of 64",
            if loops == 1 { "loop" } else { "loops" },
            least.heads_32,
            most.heads_32,
            least.heads_64,
            most.heads_64,
            least.branches_32,
            most.branches_32,
            least.branches_64,
            most.branches_64
        ),
    }]
}

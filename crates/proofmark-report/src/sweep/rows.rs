//! What a sweep says, in sentences; how they are arranged is the terminal's.

mod explained;
mod extremes;
mod heads;

use proofmark_evidence::RecordedSweep;
use proofmark_evidence::record::{Sweep, SweepConclusion, SweepStop, SweptAddress, SweptFunction};

use self::explained::{inside, low_bits, stability, two_way};
use self::extremes::{crossings, extremes, widths};
use self::heads::heads;
use crate::line::Line;
use crate::method::left_out;
use crate::text::printable;
use crate::warning::remarked;

/// Below this p value a difference is said to be more than chance.
pub(super) const SEEN: f64 = 0.05;

/// The names of the functions that move.
pub(super) fn functions(sweep: &Sweep) -> String {
    let own = together(&sweep.functions);
    match &sweep.against {
        Some(against) => format!("{own} against {}", together(&against.functions)),
        None => own,
    }
}

/// The names of functions that move together.
pub(super) fn together(functions: &[SweptFunction]) -> String {
    match functions {
        [] => "no function".to_owned(),
        [one] => printable(&one.name),
        [first, rest @ ..] => {
            let first = printable(&first.name);
            format!("{first} and {} more, together", rest.len())
        }
    }
}

/// What is moved, as the subject of a sentence.
fn what_moves(sweep: &Sweep) -> String {
    match &sweep.inside {
        Some(inside) => {
            let what = if inside.is_head {
                "its loop"
            } else {
                "its code"
            };
            format!("where {what} at +{:#x} lies", inside.offset)
        }
        None if sweep.against.is_some() => "where they start".to_owned(),
        None => "where it starts".to_owned(),
    }
}

/// What is swept: addresses, or pairs of them.
fn addresses(sweep: &Sweep) -> &'static str {
    if sweep.against.is_some() {
        "pairs of addresses"
    } else {
        "addresses"
    }
}

/// An address in words.
fn place(at: &SweptAddress) -> String {
    match at.other {
        Some(other) => format!("{:#x} and {other:#x}", at.address),
        None => format!("{:#x}", at.address),
    }
}

/// Whether an address is that of the anchor.
pub(super) fn is_shipped(sweep: &Sweep, at: &SweptAddress) -> bool {
    let other = sweep.against.as_ref().map(|against| against.as_shipped);
    at.address == sweep.as_shipped && at.other == other
}

/// Whether addresses differ by more than chance.
pub(super) fn differ(conclusion: &SweepConclusion) -> bool {
    conclusion.differ.is_some_and(|by| by.p_value <= SEEN)
}

/// The first line: the answer.
pub(super) fn headline(recorded: &RecordedSweep, conclusion: &SweepConclusion) -> String {
    let sweep = &recorded.sweep;
    let metric = &sweep.benchmark.metric;
    let name = metric.name();
    let function = functions(sweep);
    let (moves, of) = (what_moves(sweep), addresses(sweep));
    let count = conclusion.addresses.len();
    let Some(range) = &conclusion.range else {
        return format!("{function}: {name} at {count} {of}");
    };
    if !differ(conclusion) {
        let seen = beyond(conclusion);
        let whose = if sweep.against.is_some() {
            "the"
        } else {
            "its"
        };
        return format!(
            "{function}: no difference between {whose} {count} {of} beyond chance{seen}"
        );
    }
    match &range.afresh {
        Some(afresh) if afresh.low <= 1.0 => format!(
            "{function}: {count} {of} differ by more than chance ({}), but by too little to be \
             told between the extremes, measured afresh: {} [{}, {}]",
            conclusion
                .differ
                .map_or_else(String::new, |by| chance(by.p_value)),
            percent(afresh.ratio),
            percent(afresh.low),
            percent(afresh.high),
        ),
        Some(afresh) => format!(
            "{function}: {moves} changes the {name} by {} [{}, {}] from best to worst of {count} \
             {of}",
            percent(afresh.ratio),
            percent(afresh.low),
            percent(afresh.high),
        ),
        None => format!(
            "{function}: {moves} changes the {name} by {} from best to worst of {count} {of}, as \
             found",
            percent(range.found)
        ),
    }
}

/// What differences could have stayed unseen.
fn beyond(conclusion: &SweepConclusion) -> String {
    let widest = conclusion
        .addresses
        .iter()
        .map(|found| found.together)
        .fold(0.0, f64::max);
    format!(" (each within {}, all together)", within(widest, 1))
}

/// The lines below the map.
pub(super) fn lines(recorded: &RecordedSweep, conclusion: &SweepConclusion) -> Vec<Line> {
    let sweep = &recorded.sweep;
    let mut lines: Vec<Line> = inside(sweep).into_iter().collect();
    if let Some(range) = &conclusion.range {
        lines.extend(extremes(sweep, conclusion, range));
    }
    lines.push(widths(conclusion));
    if let Some(by) = &conclusion.differ {
        let words = if by.p_value <= SEEN {
            format!(
                "addresses differ by more than chance ({})",
                chance(by.p_value)
            )
        } else {
            format!(
                "addresses that are all alike would differ as much in {:.0} % of sweeps",
                by.p_value * 100.0
            )
        };
        lines.push(Line {
            label: "chance",
            words,
        });
    }
    lines.extend(low_bits(conclusion));
    lines.extend(two_way(sweep, conclusion));
    lines.extend(crossings(sweep, conclusion));
    lines.extend(heads(sweep, conclusion));
    lines.extend(stability(sweep, conclusion));
    lines.extend(sweep.left_out.iter().map(|left| Line {
        label: "left out",
        words: format!(
            "{} {} from {:#x} on: {}",
            left.count,
            if left.count == 1 { "start" } else { "starts" },
            left.first,
            left.why
        ),
    }));
    lines.push(Line {
        label: "measured",
        words: measured(recorded, conclusion),
    });
    lines
}

/// What a reader must know, in words.
pub(super) fn notes(recorded: &RecordedSweep) -> Vec<String> {
    let sweep = &recorded.sweep;
    let differs = recorded.conclusion.as_ref().is_some_and(differ);
    let never = (sweep.is_run == Some(false)).then(|| {
        let more = if differs {
            "; what differs has another cause"
        } else {
            ""
        };
        let what = match &sweep.inside {
            Some(inside) => {
                let name = functions(sweep);
                format!("never comes to +{:#x} of {name}", inside.offset)
            }
            None => format!(
                "never runs {} (its callers may hold its code, inlined)",
                functions(sweep)
            ),
        };
        format!("the benchmark {what}: where it is cannot matter by itself{more}")
    });
    never
        .into_iter()
        .chain(copies(sweep))
        .chain(sweep.remarks.iter().map(remarked))
        .chain(left_out(recorded.private).map(str::to_owned))
        .collect()
}

/// What the compiler made of a function as well, and which stays.
fn copies(sweep: &Sweep) -> Vec<String> {
    let with_copies = all_functions(sweep).filter(|one| !one.copies.is_empty());
    let told = |one: &SweptFunction| {
        let (copies, stay) = match one.copies.as_slice() {
            [_] => ("another copy", "which stays"),
            _ => ("other copies", "which stay"),
        };
        let names = one.copies.join(", ");
        format!(
            "the image has {copies} of {}, {stay} where it was: {names}; another --function moves \
             it along",
            one.name
        )
    };
    with_copies.map(told).collect()
}

/// Those that move, and those that move against them.
fn all_functions(sweep: &Sweep) -> impl Iterator<Item = &SweptFunction> {
    let others = sweep.against.iter().flat_map(|against| &against.functions);
    sweep.functions.iter().chain(others)
}

fn measured(recorded: &RecordedSweep, conclusion: &SweepConclusion) -> String {
    let blocks = conclusion.addresses.iter().map(|found| found.blocks);
    let (least, most) = (blocks.clone().min().unwrap_or(0), blocks.max().unwrap_or(0));
    let each = if least == most {
        format!("{least}")
    } else {
        format!("{least} to {most}")
    };
    let why = match conclusion.stop {
        SweepStop::Precise => "",
        SweepStop::MostBlocks => {
            "; the most blocks were measured before all intervals were as narrow as asked for"
        }
        SweepStop::Budget => "; the budget ended it",
    };
    let sweep = &recorded.sweep;
    let seconds = conclusion.took_ms as f64 / 1e3;
    format!(
        "{each} blocks of {} rounds at each address, {} addresses beside as shipped in a block, \
         {seconds:.0} s, {:.0} % of it in runs{why}",
        sweep.rounds,
        sweep.group,
        conclusion.in_runs_ms as f64 / conclusion.took_ms.max(1) as f64 * 100.0
    )
}

/// Half the width of an interval; where few blocks leave nearly everything possible, just that.
fn within(half: f64, decimals: usize) -> String {
    if half < 10.0 {
        format!("±{:.decimals$} %", half * 100.0)
    } else {
        "more than ±1000 %".to_owned()
    }
}

/// By how much a ratio is above 1.
fn percent(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 9.95 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.0} %")
    }
}

/// A p value in words.
fn chance(p: f64) -> String {
    if p <= 0.001 {
        "p ≤ 0.001".to_owned()
    } else {
        format!("p = {p:.3}")
    }
}

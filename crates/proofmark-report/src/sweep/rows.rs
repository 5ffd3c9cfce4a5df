//! What a sweep says, in sentences; how they are arranged is the terminal's.

use proofmark_evidence::RecordedSweep;
use proofmark_evidence::record::{
    PartFound, RangeFound, Sweep, SweepConclusion, SweepStop, SweptAddress, SweptFunction,
};
use proofmark_terms::{AddressIndex, Metric};

use crate::method::left_out;
use crate::warning::remarked;

/// Below this p value a difference is said to be more than chance.
pub(super) const SEEN: f64 = 0.05;
/// Most bits that are named.
const NAMED_BITS: usize = 6;

/// A line: what it is about, and what there is to say.
pub(super) struct Line {
    pub(super) label: &'static str,
    pub(super) words: String,
}

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
        [one] => one.name.clone(),
        [first, rest @ ..] => format!("{} and {} more, together", first.name, rest.len()),
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

fn extremes(sweep: &Sweep, conclusion: &SweepConclusion, range: &RangeFound) -> Vec<Line> {
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

fn widths(conclusion: &SweepConclusion) -> Line {
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

fn low_bits(conclusion: &SweepConclusion) -> Vec<Line> {
    let Some(found) = &conclusion.low_bits else {
        return Vec::new();
    };
    if found.moduli.is_empty() {
        return vec![Line {
            label: "low bits",
            words: "too few addresses of equal low bits to tell what these explain".to_owned(),
        }];
    }
    let shares: Vec<String> = found
        .moduli
        .iter()
        .map(|one| {
            let mark = if one.p_value <= SEEN { "" } else { "?" };
            format!("{}: {:.0} %{mark}", one.modulus, one.share * 100.0)
        })
        .collect();
    let words = if found.bits.is_empty() {
        "no low bits explain what differs, by more than chance".to_owned()
    } else {
        let bits: Vec<String> = found
            .bits
            .iter()
            .take(NAMED_BITS)
            .map(|bit| format!("{bit} (of {})", 1_u64 << bit))
            .collect();
        format!(
            "{} {} of the address {} {:.0} % of what differs",
            if bits.len() == 1 { "bit" } else { "bits" },
            bits.join(", "),
            if bits.len() == 1 {
                "explains"
            } else {
                "explain"
            },
            found.share * 100.0
        )
    };
    vec![
        Line {
            label: "low bits",
            words,
        },
        Line {
            label: "modulo",
            words: format!("{} (? may be chance)", shares.join(" · ")),
        },
    ]
}

/// What of a function moves, where it is not its start.
fn inside(sweep: &Sweep) -> Option<Line> {
    let inside = sweep.inside.as_ref()?;
    let what = if inside.is_head {
        "a loop"
    } else {
        "a branch target"
    };
    let runs = if inside.falls {
        "; code falls into it, so that the padding is run through"
    } else {
        "; nothing falls into it, so that the padding is never run"
    };
    Some(Line {
        label: "inside",
        words: format!(
            "place {} of {}, {what} at +{:#x} with {} {} of padding as shipped; the function's \
             start stays{runs}",
            inside.number,
            inside.of,
            inside.offset,
            inside.padding,
            if inside.padding == 1 { "byte" } else { "bytes" },
        ),
    })
}

/// What each of two starts does.
fn two_way(sweep: &Sweep, conclusion: &SweepConclusion) -> Option<Line> {
    let (found, against) = (conclusion.two_way.as_ref()?, sweep.against.as_ref()?);
    let told = |part: &PartFound| {
        let mark = if part.p_value <= SEEN { "" } else { "?" };
        format!("{:.0} %{mark}", part.share * 100.0)
    };
    Some(Line {
        label: "of the two",
        words: format!(
            "{} by itself {}, {} by itself {}, both together beyond that {} (? may be chance)",
            together(&sweep.functions),
            told(&found.first),
            together(&against.functions),
            told(&found.second),
            told(&found.both)
        ),
    })
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
            None => format!("never runs {}", functions(sweep)),
        };
        format!("the benchmark {what}: where it is cannot matter by itself{more}")
    });
    never
        .into_iter()
        .chain(sweep.remarks.iter().map(remarked))
        .chain(left_out(recorded.private).map(str::to_owned))
        .collect()
}

/// What crosses lines at the extremes, from the machine code: a description, and no cause.
fn crossings(sweep: &Sweep, conclusion: &SweepConclusion) -> Vec<Line> {
    let others = sweep.against.iter().flat_map(|against| &against.functions);
    let loops: u64 = sweep
        .functions
        .iter()
        .chain(others)
        .map(|one| one.loops)
        .sum();
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

fn stability(sweep: &Sweep, conclusion: &SweepConclusion) -> Vec<Line> {
    let Some(by) = &conclusion.stability else {
        return Vec::new();
    };
    let spreads = conclusion.addresses.iter().enumerate();
    let spreads = spreads.filter_map(|(index, found)| Some((index, found.spread?)));
    let widest = spreads.max_by(|a, b| a.1.total_cmp(&b.1));
    let words = match widest {
        Some((index, spread)) if by.p_value <= SEEN => {
            let address = sweep.addresses.get(index).map(place).unwrap_or_default();
            format!(
                "runs spread more at some addresses, by more than chance ({}): {spread:.1} times \
                 as shipped at {address}",
                chance(by.p_value)
            )
        }
        _ => format!(
            "runs spread alike at all addresses, as far as can be told (chance makes as much in \
             {:.0} % of sweeps)",
            by.p_value * 100.0
        ),
    };
    vec![Line {
        label: "stability",
        words,
    }]
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

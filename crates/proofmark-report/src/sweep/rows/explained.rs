//! What in an address does it, and how stable runs are, in sentences.

use proofmark_evidence::record::{PartFound, Sweep, SweepConclusion};

use super::{SEEN, chance, place, together};
use crate::line::Line;

/// Most bits that are named.
const NAMED_BITS: usize = 6;

pub(super) fn low_bits(conclusion: &SweepConclusion) -> Vec<Line> {
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
        let largest = found.moduli.iter().map(|one| one.modulus).max();
        format!(
            "none of the bits below {} explains what differs, by more than chance",
            largest.unwrap_or(1)
        )
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
pub(super) fn inside(sweep: &Sweep) -> Option<Line> {
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
pub(super) fn two_way(sweep: &Sweep, conclusion: &SweepConclusion) -> Option<Line> {
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

pub(super) fn stability(sweep: &Sweep, conclusion: &SweepConclusion) -> Vec<Line> {
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

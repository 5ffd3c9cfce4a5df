//! How an experiment was measured, on which machine, and how to repeat it.

mod programs;
mod trees;

use proofmark_evidence::record::{
    Drawing, HeapStart, LayoutControl, Pilot, Schedule, ShiftBound, Warning,
};
use proofmark_evidence::{PrivateParts, Recorded};
use proofmark_hint::hint;
use proofmark_terms::{BuildIndex, Reading};

use crate::number::{counted, duration, minute, rough, share, slice};
use crate::text::{TIE, printable};
use crate::wording::drawing_name;

pub(crate) use programs::programs;
pub(crate) use trees::{files, trees, trees_of};

/// The name of a build, safe to print.
pub(crate) fn build_name(recorded: &Recorded, build: BuildIndex) -> String {
    let build = build.of(&recorded.experiment.builds);
    build.map_or_else(|| "?".to_owned(), |build| printable(&build.name))
}

/// `14 blocks of matched layouts (pad), 4 rounds each`, `21 s`, `sliced at 4 ms`, and what slices
/// did.
pub(crate) fn method(recorded: &Recorded) -> Vec<String> {
    let (blocks, took_ms) = match (&recorded.conclusion, &recorded.null_conclusion) {
        (Some(conclusion), _) => (conclusion.blocks, conclusion.took_ms),
        (None, Some(null)) => (null.blocks, null.took_ms),
        (None, None) => (
            blocks(recorded),
            recorded
                .blocks
                .iter()
                .map(|block| block.took_ms)
                .fold(0, u64::saturating_add),
        ),
    };
    let layouts = match &recorded.experiment.layouts {
        LayoutControl::Drawn { how, population } => {
            format!(" of {} layouts{TIE}({population})", drawing_name(how))
        }
        LayoutControl::AsShipped { .. } => ", placement not controlled".to_owned(),
    };
    let rounds = recorded
        .pilot
        .as_ref()
        .map(|pilot| format!(", {} each", counted(pilot.rounds, "round", "rounds")));
    let first = format!(
        "{}{layouts}{}",
        counted(blocks, "block", "blocks"),
        rounds.unwrap_or_default()
    );
    [first, duration(took_ms)]
        .into_iter()
        .chain(recorded.pilot.as_ref().map(schedule))
        .chain(slicing(recorded))
        .collect()
}

/// Blocks in the store.
pub(crate) fn blocks(recorded: &Recorded) -> u32 {
    u32::try_from(recorded.blocks.len()).unwrap_or(u32::MAX)
}

/// `sliced at 4 ms on core 1`, `whole runs in turn, free to use all cores`
pub(crate) fn schedule(pilot: &Pilot) -> String {
    let way = match pilot.schedule {
        Schedule::Sliced { slice_us } => format!("sliced at {}", slice(slice_us)),
        Schedule::Interleaved => "whole runs in turn".to_owned(),
    };
    match pilot.core {
        Some(core) => format!("{way} on core{TIE}{core}"),
        None => format!("{way}, free to use all cores"),
    }
}

/// `shorter slices differ by 0.1 % ± 0.3 %, whole runs by 0.4 % ± 1.2 %`, of the build whose
/// interval is widened most, and by how much; nothing where whole runs were taken.
fn slicing(recorded: &Recorded) -> Option<String> {
    let comparisons = &recorded.conclusion.as_ref()?.comparisons;
    let (comparison, found) = comparisons
        .iter()
        .filter_map(|comparison| Some((comparison, comparison.slicing.as_ref()?)))
        .max_by(|(a, _), (b, _)| a.widening.total_cmp(&b.widening))?;
    let shift = |bound: &ShiftBound| {
        let [estimate, half_width] = [bound.estimate.abs(), bound.half_width].map(f64::exp_m1);
        format!("{} ±{TIE}{}", percent(estimate), percent(half_width))
    };
    let alone = found.alone.as_ref();
    let alone = alone.map_or(String::new(), |alone| {
        format!(", builds on their own by {}", shift(alone))
    });
    Some(format!(
        "shorter slices differ by {}{alone}, whole runs by {}; the interval is wider by {} for that",
        shift(&found.short),
        shift(&found.whole),
        rough(comparison.widening.exp_m1())
    ))
}

/// `0.8 %`
fn percent(share: f64) -> String {
    if share < 0.0005 {
        format!("under 0.1{TIE}%")
    } else {
        format!("{:.1}{TIE}%", share * 100.0)
    }
}

/// What must be known before the numbers are believed; first of all that placement was not
/// controlled.
pub(crate) fn warnings(recorded: &Recorded) -> &[Warning] {
    match (&recorded.conclusion, &recorded.null_conclusion) {
        (Some(conclusion), _) => &conclusion.warnings,
        (None, Some(null)) => &null.warnings,
        (None, None) => &[],
    }
}

/// Why layouts were not matched; or not varied, where no warning says so.
pub(crate) fn layout_reason(recorded: &Recorded) -> Option<String> {
    match &recorded.experiment.layouts {
        LayoutControl::Drawn { how, .. } => match how {
            Drawing::Matched | Drawing::Jittered | Drawing::Inside => None,
            Drawing::Independent { reason } => {
                Some(format!("layouts are not matched: {}", printable(reason)))
            }
        },
        LayoutControl::AsShipped { reason } => {
            let warned = |warning: &Warning| {
                matches!(
                    warning,
                    Warning::PlacementNotControlled { .. } | Warning::OnePlacement { .. }
                )
            };
            let silent = !warnings(recorded).iter().any(warned);
            silent.then(|| format!("placement was not varied: {}", printable(reason)))
        }
    }
}

/// What layouts cannot average out, and what so many of them may have missed (rule of three: what
/// happens in a share p of the layouts is missed by n of them with a probability of (1 − p)ⁿ, which
/// is 5 % for p ≈ 3 ÷ n).
pub(crate) fn limits(recorded: &Recorded) -> Option<String> {
    let concluded = recorded.conclusion.as_ref()?;
    let rare = rare(concluded.blocks);
    let allocated = allocated(&recorded.experiment.heap);
    match recorded.experiment.layouts {
        LayoutControl::AsShipped { .. } => None,
        LayoutControl::Drawn {
            how: Drawing::Jittered | Drawing::Inside,
            ..
        } => Some(format!("{rare}; {allocated}")),
        LayoutControl::Drawn { .. } => Some(format!(
            "{rare}; code that shifts inside a function; {allocated}"
        )),
    }
}

/// What runs place themselves and nobody draws: the kernel draws no less than pages.
const fn allocated(heap: &HeapStart) -> &'static str {
    match heap {
        HeapStart::Drawn => {
            "data that shifts on a thread's stack, on the heap of another allocator than glibc's, or \
             of a program that the build starts"
        }
        HeapStart::AtPage { .. } => "data that shifts on the heap or on a thread's stack",
    }
}

/// Fewer layouts than this are no "3 in n": the rule is an approximation for many.
const RULE_OF_THREE: u32 = 8;

/// How common a kind of layout may be that so many draws did not meet (with a probability of 5 %,
/// `1 − 0.05^(1/n)`).
fn rare(layouts: u32) -> String {
    if layouts >= RULE_OF_THREE {
        return format!("not seen: layouts rarer than 3{TIE}in{TIE}{layouts}");
    }
    let missed = 1.0 - 0.05_f64.powf(1.0 / f64::from(layouts.max(1)));
    format!(
        "{} are few: what happens in {} of all layouts may not have been seen",
        counted(layouts, "layout", "layouts"),
        share(missed)
    )
}

/// The machine in a few words: model, cores, kernel, governor, hypervisor.
pub(crate) fn machine(recorded: &Recorded) -> Vec<String> {
    let known = |key: &str| match recorded.experiment.machine.facts.get(key) {
        Some(Reading::Known(value)) => Some(printable(value)),
        _ => None,
    };
    let named = |key: &'static str| known(key).map(|value| format!("{key} {value}"));
    [
        known("cpu"),
        named("cores"),
        named("kernel"),
        named("governor"),
        named("hypervisor"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// That what names persons and places was left out, where it was.
pub(crate) fn left_out(private: PrivateParts) -> Option<&'static str> {
    match private {
        PrivateParts::Here => None,
        PrivateParts::NotHere { .. } => Some(
            "the private part is not here: paths, names of persons and machines and values of \
             variables are shown as ⟨private N⟩",
        ),
    }
}

/// `experiment 3f9ac0ffee12`, `2026-11-21 20:14 UTC`, `proofmark 0.1.0`.
pub(crate) fn provenance(recorded: &Recorded) -> Vec<String> {
    let experiment = &recorded.experiment;
    vec![
        format!("experiment{TIE}{}", recorded.id.short()),
        format!(
            "{}{TIE}UTC",
            minute(experiment.began_ms).replace(' ', &TIE.to_string())
        ),
        format!("proofmark{TIE}{}", printable(&experiment.proofmark)),
    ]
}

/// How to see it again, and how to do it again.
pub(crate) fn again(recorded: &Recorded) -> Vec<String> {
    vec![
        format!(
            "the same command with --seed{TIE}{} repeats its draws",
            recorded.experiment.seed
        ),
        format!(
            "{} prints this again",
            hint("report", &[recorded.id.short()])
        ),
    ]
}

/// The benchmark's command, words with spaces quoted.
pub(crate) fn command(recorded: &Recorded) -> String {
    let word = |word: &proofmark_terms::OsText| {
        let text = printable(&word.display());
        let plain = |letter: char| letter.is_alphanumeric() || "{}-_./=:,+@%".contains(letter);
        if !text.is_empty() && text.chars().all(plain) {
            text
        } else {
            format!("'{}'", text.replace('\'', "'\\''"))
        }
    };
    recorded
        .experiment
        .benchmark
        .argv
        .iter()
        .map(word)
        .collect::<Vec<_>>()
        .join(" ")
}

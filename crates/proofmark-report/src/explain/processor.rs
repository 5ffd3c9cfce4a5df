//! The sentence on what the processor misses.

use proofmark_evidence::record::{CountFound, HardwareRuns, SimulatedRun, SimulatedRuns};

use super::explained::{Explained, Sentence};
use super::figures::{count, counted as count_name, is_of_processor, more};
use super::missed::whereabouts;

/// Why the processor takes longer: by its own counters where there are some, and by a model.
pub(super) fn sentence(explained: Explained<'_>) -> Sentence {
    let about = "why";
    if let Some(counted) = counted(explained) {
        return counted;
    }
    let lacking = match &explained.recorded.explanation.hardware {
        Some(HardwareRuns::Unavailable { reason }) => {
            format!("the processor's own counters: {reason}; ")
        }
        _ => String::new(),
    };
    match &explained.recorded.explanation.simulated {
        Some(SimulatedRuns::Counted {
            caches, base, new, ..
        }) => {
            let thousand = |misses: u64, run: &SimulatedRun| {
                misses as f64 * 1000.0 / run.instructions.max(1) as f64
            };
            let each = |what: &str, of: fn(&SimulatedRun) -> u64| {
                format!(
                    "{what} {:.2} instead of {:.2}{}",
                    thousand(of(new), new),
                    thousand(of(base), base),
                    whereabouts(explained, of)
                )
            };
            let [code, data, last] = caches;
            Sentence {
                about,
                words: format!(
                    "{lacking}in a model, of the images as shipped, a thousand instructions miss {}, {}, {}, \
                     and {}",
                    each("the instruction cache", |run| run.i1),
                    each("the data cache", |run| run.d1),
                    each("the last level", |run| run.ll_instructions + run.ll_data),
                    each("a branch", |run| run.branches),
                ),
                evidence: format!(
                    "callgrind, one run of each; a model and no measurement; instructions {code}; \
                     data {data}; last level {last}"
                ),
            }
        }
        Some(SimulatedRuns::Unavailable { reason }) => Sentence {
            about,
            words: format!("{lacking}what the processor waits for is not known: {reason}"),
            evidence: "none".to_owned(),
        },
        None => Sentence {
            about,
            words: format!("{lacking}what the processor waits for was not counted"),
            evidence: "`proofmark doctor` says which counters this machine has".to_owned(),
        },
    }
}

/// What the processor's own counters say; none where it has none.
fn counted(explained: Explained<'_>) -> Option<Sentence> {
    let hardware = explained.recorded.explanation.hardware.as_ref()?;
    let HardwareRuns::Counted { counters, lacking } = hardware else {
        return None;
    };
    let of_processor = |one: &&CountFound| is_of_processor(one.what) && one.differs;
    let differing = explained.conclusion.counts.iter().filter(of_processor);
    let differing: Vec<String> = differing
        .map(|one| {
            format!(
                "{} {} instead of {} ({})",
                count(one.new),
                count_name(one.what),
                count(one.base),
                more(one.base, one.new)
            )
        })
        .collect();
    let mut words = if differing.is_empty() {
        "by the processor's own counters nothing differs beyond noise".to_owned()
    } else {
        format!("by the processor's own counters: {}", differing.join(", "))
    };
    if !lacking.is_empty() {
        words = format!("{words}; not counted: {}", lacking.join(", "));
    }
    let runs = counters.first().map_or(0, |one| one.base.len());
    Some(Sentence {
        about: "why",
        words,
        evidence: format!(
            "{runs} runs of each, as shipped, in turn; of user space; intervals hold for all \
             counters together"
        ),
    })
}

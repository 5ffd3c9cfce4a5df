//! The paragraph of an explanation: sentences, each with its number and its evidence.

use proofmark_evidence::RecordedExplanation;
use proofmark_evidence::record::{
    AskedOfSystem, Cause, Counted, HardwareRuns, Instructions, PlaceFound, SampledBy,
    SampledLayouts, SimulatedRuns,
};

use super::explained::{Explained, Sentence};
use super::figures::{count, counted as count_name, difference, is_of_processor, more, one_place};
use super::{placement, processor};
use crate::number::{change_of, counted, interval};

/// All sentences, the cause first.
pub(super) fn sentences(explained: Explained<'_>) -> Vec<Sentence> {
    let mut all = vec![cause(explained)];
    all.extend(change(explained));
    all.push(work(explained));
    all.push(system(explained));
    all.push(whereabouts(explained));
    all.extend(placement::sentence(explained));
    all.push(processor::sentence(explained));
    all
}

/// What was found, in a sentence; none of one that was interrupted.
pub(crate) fn answer(recorded: &RecordedExplanation) -> Option<String> {
    let conclusion = recorded.conclusion.as_ref()?;
    Some(format!("first cause: {}", cause_words(&conclusion.cause)))
}

/// The first cause, in words.
pub(super) fn cause_words(cause: &Cause) -> String {
    match cause {
        Cause::NoDifference => {
            "no difference beyond noise: there is nothing to be explained".to_owned()
        }
        Cause::Undecided => {
            "undecided: the interval holds both no difference and one beyond the margin; more \
             blocks tell"
                .to_owned()
        }
        Cause::Placement => {
            "placement: the images as shipped differ, and over layouts the builds do not as much"
                .to_owned()
        }
        Cause::Work { function: None } => "another amount of work: instructions".to_owned(),
        Cause::Work {
            function: Some(function),
        } => {
            format!("another amount of work: instructions, in {function} above all")
        }
        Cause::SystemCalls { call: None } => "system calls".to_owned(),
        Cause::SystemCalls { call: Some(call) } => format!("system calls: {call} above all"),
        Cause::NoLongerInlined { function, of } => {
            format!("{function} stands by itself in one build, and is a part of {of} in the other")
        }
        Cause::ChangedCode { function } => {
            format!(
                "the machine code of {function}, which changed, takes another time for its work"
            )
        }
        Cause::Library { file } => format!("the library {file} takes another time"),
        Cause::PageFaults => "memory: page faults".to_owned(),
        Cause::BytesMoved { written: true } => {
            "system calls: the number of bytes that are written".to_owned()
        }
        Cause::BytesMoved { written: false } => {
            "system calls: the number of bytes that are read".to_owned()
        }
        Cause::Kernel => {
            "time in the kernel, of which neither calls, bytes nor page faults tell".to_owned()
        }
        Cause::Waiting => "waiting: locks, or what the system has not ready".to_owned(),
        Cause::DataCache => "the data cache (by a model)".to_owned(),
        Cause::InstructionCache => "the instruction cache (by a model)".to_owned(),
        Cause::Branches => "branches that are predicted wrongly (by a model)".to_owned(),
        Cause::Unexplained { suspects } if suspects.is_empty() => {
            "unexplained without counters: no function stands out".to_owned()
        }
        Cause::Unexplained { suspects } => format!(
            "unexplained without counters; suspects: {}",
            suspects
                .iter()
                .take(4)
                .cloned()
                .collect::<Vec<_>>()
                .join(", ")
        ),
    }
}

fn cause(explained: Explained<'_>) -> Sentence {
    let words = cause_words(&explained.conclusion.cause);
    let hardware = explained.recorded.explanation.hardware.as_ref();
    let words = match hardware {
        Some(HardwareRuns::Counted { .. }) => words.replace("by a model", "by counters"),
        _ => words,
    };
    let placement = explained.conclusion.placement.as_ref();
    let conflict = placement.and_then(|one| one.conflict.as_ref());
    let conflict = conflict.map_or("", placement::in_short);
    Sentence {
        about: "first cause",
        words: format!("{words}{conflict}"),
        evidence: "all that follows".to_owned(),
    }
}

fn change(explained: Explained<'_>) -> Option<Sentence> {
    let compared = explained.compared()?;
    let [base, new] = explained.names();
    let drawn = explained.comparison.experiment.layouts.is_drawn();
    let over = if drawn {
        "over layouts"
    } else {
        "as its linker laid it out"
    };
    let shipped = compared.as_shipped.as_ref().map(|shipped| {
        let beyond = shipped.interval.estimate.ratio() / compared.interval.estimate.ratio();
        let stands = shipped.better_than.map_or_else(String::new, |better| {
            format!(", better than {:.0} % of pairs of layouts", better * 100.0)
        });
        format!(
            "; as shipped it takes {}, which is {} beyond that{stands}",
            interval(&shipped.interval),
            crate::number::signed(beyond - 1.0)
        )
    });
    let unknown = if drawn {
        ""
    } else {
        "; how much of it is placement is not known"
    };
    Some(Sentence {
        about: "change",
        words: format!(
            "{over} {new} takes {} of the {} of {base} ({}){}{unknown}",
            interval(&compared.interval),
            explained.comparison.experiment.benchmark.metric.name(),
            change_of(&compared.interval),
            shipped.unwrap_or_default()
        ),
        evidence: comparison(explained),
    })
}

/// The comparison, as evidence.
pub(super) fn comparison(explained: Explained<'_>) -> String {
    let blocks = explained
        .comparison
        .conclusion
        .as_ref()
        .map_or(0, |one| one.blocks);
    format!(
        "comparison {}, {}",
        explained.comparison.id.short(),
        counted(blocks, "block", "blocks")
    )
}

/// Whether it is the same work in another time, or another amount of work.
fn work(explained: Explained<'_>) -> Sentence {
    let about = "work";
    let evidence = instructions_by(explained);
    match explained.found(Counted::Instructions) {
        Some(found) if found.differs => {
            let change = explained.compared().map(|one| one.interval.estimate);
            let work = (found.new / found.base.max(1.0)).ln();
            // Less than half of a change is not what it is made of.
            let is_little = change.is_some_and(|change| work / change.ln() < 0.5);
            let what = if is_little {
                "the amount of work differs by little of that"
            } else {
                "it is another amount of work"
            };
            Sentence {
                about,
                words: format!(
                    "{what}: {} instructions instead of {} ({})",
                    count(found.new),
                    count(found.base),
                    more(found.base, found.new)
                ),
                evidence,
            }
        }
        Some(found) => Sentence {
            about,
            words: format!(
                "it is the same work: {} instructions, {} more or less",
                count(found.base),
                crate::number::rough((found.new / found.base - 1.0).abs())
            ),
            evidence,
        },
        None => Sentence {
            about,
            words: "how many instructions it makes was not counted".to_owned(),
            evidence,
        },
    }
}

/// What counted instructions, as evidence, or why nothing did.
pub(super) fn instructions_by(explained: Explained<'_>) -> String {
    match explained.compared().map(|one| &one.instructions) {
        Some(Instructions::Counted { by, .. }) => format!("{by}, a run of each"),
        Some(Instructions::Unavailable { reason }) => {
            match &explained.recorded.explanation.simulated {
                Some(SimulatedRuns::Counted { .. }) => {
                    "callgrind, a run of each, as shipped".to_owned()
                }
                _ => reason.clone(),
            }
        }
        None => "the comparison".to_owned(),
    }
}

/// What it asks of the system.
fn system(explained: Explained<'_>) -> Sentence {
    let differing = explained
        .conclusion
        .counts
        .iter()
        .filter(|one| one.what != Counted::Instructions && !is_of_processor(one.what))
        .filter(|one| one.differs);
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
        "what it asks of the system does not differ beyond what runs of one build do".to_owned()
    } else {
        format!(
            "it asks for something else of the system: {}",
            differing.join(", ")
        )
    };
    if let AskedOfSystem::Unavailable { reason } = &explained.recorded.explanation.asked {
        words = format!("{words}; system calls were not counted: {reason}");
    }
    Sentence {
        about: "system",
        words,
        evidence: format!("two traced runs of each; {}", sampled(explained)),
    }
}

/// Where its time differs.
fn whereabouts(explained: Explained<'_>) -> Sentence {
    let explanation = &explained.recorded.explanation;
    if let Some(why) = &explanation.unsampled {
        return Sentence {
            about: "where",
            words: format!("where its time is cannot be told here: {why}"),
            evidence: "none".to_owned(),
        };
    }
    let places = &explained.conclusion.places;
    let differ = |one: &&PlaceFound| one.difference.is_some_and(|found| found.differs());
    let differing: Vec<String> = places
        .iter()
        .filter(differ)
        .take(3)
        .map(one_place)
        .collect();
    let all = places.iter().filter(differ).count();
    let others = if all > 3 {
        format!(", and {} more", all - 3)
    } else {
        String::new()
    };
    let whole = explained.conclusion.cpu.as_ref();
    let whole = whole.map_or_else(String::new, |cpu| {
        format!("sampled runs differ by {} of CPU time; ", difference(cpu))
    });
    let words = if differing.is_empty() {
        format!(
            "{whole}none of {} places differs beyond noise",
            explained.conclusion.compared
        )
    } else {
        format!(
            "{whole}of {} places these differ beyond noise: {}{others}",
            explained.conclusion.compared,
            differing.join("; "),
        )
    };
    Sentence {
        about: "where",
        words,
        evidence: sampled(explained),
    }
}

/// The sampled runs, as evidence.
pub(super) fn sampled(explained: Explained<'_>) -> String {
    let explanation = &explained.recorded.explanation;
    let by = explained.recorded.blocks.first().map(|block| block.base.by);
    let by = match by {
        Some(SampledBy::Callgrind) => "callgrind, instructions in the place of time",
        Some(SampledBy::Clock) => "the kernel's clock",
        None => return "no sampled runs".to_owned(),
    };
    let images = match &explanation.layouts {
        SampledLayouts::Drawn => "drawn layouts".to_owned(),
        SampledLayouts::AsShipped { why } => format!("the images as they are ({why})"),
    };
    format!(
        "{} by {by}, {} of each in a block, in {images}; intervals hold for all places together",
        counted(explained.conclusion.blocks, "block", "blocks"),
        counted(explanation.runs, "run", "runs"),
    )
}

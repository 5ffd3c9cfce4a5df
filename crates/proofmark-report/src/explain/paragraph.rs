//! The paragraph of an explanation: sentences, each with its number and its evidence.

use proofmark_evidence::record::{
    AskedOfSystem, Cause, Comparison, CountFound, Counted, ExplanationConclusion, Instructions,
    PlaceFound, SampledBy, SampledLayouts, SimulatedRun, SimulatedRuns,
};
use proofmark_evidence::{Recorded, RecordedExplanation};

use super::figures::{code, count, counted as count_name, difference, more, place, share};
use crate::number::{change_of, counted, interval};

/// A sentence, and what it rests on.
pub(super) struct Sentence {
    /// What it is about: `cause`, `change`, `work`, `where`, `why`.
    pub(super) about: &'static str,
    /// Without a full stop.
    pub(super) words: String,
    /// In words.
    pub(super) evidence: String,
}

/// An explanation with the comparison that it is of.
#[derive(Clone, Copy)]
pub(super) struct Explained<'a> {
    pub(super) recorded: &'a RecordedExplanation,
    pub(super) comparison: &'a Recorded,
    pub(super) conclusion: &'a ExplanationConclusion,
}

impl<'a> Explained<'a> {
    /// One that has a conclusion.
    pub(super) fn of(recorded: &'a RecordedExplanation, comparison: &'a Recorded) -> Option<Self> {
        Some(Explained {
            recorded,
            comparison,
            conclusion: recorded.conclusion.as_ref()?,
        })
    }

    /// What the comparison says of the build.
    pub(super) fn compared(&self) -> Option<&'a Comparison> {
        let build = self.recorded.explanation.build;
        let mut all = self.comparison.conclusion.as_ref()?.comparisons.iter();
        all.find(|one| one.build == build)
    }

    /// The names of base and build.
    pub(super) fn names(&self) -> [&'a str; 2] {
        let builds = &self.comparison.experiment.builds;
        let name = |at: usize| builds.get(at).map_or("?", |build| build.name.as_str());
        [name(0), name(self.recorded.explanation.build.place())]
    }

    fn found(&self, what: Counted) -> Option<&'a CountFound> {
        self.conclusion.counts.iter().find(|one| one.what == what)
    }
}

/// All sentences, the cause first.
pub(super) fn sentences(explained: Explained<'_>) -> Vec<Sentence> {
    let mut all = vec![cause(explained)];
    all.extend(change(explained));
    all.push(work(explained));
    all.push(system(explained));
    all.push(whereabouts(explained));
    all.push(why(explained));
    all
}

/// The first cause, in words.
pub(super) fn cause_words(cause: &Cause) -> String {
    match cause {
        Cause::NoDifference => {
            "no difference beyond noise: there is nothing to be explained".to_owned()
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
    Sentence {
        about: "first cause",
        words: cause_words(&explained.conclusion.cause),
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
        Some(Instructions::Unavailable { reason }) => reason.clone(),
        None => "the comparison".to_owned(),
    }
}

/// What it asks of the system.
fn system(explained: Explained<'_>) -> Sentence {
    let differing = explained
        .conclusion
        .counts
        .iter()
        .filter(|one| one.what != Counted::Instructions && one.differs);
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

fn one_place(found: &PlaceFound) -> String {
    let by = found
        .difference
        .map_or_else(String::new, |by| format!(", {}", difference(&by)));
    let code = found
        .code
        .as_ref()
        .map_or_else(String::new, |one| format!(", {}", code(one)));
    let line = found.line.as_ref().map_or_else(String::new, |line| {
        format!(", line {}:{} above all", line.file, line.line)
    });
    format!(
        "{} {} → {} of the base's run{by}{code}{line}",
        place(&found.place),
        share(found.base),
        share(found.new)
    )
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

/// Why the processor takes longer, by a model: no counter is asked.
fn why(explained: Explained<'_>) -> Sentence {
    let about = "why";
    match &explained.recorded.explanation.simulated {
        Some(SimulatedRuns::Counted { caches, base, new }) => {
            let thousand = |misses: u64, run: &SimulatedRun| {
                misses as f64 * 1000.0 / run.instructions.max(1) as f64
            };
            let each = |what: &str, of: fn(&SimulatedRun) -> u64| {
                format!(
                    "{what} {:.2} instead of {:.2}",
                    thousand(of(new), new),
                    thousand(of(base), base)
                )
            };
            let [code, data, last] = caches;
            Sentence {
                about,
                words: format!(
                    "in a model, of the images as shipped, a thousand instructions miss {}, {}, {}, \
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
            words: format!("what the processor waits for is not known: {reason}"),
            evidence: "none".to_owned(),
        },
        None => Sentence {
            about,
            words: "what the processor waits for was not counted".to_owned(),
            evidence: "`proofmark doctor` says which counters this machine has".to_owned(),
        },
    }
}

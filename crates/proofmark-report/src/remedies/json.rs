//! Remedies for programs: a part of the document of their explanation.

use proofmark_evidence::record::Comparison;
use proofmark_terms::{BuildIndex, Interval};
use schemars::JsonSchema;
use serde::Serialize;

use super::rows::{answer, notes};
use super::{Made, Outcome, Remedies, Remedy, Tried, found};

/// What was tried against a placement.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RemediesEntry {
    /// The build that remedies are for.
    of: String,
    /// How many of its functions hold 99 % of the samples.
    hot: u64,
    /// Which remedy is best and what it makes afresh, or that none helps; in words.
    words: String,
    /// Each remedy.
    tried: Vec<TriedEntry>,
    /// The name of the comparison of all that could be measured; null where none could.
    comparison: Option<String>,
    /// The best one, measured afresh; null where none helps.
    best: Option<BestEntry>,
    /// What was not measured and why, in words.
    notes: Vec<String>,
}

/// A remedy.
#[derive(Serialize, JsonSchema)]
struct TriedEntry {
    /// `together` or `aligned`.
    remedy: &'static str,
    /// Of `aligned`, the multiple in bytes; null otherwise.
    bytes: Option<u64>,
    /// `compared`, `not-made` or `broke`.
    outcome: &'static str,
    /// Why it was not compared; null where it was.
    why: Option<String>,
    /// The build that it is; null where there is none, or it broke.
    build: Option<MadeEntry>,
    /// What the comparison says of it; null where it was not compared.
    found: Option<FoundEntry>,
}

/// A build that is a remedy.
#[derive(Serialize, JsonSchema)]
struct MadeEntry {
    /// Its name among the captured builds.
    name: String,
    /// How many functions it is about.
    functions: u64,
    /// Functions that stay where they were.
    left: Vec<LeftEntry>,
    /// What makes the same of the build's own sources; FILE stands for the file of `--keep`.
    keep: String,
    /// Bytes of code: of the build as it was, and its own.
    text_bytes: [u64; 2],
}

/// A function that stays where it was.
#[derive(Serialize, JsonSchema)]
struct LeftEntry {
    /// As people call it.
    name: String,
    /// Why.
    why: String,
}

/// What a comparison says of a remedy, new ÷ base, where the base is the build as it was.
#[derive(Serialize, JsonSchema)]
struct FoundEntry {
    /// Of the images as shipped; null where they were not measured.
    as_shipped: Option<RatioEntry>,
    /// Over layouts in which each build keeps its own order and alignment.
    over_layouts: RatioEntry,
    /// Standard deviation between layouts; null where it is not known.
    layout_spread: Option<SpreadEntry>,
}

/// A ratio with its interval.
#[derive(Serialize, JsonSchema)]
struct RatioEntry {
    /// The estimate.
    ratio: f64,
    /// Lower bound.
    low: f64,
    /// Upper bound.
    high: f64,
}

/// A ratio of spreads.
#[derive(Serialize, JsonSchema)]
struct SpreadEntry {
    /// The estimate.
    ratio: f64,
    /// Lower bound.
    low: f64,
    /// Upper bound; null where there is none.
    high: Option<f64>,
}

/// The best remedy, measured afresh.
#[derive(Serialize, JsonSchema)]
struct BestEntry {
    /// Its name among the captured builds.
    name: String,
    /// The name of the comparison.
    comparison: String,
    /// What it says; null where it has no end.
    found: Option<FoundEntry>,
    /// Where the file to keep was written; null where none was.
    written: Option<String>,
}

/// Remedies for programs.
pub(crate) fn entry(remedies: &Remedies) -> RemediesEntry {
    RemediesEntry {
        of: remedies.of.clone(),
        hot: remedies.hot,
        words: answer(remedies),
        tried: remedies
            .tried
            .iter()
            .map(|tried| tried_entry(remedies, tried))
            .collect(),
        comparison: remedies.comparison.as_ref().map(|one| one.id.to_string()),
        best: remedies.best().map(|(_, made, afresh)| BestEntry {
            name: made.name.clone(),
            comparison: afresh.comparison.id.to_string(),
            found: found(&afresh.comparison, BuildIndex(1)).map(found_entry),
            written: afresh.written.clone(),
        }),
        notes: notes(remedies),
    }
}

fn tried_entry(remedies: &Remedies, tried: &Tried) -> TriedEntry {
    let (remedy, bytes) = match tried.remedy {
        Remedy::Together => ("together", None),
        Remedy::Aligned(bytes) => ("aligned", Some(bytes)),
    };
    let (outcome, why, made) = match &tried.outcome {
        Outcome::NotMade(why) => ("not-made", Some(why.clone()), None),
        Outcome::Broke(why) => ("broke", Some(why.clone()), None),
        Outcome::Compared(made) => ("compared", None, Some(&**made)),
    };
    TriedEntry {
        remedy,
        bytes,
        outcome,
        why,
        build: made.map(made_entry),
        found: made
            .and_then(|made| remedies.found(made.build))
            .map(found_entry),
    }
}

fn made_entry(made: &Made) -> MadeEntry {
    let left = made.left.iter().map(|(name, why)| LeftEntry {
        name: name.clone(),
        why: why.clone(),
    });
    MadeEntry {
        name: made.name.clone(),
        functions: made.functions,
        left: left.collect(),
        keep: made.keep.clone(),
        text_bytes: made.text_bytes,
    }
}

fn found_entry(found: &Comparison) -> FoundEntry {
    FoundEntry {
        as_shipped: found.as_shipped.map(|shipped| ratio(&shipped.interval)),
        over_layouts: ratio(&found.interval),
        layout_spread: found.layout_spread.map(|spread| SpreadEntry {
            ratio: spread.ratio,
            low: spread.low,
            high: spread.high,
        }),
    }
}

fn ratio(interval: &Interval) -> RatioEntry {
    RatioEntry {
        ratio: interval.estimate.ratio(),
        low: interval.low.ratio(),
        high: interval.high.ratio(),
    }
}

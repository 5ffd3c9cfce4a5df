//! What is said of remedies, in words.

use proofmark_evidence::record::{Comparison, SpreadRatio};
use proofmark_hint::hint;
use proofmark_terms::BuildIndex;

use super::{Made, Outcome, Remedies, Remedy, Tried, found};
use crate::number::{self, counted, grouped, interval};

/// Functions that are named.
const NAMES: usize = 3;
/// Heads of the table.
pub(super) const HEAD: [&str; 5] = [
    "remedy",
    "as shipped",
    "over layouts",
    "layout spread",
    "bytes of code",
];
/// What a link that is run again cannot try, and why: it is said, so that nobody takes it for
/// tried.
const NOT_TRIED: [&str; 2] = [
    "not tried: aligned loops, a profile (PGO), other flags of the compiler. A capture does not \
     keep how its sources are compiled. Build it so, capture that, and compare both with \
     `--layouts independent`",
    "not tried: huge pages for code. A link alone does not make them: the kernel has to join pages \
     of files, or the program has to ask",
];

/// What was tried, in words.
pub(super) fn remedy(remedy: Remedy) -> String {
    match remedy {
        Remedy::Together => "hot functions together".to_owned(),
        Remedy::Aligned(bytes) => format!("functions aligned to {bytes}"),
    }
}

/// A row for each remedy that was measured.
pub(super) fn rows(remedies: &Remedies) -> Vec<Vec<String>> {
    let measured = remedies.tried.iter().filter_map(|tried| {
        let Outcome::Compared(made) = &tried.outcome else {
            return None;
        };
        Some(row(tried, made, remedies.found(made.build)?))
    });
    measured.collect()
}

fn row(tried: &Tried, made: &Made, found: &Comparison) -> Vec<String> {
    let [was, is] = made.text_bytes;
    vec![
        remedy(tried.remedy),
        found
            .as_shipped
            .map_or_else(|| "–".to_owned(), |shipped| interval(&shipped.interval)),
        interval(&found.interval),
        found
            .layout_spread
            .as_ref()
            .map_or_else(|| "–".to_owned(), number::spread),
        format!("{} → {}", grouped(was), grouped(is)),
    ]
}

/// The first line: what this is about.
pub(super) fn about(remedies: &Remedies) -> String {
    let hot = u32::try_from(remedies.hot).unwrap_or(u32::MAX);
    format!(
        "Remedies for {0}. Each is held against {0} as it was (new/base), in layouts that keep the \
         order and the alignment of each build. {1} 99 % of the samples.",
        remedies.of,
        counted(hot, "function holds", "functions hold")
    )
}

/// Which remedy is best, and what it makes afresh; or that none helps.
pub(super) fn answer(remedies: &Remedies) -> String {
    let Some((tried, made, afresh)) = remedies.best() else {
        return match &remedies.comparison {
            None => "Nothing could be tried.".to_owned(),
            Some(_) => format!(
                "No remedy helps: none makes {} as shipped faster beyond the margin.",
                remedies.of
            ),
        };
    };
    let what = remedy(tried.remedy);
    let Some(found) = found(&afresh.comparison, BuildIndex(1)) else {
        return format!("Best: {what}. It was not measured afresh: that came to no end.");
    };
    let shipped = found.as_shipped.map_or_else(
        || "not measured as shipped".to_owned(),
        |shipped| format!("{} as shipped", interval(&shipped.interval)),
    );
    let comes_back = found.layout_spread.as_ref().map_or("", peak);
    let file = match &afresh.written {
        Some(path) => format!(" (FILE: {path})"),
        None if made.keep.contains("FILE") => " (`--keep PATH` writes FILE)".to_owned(),
        None => String::new(),
    };
    format!(
        "Best: {what}. Measured afresh: {shipped}, {} over layouts{comes_back}. To keep it: \
         {}{file}.",
        interval(&found.interval),
        made.keep
    )
}

/// Whether the peak can come back, by the spread of layouts.
fn peak(spread: &SpreadRatio) -> &'static str {
    match spread.high {
        Some(high) if high < 1.0 => {
            "; its layouts differ less than they did, so that the next commit changes less by place"
        }
        _ if spread.low > 1.0 => {
            "; its layouts differ more than they did, so that the next commit changes more by place"
        }
        _ => "; whether its layouts differ less than they did cannot be told",
    }
}

/// What was not measured and why, and what else is to be known.
pub(super) fn notes(remedies: &Remedies) -> Vec<String> {
    let mut notes = Vec::new();
    for tried in &remedies.tried {
        let what = remedy(tried.remedy);
        match &tried.outcome {
            Outcome::NotMade(why) => notes.push(format!("{what}: not made. {why}")),
            Outcome::Broke(why) => notes.push(format!("{what}: broke. {why}")),
            Outcome::Compared(made) => notes.extend(left(&what, made)),
        }
    }
    notes.extend(NOT_TRIED.map(str::to_owned));
    if let Some(comparison) = &remedies.comparison {
        let ids = [
            Some(comparison),
            remedies.afresh.as_ref().map(|one| &one.comparison),
        ];
        let shown = ids.into_iter().flatten();
        let shown: Vec<String> = shown.map(|one| hint("report", &[one.id.short()])).collect();
        notes.push(format!("all of it: {}", shown.join(", ")));
    }
    notes
}

/// Functions that stayed where they were.
fn left(what: &str, made: &Made) -> Option<String> {
    let (first, why) = made.left.first()?;
    let more = u32::try_from(made.left.len() - 1).unwrap_or(u32::MAX);
    let names: Vec<&str> = made
        .left
        .iter()
        .take(NAMES)
        .map(|(name, _)| &**name)
        .collect();
    Some(if more == 0 {
        format!("{what}: {first} stays where it was, for {why}")
    } else {
        format!(
            "{what}: {} stay where they were, such as {} ({first}: {why})",
            counted(more + 1, "function", "functions"),
            names.join(", ")
        )
    })
}

//! The tables of an explanation.

use proofmark_conclude::explain::unseen;
use proofmark_evidence::record::{Counted, HotPlace, PlaceFound, PlaceOf, PlacedCode, PlacedImage};

use super::explained::Explained;
use super::figures::{code, count, counted, difference, more, place, share};
use super::paragraph::instructions_by;
use crate::number::grouped;
use crate::text::printable;

/// Most places that are shown.
const PLACES: usize = 12;

/// Most functions of which it is shown where they stand.
const FUNCTIONS: usize = 8;

/// Heads of the table of where code stands.
pub(super) const PLACED: [&str; 5] = [
    "as shipped",
    "base",
    "new",
    "loops: lines too many",
    "jumps at lines' ends",
];
/// Heads of the table of counts.
pub(super) const COUNTS: [&str; 5] = ["a run", "base", "new", "difference", "evidence"];
/// Heads of the table of places.
pub(super) const PLACES_HEAD: [&str; 5] =
    ["CPU time in", "base", "new", "difference", "machine code"];

/// What was counted, a row for each.
pub(super) fn counts(explained: Explained<'_>) -> Vec<Vec<String>> {
    let rows = explained.conclusion.counts.iter().map(|one| {
        let evidence = match one.what {
            Counted::Instructions => instructions_by(explained),
            Counted::SystemCalls | Counted::BytesRead | Counted::BytesWritten => {
                "two traced runs of each".to_owned()
            }
            Counted::PageFaults | Counted::Waits | Counted::Preempted => "sampled runs".to_owned(),
            _ => "the processor's counters".to_owned(),
        };
        let by = if one.differs {
            more(one.base, one.new)
        } else {
            "alike".to_owned()
        };
        vec![
            counted(one.what).to_owned(),
            count(one.base),
            count(one.new),
            by,
            evidence,
        ]
    });
    rows.collect()
}

/// Where the time is, a row for each place, and one of all others together.
pub(super) fn places(explained: Explained<'_>) -> Vec<Vec<String>> {
    let all = &explained.conclusion.places;
    let mut rows: Vec<Vec<String>> = all.iter().take(PLACES).map(row).collect();
    let others = all.get(PLACES..).unwrap_or_default();
    if !others.is_empty() {
        let sum = |of: fn(&PlaceFound) -> f64| share(others.iter().map(of).sum());
        rows.push(vec![
            format!("{} others", others.len()),
            sum(|one| one.base),
            sum(|one| one.new),
            String::new(),
            String::new(),
        ]);
    }
    rows
}

fn row(found: &PlaceFound) -> Vec<String> {
    let by = found.difference.as_ref();
    let line = found
        .line
        .as_ref()
        .map(|line| format!("{}:{}", line.file, line.line));
    let code = found.code.as_ref().map(code);
    let words: Vec<String> = [code, line].into_iter().flatten().collect();
    vec![
        printable(&place(&found.place)),
        share(found.base),
        share(found.new),
        by.map_or_else(String::new, |by| {
            let mark = if by.differs() { "" } else { " (noise)" };
            format!("{}{mark}", difference(by))
        }),
        printable(&words.join(", ")),
    ]
}

/// Where the code stands that differs by place: a row for each of its numbers, and one for each
/// function. Nothing where place makes no difference.
pub(super) fn placed(explained: Explained<'_>) -> Vec<Vec<String>> {
    let explanation = &explained.recorded.explanation;
    let (Some(found), Some(PlacedCode::Read { base, new, .. })) =
        (&explained.conclusion.placement, &explanation.placed)
    else {
        return Vec::new();
    };
    let pair = |what: String, of: fn(&PlacedImage) -> u64| {
        let [base, new] = [base, new].map(|image| grouped(of(image)));
        vec![what, base, new, String::new(), String::new()]
    };
    let room = format!("hot lines in the fullest sets, which hold {}", new.room);
    let mut rows = vec![
        pair("hot lines of 64 bytes".to_owned(), |one| one.lines),
        pair(room, |one| one.fullest),
        pair("hot lines that do not fit".to_owned(), |one| one.beyond),
        pair("pages of hot code".to_owned(), |one| one.pages),
    ];
    let differing = |one: &&HotPlace| {
        found.places.iter().any(|place| match &place.place {
            PlaceOf::Function { symbol, .. } => *symbol == one.symbol,
            _ => false,
        })
    };
    let functions = new.functions.iter().filter(differing).take(FUNCTIONS);
    rows.extend(functions.map(|new| {
        let base = base.functions.iter().find(|one| one.symbol == new.symbol);
        function(base, new)
    }));
    rows
}

/// A hot function in both images.
fn function(base: Option<&HotPlace>, new: &HotPlace) -> Vec<String> {
    let both = |of: fn(&HotPlace) -> u64| {
        let base = base.map_or_else(|| "–".to_owned(), |one| of(one).to_string());
        format!("{base} → {}", of(new))
    };
    vec![
        printable(&new.name),
        base.map_or_else(|| "–".to_owned(), |one| format!("{:#x}", one.start)),
        format!("{:#x}", new.start),
        both(|one| one.lines_beyond + one.loops_across),
        both(|one| one.jumps),
    ]
}

/// What there is to know of how it was found, in words.
pub(super) fn notes(explained: Explained<'_>) -> Vec<String> {
    let explanation = &explained.recorded.explanation;
    let mut notes = Vec::new();
    if explanation.runs > 1 {
        notes.push(format!(
            "a run takes {:.1} ms, which is few samples: each block has {} runs of each build",
            explained.conclusion.base_run_ms, explanation.runs
        ));
    }
    notes.extend(short_tasks(explained));
    if let proofmark_evidence::record::CodeBetween::Unread { reason } = &explanation.code {
        notes.push(format!("the machine code was not compared: {reason}"));
    }
    notes.extend(crate::method::left_out(explained.recorded.private).map(str::to_owned));
    notes
}

/// How much of the kernel's row may be user time of threads and processes that are too short to be
/// sampled; nothing where that is less than a hundredth.
fn short_tasks(explained: Explained<'_>) -> Option<String> {
    let Explained { recorded, .. } = explained;
    let run_ns = explained.conclusion.base_run_ms * 1e6;
    let unseen = unseen(&recorded.explanation.asked, &recorded.blocks, run_ns);
    (unseen >= 0.01).then(|| {
        format!(
            "samples miss threads and processes that are very short: up to {} of a run of the base \
             may be theirs, and is in the kernel's row",
            share(unseen.min(1.0))
        )
    })
}

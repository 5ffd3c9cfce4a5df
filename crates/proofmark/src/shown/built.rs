//! The builds of a matrix, as views show them.

use proofmark_project::{BuildOutcome, BuiltCell, FlagReport, Made, identical, uneven};
use proofmark_report::built::{
    BuildEntry, BuiltView, FlagsEntry, MissingEntry, PresentEntry, TakenEntry, UnevenEntry,
};

/// The builds of a matrix.
pub(crate) fn built(cells: &[BuiltCell]) -> BuiltView {
    let same = identical(cells);
    let names = |group: &Vec<&_>| group.iter().map(ToString::to_string).collect();
    let uneven = uneven(cells);
    BuiltView {
        cells: cells.iter().map(entry).collect(),
        identical: same.iter().map(names).collect(),
        uneven: uneven
            .into_iter()
            .map(|of| UnevenEntry {
                feature: of.feature,
                with: of.with,
                without: of.without,
            })
            .collect(),
    }
}

fn entry(cell: &BuiltCell) -> BuildEntry {
    let made = cell.made();
    BuildEntry {
        name: cell.cell.name.clone(),
        key: cell.key.clone(),
        log: cell.log.to_string_lossy().into_owned(),
        has_log: cell.log.is_file(),
        kept: made.is_some_and(|made| made.kept),
        capture: made.map(|made| made.capture.name.clone()),
        image: made.and_then(|made| Some(made.links().ok()?.first()?.image_hash.to_string())),
        seconds: made.map(|made| made.seconds),
        unseen: made.and_then(|made| made.unseen.clone()),
        taken: made.map_or_else(Vec::new, taken),
        flags: made.map(|made| flags(&made.flags)),
        problem: match &cell.outcome {
            BuildOutcome::Made(_) => None,
            BuildOutcome::Failed(failure) => Some(failure.why.clone()),
        },
    }
}

fn taken(made: &Made) -> Vec<TakenEntry> {
    let stale = made.capture.stale.iter();
    let taken = stale.map(|one| TakenEntry {
        objects: one.objects,
        of: one.of,
        capture: one.capture.clone(),
    });
    taken.collect()
}

fn flags(report: &FlagReport) -> FlagsEntry {
    let missing = report.missing.iter().map(|missing| MissingEntry {
        flag: missing.flag.clone(),
        why: missing.why.clone(),
    });
    let present = report.present.iter().map(|finding| PresentEntry {
        feature: finding.feature,
        asked: finding.asked,
        how: finding.how.clone(),
    });
    FlagsEntry {
        asked: report.asked.clone(),
        missing: missing.collect(),
        present: present.collect(),
    }
}

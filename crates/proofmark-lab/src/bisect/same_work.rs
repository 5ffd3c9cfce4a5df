//! Whether what drawn images showed is true of the builds' own files.

use proofmark_conclude::is_withheld;
use proofmark_evidence::Recorded;
use proofmark_evidence::record::DrawnWork;

use crate::error::LabError;

/// Refuses an experiment whose drawn images do other work than the builds as shipped, or of which
/// nobody knows whether they do. No commit can be blamed for what it shows.
pub(crate) fn same_work(recorded: &Recorded) -> Result<(), LabError> {
    let conclusion = recorded.conclusion.as_ref();
    let comparisons = conclusion.iter().flat_map(|one| &one.comparisons);
    let mut withheld = comparisons.filter(|one| is_withheld(one));
    let Some(comparison) = withheld.next() else {
        return Ok(());
    };
    let found = match &comparison.drawn {
        Some(DrawnWork::Other {
            build,
            shipped,
            drawn,
        }) => format!(
            "{build} does other work in layouts: {drawn} instructions, and {shipped} as shipped"
        ),
        Some(DrawnWork::Evened {
            build,
            count,
            example,
        }) => {
            return Err(LabError::Refused(format!(
                "{build} differs as shipped by more than layouts explain, and layouts give both builds data of one size ({count} differ, as {example})\n  next: --layouts independent gives each build its own data"
            )));
        }
        Some(DrawnWork::Reordered {
            build,
            count,
            example,
        }) => {
            return Err(LabError::Refused(format!(
                "{build} differs as shipped by more than layouts explain, and layouts give both builds one order of functions and data ({count} stand elsewhere, as {example})\n  next: --layouts independent gives each build its own order"
            )));
        }
        Some(DrawnWork::Spread { build, code, .. }) => {
            let what = if *code { "code" } else { "data" };
            return Err(LabError::Refused(format!(
                "the builds differ as shipped by more than layouts explain, and layouts leave room in {build} for what only the other one has, so that its {what} lies less densely\n  next: --layouts independent lays each build out on its own"
            )));
        }
        Some(DrawnWork::Unknown { why }) => {
            let new = comparison.build.of(&recorded.experiment.builds);
            let new = new.map_or("?", |build| build.name.as_str());
            format!("whether {new} does other work in layouts is not known: {why}")
        }
        Some(DrawnWork::Same) | None => return Ok(()),
    };
    Err(LabError::Refused(format!(
        "{found}\n  next: --layouts as-shipped compares the files as they are"
    )))
}

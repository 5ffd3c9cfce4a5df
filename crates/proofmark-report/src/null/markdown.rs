//! A null test for a pull request: how often it cried wolf, and what is folded below that.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::NullConclusion;
use proofmark_terms::BuildIndex;

use super::rows::{judged, rate, rows};
use crate::markup::{escaped, rows_table};
use crate::method::build_name;

type Lines = Vec<String>;

/// What is seen at once, and what is folded.
pub(crate) fn lines(recorded: &Recorded, null: &NullConclusion) -> (Lines, Lines) {
    let (words, _) = judged(&null.alarms);
    let build = escaped(&build_name(recorded, BuildIndex::BASE));
    let head = format!(
        "**False alarms of {build} against itself {}** — {words}",
        rate(&null.alarms)
    );
    let basis = format!("({} verdicts from redrawn signs)", null.alarms.verdicts);
    (vec![head, basis], rows_table(rows(recorded, null).iter()))
}

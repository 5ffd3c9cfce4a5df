//! A null test in a comment: how often it cried wolf.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::NullConclusion;
use proofmark_terms::BuildIndex;

use super::rows::{judged, rate, rows};
use crate::comment::{cut, grid};
use crate::method::build_name;

/// The answer, what it rests on, and the table.
pub(crate) fn parts(recorded: &Recorded, null: &NullConclusion) -> ((String, String), Vec<String>) {
    let build = cut(&build_name(recorded, BuildIndex::BASE), 32);
    let (words, _) = judged(&null.alarms);
    let answer = format!(
        "False alarms of {build} against itself {}, {words}",
        rate(&null.alarms)
    );
    let verdicts = format!("{} verdicts from redrawn signs", null.alarms.verdicts);
    let rows = rows(recorded, null).into_iter().map(|row| {
        let words = row.words.split([';', '(']).next().unwrap_or_default();
        vec![row.label.to_owned(), row.value, words.trim().to_owned()]
    });
    let header = ["", "new/base", ""].map(str::to_owned);
    (
        (answer, verdicts),
        grid(3, &header, &rows.collect::<Vec<_>>()),
    )
}

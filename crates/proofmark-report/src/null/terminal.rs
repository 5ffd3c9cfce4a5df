//! A null test on a terminal: how often this set-up cried wolf, then what that rests on.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::NullConclusion;
use proofmark_terms::BuildIndex;

use super::rows::{judged, rate, rows};
use crate::headline::headline;
use crate::method::{build_name, method};
use crate::row::Columns;
use crate::style::Style;
use crate::text::{flowed, shortened};
use crate::wording::metric_in_full;

/// The lines of a null test that has a conclusion.
pub(crate) fn lines(recorded: &Recorded, null: &NullConclusion, style: Style) -> Vec<String> {
    let build = shortened(&build_name(recorded, BuildIndex::BASE), 24);
    let question = format!("false alarms of {build} against itself");
    let metric = metric_in_full(&recorded.experiment.benchmark.metric);
    let basis = format!(
        "{metric}, {} verdicts from redrawn signs",
        null.alarms.verdicts
    );
    let (words, tone) = judged(&null.alarms);
    let mut lines = headline(
        style,
        &question,
        &rate(&null.alarms),
        (&words, tone),
        &basis,
    );
    lines.extend(flowed(&method(recorded), style.columns(), "  "));
    let columns = Columns::of(style);
    lines.extend(
        rows(recorded, null)
            .iter()
            .flat_map(|row| columns.lines(style, row)),
    );
    lines
}

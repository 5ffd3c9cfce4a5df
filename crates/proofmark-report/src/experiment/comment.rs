//! A recorded experiment as a comment on a pull request.

use proofmark_conclude::is_withheld;
use proofmark_evidence::Recorded;
use proofmark_evidence::record::LayoutControl;

use super::markdown::{facts, warned};
use crate::comment::{EvidenceFile, Parts};
use crate::method::{command, limits, method, warnings};
use crate::warning::in_words;
use crate::wording::metric_in_full;
use crate::{comparison, null};

/// An experiment as a comment (GitHub's Markdown); ends with a line feed. `None` where it is
/// unfinished: there is no answer.
#[must_use]
pub fn comment(recorded: &Recorded, file: &EvidenceFile) -> Option<String> {
    let (kind, (answer, table), (mut folded, rows)) =
        match (&recorded.conclusion, &recorded.null_conclusion) {
            (Some(conclusion), _) => (
                "comparison",
                comparison::comment::parts(recorded, conclusion),
                comparison::markdown::lines(recorded, conclusion),
            ),
            (None, Some(null)) => (
                "null test",
                null::comment::parts(recorded, null),
                null::markdown::lines(recorded, null),
            ),
            (None, None) => return None,
        };
    folded.extend(warned(recorded));
    folded.push(String::new());
    folded.extend(rows);
    folded.extend(facts(recorded));
    let warnings = warnings(recorded).iter();
    let parts = Parts {
        kind,
        about: about(recorded),
        answer,
        table,
        believe: believe(recorded),
        warnings: warnings.map(|warning| in_words(warning).found).collect(),
        folded,
    };
    Some(crate::comment::comment(&parts, file))
}

/// The builds by name, the command and the metric.
fn about(recorded: &Recorded) -> String {
    let experiment = &recorded.experiment;
    let names = experiment.builds.iter().map(|build| build.name.clone());
    let what = [
        command(recorded),
        metric_in_full(&experiment.benchmark.metric),
    ];
    names.chain(what).collect::<Vec<String>>().join("\n")
}

fn believe(recorded: &Recorded) -> String {
    let method = method(recorded);
    let blocks = method.first().cloned().unwrap_or_default();
    let what = match (&recorded.conclusion, &recorded.experiment.layouts) {
        (None, _) => "the rate, for this benchmark on this machine",
        (Some(conclusion), _) if conclusion.comparisons.iter().any(is_withheld) => {
            "no figure over layouts: drawn images may do other work than the files do as shipped"
        }
        (Some(_), LayoutControl::Drawn { .. }) => {
            "the interval, for this benchmark on this machine"
        }
        (Some(_), LayoutControl::AsShipped { .. }) => {
            "no difference of a few per cent, which may be where the linker put the code"
        }
    };
    let limits = limits(recorded).map_or_else(String::new, |limits| format!("; {limits}"));
    format!("{what}; {blocks}{limits}")
}

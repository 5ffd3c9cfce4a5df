//! The line on what this set-up made of a slowdown of exactly the margin.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::{Certificate, Comparison, Conclusion};
use proofmark_stats::Sight;

use crate::number::{self, counted, setting};
use crate::row::Row;
use crate::text::printable;

/// Whether the line is left out: a build that is slower or faster by more than the margin shows by
/// itself that this set-up sees as much. That a known slowdown was misjudged is never left out.
fn is_idle(recorded: &Recorded, conclusion: &Conclusion) -> bool {
    let margin = recorded.experiment.design.margin;
    let misjudged = matches!(
        &conclusion.certificate,
        Some(Certificate::Measured {
            sight: Sight::Misjudged,
            ..
        })
    );
    let beyond = |comparison: &Comparison| {
        let interval = &comparison.interval;
        interval.low.ln() > margin.ln() || interval.high.ln() < -margin.ln()
    };
    !misjudged && conclusion.comparisons.iter().all(beyond)
}

/// What this set-up made of a slowdown of exactly the margin, where that adds something.
pub(crate) fn row(recorded: &Recorded, conclusion: &Conclusion) -> Option<Row> {
    let certificate = conclusion.certificate.as_ref();
    let certificate = certificate.filter(|_| !is_idle(recorded, conclusion));
    certificate.map(|certificate| said(recorded, certificate))
}

/// The line. It is about the base, and not about any other build.
fn said(recorded: &Recorded, certificate: &Certificate) -> Row {
    let (value, words) = match certificate {
        Certificate::Measured {
            interval, sight, ..
        } => {
            let margin = recorded.experiment.design.margin;
            (
                number::change_of(interval),
                words(*sight, &setting(margin.relative())),
            )
        }
        Certificate::TooFew { blocks, least } => (
            "not told".to_owned(),
            format!(
                "{} are too few to certify; it takes {least}",
                counted(*blocks, "block", "blocks")
            ),
        ),
        Certificate::Unavailable { reason } => ("not measured".to_owned(), printable(reason)),
    };
    Row {
        label: "self-test",
        value,
        words,
    }
}

fn words(sight: Sight, size: &str) -> String {
    match sight {
        Sight::Seen => format!("the base, slowed by {size} on purpose: seen"),
        Sight::NotYet => format!("the base, slowed by {size} on purpose: not seen yet"),
        Sight::Misjudged => format!(
            "the base, slowed by {size} on purpose: misjudged, so do not trust differences this small here"
        ),
    }
}

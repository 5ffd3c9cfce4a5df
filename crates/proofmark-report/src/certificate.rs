//! The line on what this set-up made of a slowdown of exactly the margin.

use proofmark_evidence::Recorded;
use proofmark_evidence::record::Certificate;
use proofmark_stats::{Effect, Interval, Margin};

use crate::findings::Row;
use crate::number::{self, counted, setting};
use crate::text::printable;

/// What the interval of the taxed base says of a slowdown of the margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// The interval holds the margin and not 1.
    Seen,
    /// The interval holds the margin, and 1 as well.
    NotYet,
    /// The interval does not hold the margin.
    Misjudged,
}

impl Sight {
    pub(crate) fn of(interval: &Interval, margin: Margin) -> Self {
        match (
            interval.contains(Effect::from_ln(margin.ln())),
            interval.contains(Effect::NONE),
        ) {
            (false, _) => Sight::Misjudged,
            (true, true) => Sight::NotYet,
            (true, false) => Sight::Seen,
        }
    }
}

/// The line. It is about the base, and not about any other build.
pub(crate) fn row(recorded: &Recorded, certificate: &Certificate) -> Row {
    let (value, words) = match certificate {
        Certificate::Measured { interval, .. } => {
            let margin = recorded.experiment.design.margin;
            (
                number::interval(interval),
                words(Sight::of(interval, margin), &setting(margin.relative())),
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
        label: "sensitivity",
        value,
        words,
    }
}

fn words(sight: Sight, size: &str) -> String {
    match sight {
        Sight::Seen => format!("a {size} slowdown would have been seen"),
        Sight::NotYet => format!("a {size} slowdown could not have been told from none yet"),
        Sight::Misjudged => format!(
            "a slowdown of exactly {size} was misjudged: do not trust differences this small here"
        ),
    }
}

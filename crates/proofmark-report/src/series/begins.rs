//! Why a series has another line.

use proofmark_conclude::series::{Apart, How, PartApart};

use crate::text::{printable, untied};

/// Parts that are named, at most.
const NAMED: usize = 6;

/// What a line has that the line before has not, as the end of a sentence.
pub(super) fn apart(apart: &Apart<'_>) -> String {
    let parts = match apart {
        Apart::Processor => return "this is another model of processor".to_owned(),
        Apart::Surroundings(parts) if parts.is_empty() => {
            return "builds are made with something else, and nobody noted with what".to_owned();
        }
        Apart::Surroundings(parts) => parts,
    };
    let named: Vec<String> = parts.iter().take(NAMED).map(part).collect();
    let mut said = named.join(", ");
    if parts.len() > NAMED {
        said.push_str(&format!(" and {} more", parts.len() - NAMED));
    }
    said
}

fn part(part: &PartApart<'_>) -> String {
    let name = printable(&part.name.as_ref().to_string_lossy());
    let how = match part.how {
        How::Other => "is another one",
        How::New => "is new",
        How::Gone => "is gone",
    };
    format!("{name} {how}")
}

/// That a series gets another line, and why.
#[must_use]
pub fn begins(series: &str, why: &Apart<'_>) -> String {
    let advice = match why {
        Apart::Processor => "",
        Apart::Surroundings(_) => "; with that as it was, the line before goes on",
    };
    untied(&format!(
        "{}: a new line begins, and nothing is compared across it: {}{advice}",
        printable(series),
        apart(why)
    ))
}

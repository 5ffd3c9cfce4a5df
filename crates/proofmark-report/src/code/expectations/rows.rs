//! What is said of an expectation that is broken, whoever reads it.

use proofmark_code::expect::{Breach, ConditionOutcome};
#[cfg(test)]
use proofmark_code::expect::{Expectations, Report, Status};

use crate::text::printable;

/// So many places are shown of those that were counted.
pub(super) const PLACES: usize = 4;

/// The function and its condition, safe to print.
pub(super) fn title(outcome: &ConditionOutcome) -> String {
    let function = outcome.function.as_deref().unwrap_or(&outcome.pattern);
    format!("{}: {}", printable(function), printable(&outcome.condition))
}

/// Where the function is, if that is known.
pub(super) fn location(breach: &Breach) -> Option<String> {
    let address = breach.address?;
    Some(match &breach.source {
        Some(source) => format!("at {address}, {source}"),
        None => format!("at {address}"),
    })
}

/// All in one text, for messages that have no form of their own.
pub(super) fn message(outcome: &ConditionOutcome, breach: &Breach) -> String {
    let mut lines = vec![format!("{}, expected {}", breach.found, breach.expected)];
    lines.extend(location(breach).map(|l| format!("function {l}")));
    for place in breach.places.iter().take(PLACES) {
        let source = place
            .source
            .as_ref()
            .map_or_else(String::new, |s| format!("  {s}"));
        lines.push(format!("{}  {}{source}", place.address, place.text));
    }
    lines.extend(breach.cause.iter().map(|c| format!("cause: {c}")));
    lines.extend(outcome.because.iter().map(|b| format!("matters: {b}")));
    lines.join("\n")
}

/// A broken expectation on a function whose name holds what could be taken for something else.
#[cfg(test)]
pub(super) fn sample() -> (Expectations, Report) {
    let file = Expectations::parse(
        std::path::Path::new("e.toml"),
        "[[expect]]\nfunction = \"f\"\nholds = \"bytes <= 1\"\n",
    )
    .unwrap();
    let breach = Breach {
        found: "bytes is 2 & more".to_string(),
        expected: "at most 1".to_string(),
        address: None,
        source: None,
        places: Vec::new(),
        all_places: 0,
        cause: Some("<reason>\n100 %".to_string()),
    };
    let outcome = ConditionOutcome {
        pattern: "f".to_string(),
        condition: "bytes <= 1".to_string(),
        in_numbers: "bytes <= 1".to_string(),
        because: None,
        line: 1,
        function: Some("f(a, b)\u{1b}[0m".to_string()),
        status: Status::Broken(Box::new(breach)),
    };
    (
        file,
        Report {
            outcomes: vec![outcome],
        },
    )
}

//! Expectations checked, for people.

use proofmark_code::expect::{Breach, ConditionOutcome, Expectations, Report, Status};

use super::rows::{PLACES, location, title};
use crate::style::{Style, Tone};
use crate::text::{printable, wrapped};

/// For people: what is broken first and in full, then what holds.
#[must_use]
pub fn terminal(file: &Expectations, report: &Report, build: &str, style: &Style) -> String {
    let mut text = String::new();
    for outcome in &report.outcomes {
        if let Status::Broken(breach) = &outcome.status {
            text.push_str(&broken(file, outcome, breach, style));
            text.push('\n');
        }
    }
    for outcome in &report.outcomes {
        match &outcome.status {
            Status::Held(found) => {
                let head = format!("{} {}", style.paint(Tone::Better, "holds"), title(outcome));
                text.push_str(&format!(
                    "{head}{}\n",
                    style.paint(Tone::Aside, &format!("  ({})", printable(found)))
                ));
            }
            Status::Skipped(reason) => {
                text.push_str(&style.paint(
                    Tone::Aside,
                    &format!("skipped {}  ({})", title(outcome), printable(reason)),
                ));
                text.push('\n');
            }
            Status::Broken(_) => {}
        }
    }
    text.push_str(&verdict(file, report, build, style));
    text
}

/// The last line: how many hold, of how many.
fn verdict(file: &Expectations, report: &Report, build: &str, style: &Style) -> String {
    let skipped = report.outcomes.len() - report.held() - report.broken();
    let name = printable(&file.path().display().to_string());
    let build = printable(build);
    let mut text = if report.broken() > 0 {
        style.paint(
            Tone::Worse,
            &format!(
                "{} of {} expectations broken",
                report.broken(),
                report.broken() + report.held()
            ),
        )
    } else if report.held() == 0 {
        style.paint(
            Tone::Worse,
            "no expectation applies: nothing was checked, so this does not pass",
        )
    } else {
        style.paint(
            Tone::Better,
            &format!("all {} expectations hold", report.held()),
        )
    };
    text.push_str(&format!(": {build} by {name}"));
    if skipped > 0 {
        text.push_str(&format!(", {skipped} skipped"));
    }
    text + "\n"
}

fn broken(
    file: &Expectations,
    outcome: &ConditionOutcome,
    breach: &Breach,
    style: &Style,
) -> String {
    let head = style.paint(Tone::Worse, "broken");
    let place = format!("{}:{}", file.path().display(), outcome.line);
    let mut text = format!(
        "{head} {}  {}\n",
        style.paint(Tone::Figure, &title(outcome)),
        style.paint(Tone::Aside, &printable(&place))
    );
    let mut part = |name: &str, content: &str| {
        let first = format!("  {name:<9} ");
        for line in wrapped(
            &printable(content),
            style.columns(),
            &first,
            &" ".repeat(12),
        ) {
            text.push_str(&line);
            text.push('\n');
        }
    };
    part("found", &breach.found);
    part("expected", &breach.expected);
    if let Some(at) = location(breach) {
        part("function", &at);
    }
    for (i, place) in breach.places.iter().take(PLACES).enumerate() {
        let source = place
            .source
            .as_ref()
            .map_or_else(String::new, |s| format!("  {s}"));
        part(
            if i == 0 { "places" } else { "" },
            &format!("{}  {}{source}", place.address, place.text),
        );
    }
    if breach.all_places > breach.places.len().min(PLACES) {
        part("", &format!("… {} in all", breach.all_places));
    }
    if let Some(cause) = &breach.cause {
        part("cause", cause);
    }
    if let Some(because) = &outcome.because {
        part("matters", because);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::rows::sample;
    use super::*;

    #[test]
    fn people_read_found_expected_and_cause() {
        let (file, report) = sample();
        let text = terminal(
            &file,
            &report,
            "b",
            &Style {
                colour: false,
                width: 80,
                terminal: true,
            },
        );
        assert!(text.contains("found     bytes is 2 & more"), "{text}");
        assert!(text.contains("expected  at most 1"), "{text}");
        assert!(text.contains("1 of 1 expectations broken"), "{text}");
        assert!(!text.contains('\u{1b}'));
    }
}

//! Expectations checked, for people, for CI and for programs.

use std::io::Write as _;

use proofmark_code::expect::{Breach, Expectations, Outcome, Report, Status};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use serde_json::{Value, json};

use super::CODE_SCHEMA_VERSION;
use crate::style::{Style, Tone};
use crate::text::{printable, wrapped};

/// So many places are shown of those that were counted.
const PLACES: usize = 4;

/// For people: what is broken first and in full, then what holds.
#[must_use]
pub fn expectations(file: &Expectations, report: &Report, build: &str, style: &Style) -> String {
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
            "no expectation applies, so nothing was asserted: that is no pass",
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

fn title(outcome: &Outcome) -> String {
    let function = outcome.function.as_deref().unwrap_or(&outcome.pattern);
    format!("{}: {}", printable(function), printable(&outcome.condition))
}

fn broken(file: &Expectations, outcome: &Outcome, breach: &Breach, style: &Style) -> String {
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

fn location(breach: &Breach) -> Option<String> {
    let address = breach.address?;
    Some(match &breach.source {
        Some(source) => format!("at {address}, {source}"),
        None => format!("at {address}"),
    })
}

/// All in one text, for messages that have no form of their own.
fn message(outcome: &Outcome, breach: &Breach) -> String {
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

/// For programs.
#[must_use]
pub fn expectations_json(file: &Expectations, report: &Report, build: &str) -> Value {
    let outcomes: Vec<Value> = report
        .outcomes
        .iter()
        .map(|o| {
            let (status, detail) = match &o.status {
                Status::Held(found) => ("held", json!({ "found": found })),
                Status::Broken(breach) => ("broken", json!(breach)),
                Status::Skipped(reason) => ("skipped", json!({ "reason": reason })),
            };
            json!({
                "function": o.function, "pattern": o.pattern, "condition": o.condition,
                "because": o.because, "line": o.line, "status": status, "detail": detail,
            })
        })
        .collect();
    json!({
        "schema_version": CODE_SCHEMA_VERSION,
        "build": build,
        "expectations": file.path().to_string_lossy(),
        "passes": report.passes(),
        "held": report.held(),
        "broken": report.broken(),
        "outcomes": outcomes,
    })
}

/// `JUnit`'s XML, as CI servers read it: one test case for each condition.
///
/// # Errors
/// When the text cannot be put together; memory is all it needs.
pub fn expectations_junit(
    file: &Expectations,
    report: &Report,
    build: &str,
) -> std::io::Result<String> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let count = |n: usize| n.to_string();
    let skipped = report.outcomes.len() - report.held() - report.broken();
    let empty = report.held() == 0 && report.broken() == 0;
    let suite = writer.create_element("testsuite").with_attributes([
        ("name", clean(&file.path().to_string_lossy()).as_str()),
        (
            "tests",
            count(report.outcomes.len() + usize::from(empty)).as_str(),
        ),
        (
            "failures",
            count(report.broken() + usize::from(empty)).as_str(),
        ),
        ("skipped", count(skipped).as_str()),
    ]);
    suite.write_inner_content(|writer| {
        for outcome in &report.outcomes {
            case(writer, outcome, build)?;
        }
        if empty {
            let none = writer.create_element("testcase").with_attributes([
                ("classname", clean(build).as_str()),
                ("name", "anything at all"),
            ]);
            none.write_inner_content(|writer| {
                writer
                    .create_element("failure")
                    .with_attribute(("message", "no expectation applies, so nothing was asserted"))
                    .write_empty()?;
                Ok(())
            })?;
        }
        Ok(())
    })?;
    let mut bytes = writer.into_inner();
    bytes.write_all(b"\n")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn case(writer: &mut Writer<Vec<u8>>, outcome: &Outcome, build: &str) -> std::io::Result<()> {
    let case = writer.create_element("testcase").with_attributes([
        ("classname", clean(build).as_str()),
        ("name", clean(&title(outcome)).as_str()),
    ]);
    match &outcome.status {
        Status::Held(_) => case.write_empty()?,
        Status::Skipped(reason) => case.write_inner_content(|w| {
            w.create_element("skipped")
                .with_attribute(("message", clean(reason).as_str()))
                .write_empty()?;
            Ok(())
        })?,
        Status::Broken(breach) => case.write_inner_content(|w| {
            let summary = clean(&format!("{}, expected {}", breach.found, breach.expected));
            let failure = w
                .create_element("failure")
                .with_attribute(("message", summary.as_str()));
            failure.write_text_content(BytesText::new(&clean(&message(outcome, breach))))?;
            Ok(())
        })?,
    };
    Ok(())
}

/// Without the control characters that XML 1.0 has no way to write.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() && !matches!(c, '\n' | '\t') {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

/// Annotations as GitHub's workflow commands: an error for each broken condition, at its source
/// line where that is known, else at its line in the file of expectations.
#[must_use]
pub fn expectations_github(file: &Expectations, report: &Report) -> String {
    let mut text = String::new();
    for outcome in &report.outcomes {
        let Status::Broken(breach) = &outcome.status else {
            continue;
        };
        let (path, line) = match &breach.source {
            Some(source) => (source.file.clone(), source.line as usize),
            None => (file.path().to_string_lossy().into_owned(), outcome.line),
        };
        let title = property(&title(outcome));
        text.push_str(&format!(
            "::error file={},line={line},title={title}::{}\n",
            property(&path),
            data(&message(outcome, breach))
        ));
    }
    if report.held() == 0 && report.broken() == 0 {
        let path = property(&file.path().to_string_lossy());
        text.push_str(&format!(
            "::error file={path},title=nothing asserted::no expectation applies to this build\n"
        ));
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn sample() -> (Expectations, Report) {
        let file = Expectations::parse(
            Path::new("e.toml"),
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
        let outcome = Outcome {
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

    #[test]
    fn github_escapes_what_would_end_a_property_or_a_command() {
        let (file, report) = sample();
        let text = expectations_github(&file, &report);
        assert_eq!(text.lines().count(), 1);
        assert!(
            text.starts_with("::error file=e.toml,line=1,title=f(a%2C b)"),
            "{text}"
        );
        assert!(
            text.contains("%0Acause%3A") || text.contains("%0Acause: <reason>%0A100 %25"),
            "{text}"
        );
    }

    #[test]
    fn junit_is_well_formed_whatever_the_names_are() {
        let (file, report) = sample();
        let text = expectations_junit(&file, &report, "b").unwrap();
        let mut reader = quick_xml::Reader::from_str(&text);
        let mut failures = 0;
        loop {
            match reader.read_event().unwrap() {
                Event::Eof => break,
                Event::Start(tag) if tag.name().as_ref() == "failure" => failures += 1,
                _ => {}
            }
        }
        assert_eq!(failures, 1);
        assert!(text.contains("&lt;reason&gt;"), "{text}");
    }

    #[test]
    fn people_read_found_expected_and_cause() {
        let (file, report) = sample();
        let text = expectations(
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

//! Expectations checked, for CI servers.

use std::io::Write as _;

use proofmark_code::expect::{ConditionOutcome, Expectations, Report, Status};
use proofmark_terms::is_unseen;
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::rows::{message, title};

/// `JUnit`'s XML, as CI servers read it: one test case for each condition.
///
/// # Errors
/// When the text cannot be put together; memory is all it needs.
pub fn junit(file: &Expectations, report: &Report, build: &str) -> std::io::Result<String> {
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
                    .with_attribute(("message", "no expectation applies: nothing was checked"))
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

fn case(
    writer: &mut Writer<Vec<u8>>,
    outcome: &ConditionOutcome,
    build: &str,
) -> std::io::Result<()> {
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

/// Without what XML 1.0 has no way to write, and what turns the order of reading.
fn clean(text: &str) -> String {
    text.chars()
        .map(|c| {
            if is_unseen(c) && !matches!(c, '\n' | '\t') {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::rows::sample;
    use super::*;

    #[test]
    fn junit_is_well_formed_whatever_the_names_are() {
        let (file, report) = sample();
        let text = junit(&file, &report, "b").unwrap();
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
}

//! JUnit's XML. There is no standard: what is read is what all writers have in common, `testcase`
//! elements with `failure`, `error` or `skipped` inside, and pytest's word for an expected failure.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::results::{Results, TestOutcome};

/// A test that is being read.
struct Open {
    name: String,
    outcome: TestOutcome,
    depth: usize,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Results, String> {
    let mut reader = Reader::from_reader(bytes);
    let mut results = Results::default();
    let mut depth = 0_usize;
    let mut open: Option<Open> = None;
    loop {
        let at = reader.buffer_position();
        let wrong = |error: &dyn std::fmt::Display| format!("{error}, at byte {at}");
        match reader.read_event().map_err(|error| wrong(&error))? {
            Event::Start(element) => {
                depth += 1;
                begin(&element, depth, &mut open).map_err(|error| wrong(&error))?;
            }
            Event::Empty(element) => {
                let outer = depth;
                begin(&element, outer + 1, &mut open).map_err(|error| wrong(&error))?;
                end(outer + 1, &mut open, &mut results);
            }
            Event::End(_) => {
                end(depth, &mut open, &mut results);
                depth = depth.saturating_sub(1);
            }
            Event::Eof if depth == 0 => return Ok(results),
            Event::Eof => return Err(format!("it ends in the middle, at byte {at}")),
            _ => {}
        }
    }
}

/// An element begins: a test, or what became of the one that is open.
fn begin(element: &BytesStart<'_>, depth: usize, open: &mut Option<Open>) -> Result<(), String> {
    let attribute = |name: &str| {
        let found = element.try_get_attribute(name);
        let found = found.map_err(|error| error.to_string())?;
        let text = found.map(|found| found.value.into_owned());
        // A name with a mark that means nothing stays as it is written.
        let plain = |text: String| {
            quick_xml::escape::unescape(&text)
                .map(Into::into)
                .unwrap_or(text.clone())
        };
        Ok::<_, String>(text.map(plain))
    };
    match (element.local_name().as_ref(), open.as_mut()) {
        ("testcase", None) => {
            let name = attribute("name")?.unwrap_or_default();
            let class = attribute("classname")?.filter(|class| !class.is_empty());
            // gtest and ctest write a test that was not run so.
            let status = attribute("status")?;
            let not_run =
                status.is_some_and(|status| ["notrun", "disabled"].contains(&status.as_str()));
            *open = Some(Open {
                name: class.map_or(name.clone(), |class| format!("{class}::{name}")),
                outcome: if not_run {
                    TestOutcome::Skipped
                } else {
                    TestOutcome::Passed
                },
                depth,
            });
        }
        ("failure" | "error", Some(test)) => test.outcome = TestOutcome::Failed,
        ("skipped", Some(test)) if test.outcome != TestOutcome::Failed => {
            let expected = attribute("type")?.is_some_and(|kind| kind == "pytest.xfail");
            test.outcome = if expected {
                TestOutcome::ExpectedFailure
            } else {
                TestOutcome::Skipped
            };
        }
        _ => {}
    }
    Ok(())
}

/// The element at this depth ends: the test, where it is one.
fn end(depth: usize, open: &mut Option<Open>, results: &mut Results) {
    if let Some(test) = open.take_if(|test| test.depth == depth) {
        results.add(&test.name, test.outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As pytest 8 writes it, with two tests of one name.
    const PYTEST: &str = r#"<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests">
<testsuite name="pytest" errors="0" failures="1" skipped="2" tests="5" time="0.03">
<testcase classname="test_a" name="test_ok" time="0.001" />
<testcase classname="test_a" name="test_bad[&lt;x&gt;]" time="0.001"><failure message="assert 1 == 2">def test_bad():
&gt; assert 1 == 2</failure></testcase>
<testcase classname="test_a" name="test_skip"><skipped type="pytest.skip" message="no">a.py:9</skipped></testcase>
<testcase classname="test_a" name="test_x"><skipped type="pytest.xfail" message="" /></testcase>
<testcase classname="test_a" name="test_ok" time="0.001"><system-out>hello</system-out></testcase>
</testsuite></testsuites>"#;

    #[test]
    fn pytest_s_four_outcomes_are_told_apart() {
        let results = read(PYTEST.as_bytes()).unwrap();
        assert_eq!(
            results.outcome("test_a::test_ok"),
            Some(TestOutcome::Passed)
        );
        assert_eq!(
            results.outcome("test_a::test_ok #2"),
            Some(TestOutcome::Passed)
        );
        assert_eq!(
            results.outcome("test_a::test_bad[<x>]"),
            Some(TestOutcome::Failed)
        );
        assert_eq!(
            results.outcome("test_a::test_skip"),
            Some(TestOutcome::Skipped)
        );
        assert_eq!(
            results.outcome("test_a::test_x"),
            Some(TestOutcome::ExpectedFailure)
        );
        assert_eq!(results.len(), 5);
    }

    #[test]
    fn what_ends_in_the_middle_is_no_result() {
        let cut = PYTEST.strip_suffix("</testsuite></testsuites>").unwrap();
        assert!(
            read(cut.as_bytes())
                .unwrap_err()
                .contains("ends in the middle")
        );
        for end in 0..PYTEST.len() {
            let read = read(&PYTEST.as_bytes()[..end]);
            assert!(
                read.is_err() || read.unwrap().is_empty(),
                "{}",
                &PYTEST[..end]
            );
        }
        assert!(read(b"<a></b>").is_err());
    }

    #[test]
    fn gtest_s_disabled_tests_were_not_run() {
        let text = r#"<testsuites><testsuite name="S"><testcase name="A" status="notrun" classname="S"/>
            <testcase name="B" status="run" classname="S"/></testsuite></testsuites>"#;
        let results = read(text.as_bytes()).unwrap();
        assert_eq!(results.outcome("S::A"), Some(TestOutcome::Skipped));
        assert_eq!(results.outcome("S::B"), Some(TestOutcome::Passed));
    }
}

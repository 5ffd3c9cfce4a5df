//! JUnit's XML. There is no standard: what is read is what all writers have in common, `testcase`
//! elements with `failure`, `error` or `skipped` inside, and pytest's word for an expected failure.
//!
//! What a suite sums up is held against its tests. CPython's regrtest counts what fails in
//! `setUpClass` and shows it nowhere; others put an `error` beside the tests.

use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::junit_words::said_by;
use crate::name::{Suites, TestName};
use crate::results::{Results, TestOutcome};

/// Suites that stand in one another, at most: each test knows all of its suites.
const DEEPEST: usize = 100;

/// An element that is open.
enum Frame {
    Suite(Suite),
    Test(Test),
    Other,
}

/// A suite that is being read, or all of them.
struct Suite {
    /// It, and those around it, as far as they have names.
    suites: Suites,
    /// Failures and errors that it sums up.
    claimed: usize,
    /// Skipped tests that it sums up.
    claimed_skipped: usize,
    shown: Shown,
}

/// What was read. Of failures some writers sum up tests, and some what failed in them.
#[derive(Clone, Copy, Default)]
struct Shown {
    failed: usize,
    elements: usize,
    /// Expected failures too: pytest counts both as skipped.
    skipped: usize,
}

/// A test that is being read.
struct Test {
    name: TestName,
    outcome: TestOutcome,
    /// `failure` and `error` elements.
    elements: usize,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Results, String> {
    let mut reader = Reader::from_reader(bytes);
    let mut results = Results::default();
    let mut open: Vec<Frame> = Vec::new();
    loop {
        let at = reader.buffer_position();
        let wrong = |error: &dyn std::fmt::Display| format!("{error}, at byte {at}");
        match reader.read_event().map_err(|error| wrong(&error))? {
            Event::Start(element) => {
                let frame = begin(&element, &mut open, &mut results);
                open.push(frame.map_err(|error| wrong(&error))?);
            }
            Event::Empty(element) => {
                let frame = begin(&element, &mut open, &mut results);
                end(
                    frame.map_err(|error| wrong(&error))?,
                    &mut open,
                    &mut results,
                );
            }
            Event::End(_) => {
                if let Some(frame) = open.pop() {
                    end(frame, &mut open, &mut results);
                }
            }
            Event::Eof if open.is_empty() => return Ok(results),
            Event::Eof => return Err(format!("it ends in the middle, at byte {at}")),
            _ => {}
        }
    }
}

/// An element begins: a suite, a test, or what became of the one that is open.
fn begin(
    element: &BytesStart<'_>,
    open: &mut [Frame],
    results: &mut Results,
) -> Result<Frame, String> {
    let name = element.local_name();
    let test = open.iter_mut().rev().find_map(|frame| match frame {
        Frame::Test(test) => Some(test),
        _ => None,
    });
    match (name.as_ref(), test) {
        ("testsuite" | "testsuites", None) => return Ok(Frame::Suite(suite(element, open)?)),
        ("testcase", None) => return Ok(Frame::Test(testcase(element, open, results)?)),
        // One that failed and passed when it was tried again did fail.
        ("failure" | "error" | "flakyFailure" | "flakyError", Some(test)) => {
            test.outcome = TestOutcome::Failed;
            test.elements += 1;
        }
        ("failure" | "error", None) => {
            if let Some(Frame::Suite(suite)) = open.last_mut() {
                suite.shown.elements += 1;
                results.cut_short(|| {
                    let what = name.as_ref();
                    format!(
                        "{} says `{what}` of no test, but of itself",
                        said_of(&suite.suites)
                    )
                });
            }
        }
        ("skipped", Some(test)) if test.outcome != TestOutcome::Failed => {
            let expected = attribute(element, "type")?.is_some_and(|kind| kind == "pytest.xfail");
            test.outcome = match expected {
                true => TestOutcome::ExpectedFailure,
                false => TestOutcome::Skipped,
            };
        }
        _ => {}
    }
    Ok(Frame::Other)
}

fn suite(element: &BytesStart<'_>, open: &[Frame]) -> Result<Suite, String> {
    let around = around(open);
    let name = attribute(element, "name")?.filter(|name| !name.is_empty());
    let suites = match name {
        // What stands around all suites is named after the tool, or the run.
        Some(name) if element.local_name().as_ref() == "testsuite" => {
            if around.len() == DEEPEST {
                return Err(format!("more than {DEEPEST} suites stand in one another"));
            }
            around.iter().cloned().chain([Arc::from(name)]).collect()
        }
        _ => around,
    };
    let sum = |name: &str| -> Result<usize, String> {
        let number = attribute(element, name)?.and_then(|number| number.trim().parse().ok());
        Ok(number.unwrap_or(0))
    };
    Ok(Suite {
        suites,
        claimed: sum("failures")?.saturating_add(sum("errors")?),
        claimed_skipped: sum("skipped")?,
        shown: Shown::default(),
    })
}

fn testcase(
    element: &BytesStart<'_>,
    open: &[Frame],
    results: &mut Results,
) -> Result<Test, String> {
    let suites = around(open);
    let name = attribute(element, "name")?;
    let class = attribute(element, "classname")?.filter(|class| !class.is_empty());
    // So regrtest writes a test that failed in a subtest.
    if name.is_none() && class.is_none() {
        results.cut_short(|| format!("{} has a test without a name", said_of(&suites)));
    }
    let mut outcome = TestOutcome::Passed;
    for attribute_name in ["status", "result"] {
        let word = attribute(element, attribute_name)?.unwrap_or_default();
        match said_by(&word) {
            Some(TestOutcome::Passed) => {}
            Some(other) => {
                if outcome != TestOutcome::Failed {
                    outcome = other;
                }
            }
            None => results.cut_short(|| {
                format!(
                    "{} has a test of which `{attribute_name}` says `{word}`, which is no known word",
                    said_of(&suites)
                )
            }),
        }
    }
    Ok(Test {
        name: TestName {
            class,
            ..TestName::of(&suites, name.unwrap_or_default())
        },
        outcome,
        elements: 0,
    })
}

/// The suites that are open.
fn around(open: &[Frame]) -> Suites {
    let suite = open.iter().rev().find_map(|frame| match frame {
        Frame::Suite(suite) => Some(Arc::clone(&suite.suites)),
        _ => None,
    });
    suite.unwrap_or_default()
}

/// An element ends; those around it are open.
fn end(frame: Frame, open: &mut [Frame], results: &mut Results) {
    let shown = match frame {
        Frame::Other => return,
        Frame::Test(test) => {
            results.add(test.name, test.outcome);
            let skipped = [TestOutcome::Skipped, TestOutcome::ExpectedFailure];
            Shown {
                failed: usize::from(test.outcome == TestOutcome::Failed),
                elements: test.elements,
                skipped: usize::from(skipped.contains(&test.outcome)),
            }
        }
        Frame::Suite(suite) => {
            let failed = suite.shown.failed.max(suite.shown.elements);
            let skipped = suite.shown.skipped;
            for (what, claimed, shown) in [
                ("failures and errors", suite.claimed, failed),
                ("skipped tests", suite.claimed_skipped, skipped),
            ] {
                if claimed > shown {
                    results.cut_short(|| {
                        let suite = said_of(&suite.suites);
                        format!("{suite} sums up {what}, {claimed}, and its tests show {shown}")
                    });
                }
            }
            suite.shown
        }
    };
    let around = open.iter_mut().rev().find_map(|frame| match frame {
        Frame::Suite(suite) => Some(suite),
        _ => None,
    });
    if let Some(around) = around {
        around.shown.failed += shown.failed;
        around.shown.elements += shown.elements;
        around.shown.skipped += shown.skipped;
    }
}

fn said_of(suites: &Suites) -> String {
    match suites.last() {
        Some(name) => format!("the suite `{name}`"),
        None => "a suite".to_owned(),
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    let found = element.try_get_attribute(name);
    let found = found.map_err(|error| error.to_string())?;
    let text = found.map(|found| found.value.into_owned());
    // A name with a mark that means nothing stays as it is written.
    let plain = |text: String| {
        quick_xml::escape::unescape(&text)
            .map(Into::into)
            .unwrap_or(text.clone())
    };
    Ok(text.map(plain))
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

    #[test]
    fn a_test_of_gtest_that_skips_itself_has_not_passed() {
        for result in ["skipped", "suppressed", "completed"] {
            let text = format!(
                r#"<testsuites><testsuite name="S"><testcase name="A" classname="S"
                status="run" result="{result}"/></testsuite></testsuites>"#
            );
            let passed = read(text.as_bytes()).unwrap().outcome("S::A");
            assert_eq!(passed == Some(TestOutcome::Passed), result == "completed");
        }
    }

    #[test]
    fn a_sum_that_the_tests_do_not_show_is_no_result() {
        let cut_short = |inner: &str| {
            let text = format!("<testsuites><testsuite name='S' {inner}</testsuite></testsuites>");
            read(text.as_bytes()).unwrap().cut_short.unwrap_or_default()
        };
        let fails = "<testcase name='x'><failure/><error/></testcase>";
        let passes = "<testcase name='x'/>";
        assert!(cut_short(&format!("failures='2' errors='1'>{fails}")).contains("`S` sums up"));
        assert!(cut_short(&format!("failures='3'>{passes}")).contains("3, and its tests show 0"));
        let skips = cut_short(&format!("skipped='1'>{passes}"));
        assert!(
            skips.contains("skipped tests, 1, and its tests show 0"),
            "{skips}"
        );
        let skipped = "<testcase name='x'><skipped/></testcase>";
        assert_eq!(cut_short(&format!("skipped='1'>{skipped}")), "");
        assert!(cut_short(&format!(">{passes}<error/>")).contains("`error` of no test"));
        assert!(cut_short("><testcase/>").contains("without a name"));
        // Some sum up tests, and some what failed in them.
        for sum in ["failures='1'", "failures='1' errors='1'", "failures=''"] {
            assert_eq!(cut_short(&format!("{sum}>{fails}")), "");
        }
        let whole = format!(
            "<testsuites failures='2'><testsuite name='S'>{fails}</testsuite></testsuites>"
        );
        assert_eq!(read(whole.as_bytes()).unwrap().cut_short, None);
        let whole = whole.replace("='2'", "='3'");
        assert!(read(whole.as_bytes()).unwrap().cut_short.is_some());
    }

    /// As nextest and surefire write a test that was tried again.
    #[test]
    fn a_test_that_passed_when_it_was_tried_again_has_failed() {
        for kind in ["flakyFailure", "flakyError"] {
            let text = format!(
                "<testsuites failures='0'><testsuite name='S' failures='0' errors='0'>\
                 <testcase name='x'><{kind} message='left: 1'/></testcase>\
                 <testcase name='y'/></testsuite></testsuites>"
            );
            let results = read(text.as_bytes()).unwrap();
            assert_eq!(results.outcome("x"), Some(TestOutcome::Failed), "{kind}");
            assert_eq!(results.outcome("y"), Some(TestOutcome::Passed));
            assert_eq!(results.cut_short, None);
        }
    }

    #[test]
    fn suites_and_classes_are_parts_of_a_name_that_stay_apart() {
        let text = r#"<testsuites name="run"><testsuite name="A"><testsuite name="B"><testcase name="x"/>
            </testsuite><testcase name="x"><failure/></testcase></testsuite>
            <testcase classname="a" name="b::c"/><testcase classname="a::b" name="c" status="FAILED"/></testsuites>"#;
        let results = read(text.as_bytes()).unwrap();
        assert_eq!(results.outcome("A > B > x"), Some(TestOutcome::Passed));
        assert_eq!(results.outcome("A > x"), Some(TestOutcome::Failed));
        let two = results
            .tests()
            .filter(|(name, _)| name.to_string() == "a::b::c");
        let two: Vec<_> = two.map(|(_, outcome)| outcome).collect();
        assert_eq!(two, [TestOutcome::Passed, TestOutcome::Failed]);
        assert!(read("<testsuite name='s'>".repeat(200).as_bytes()).is_err());
    }
}

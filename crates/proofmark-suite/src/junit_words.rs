//! The words by which writers of JUnit's XML say what became of a test, beside elements in it.

use crate::results::TestOutcome;

/// What a word of an attribute says of a test, where it is one that writers use. A test that was
/// begun, or that came to its end, has passed where nothing else is said.
pub(crate) fn said_by(word: &str) -> Option<TestOutcome> {
    Some(match word.trim().to_ascii_lowercase().as_str() {
        "" | "run" | "executed" | "completed" | "complete" | "finished" | "done" | "pass"
        | "passed" | "success" | "successful" | "succeeded" | "ok" => TestOutcome::Passed,
        // gtest and ctest write a test that was not run so, and older ones of gtest one that was
        // begun and skipped itself; the others are of NUnit's and of JavaScript's writers.
        "notrun" | "not run" | "not_run" | "notrunnable" | "disabled" | "skipped" | "skip"
        | "suppressed" | "ignored" | "pending" | "inconclusive" | "todo" => TestOutcome::Skipped,
        "fail" | "failed" | "failure" | "error" | "errored" | "broken" | "timeout" => {
            TestOutcome::Failed
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Format;

    #[test]
    fn a_test_that_an_attribute_calls_skipped_has_not_passed() {
        let of = |attributes: &str| {
            let text = format!(
                "<testsuites><testsuite name='S'><testcase name='a' {attributes}/></testsuite>\
                 </testsuites>"
            );
            Format::Junit.read(text.as_bytes()).unwrap()
        };
        for word in ["skipped", "Ignored", "pending", "inconclusive"] {
            let results = of(&format!("status='{word}'"));
            assert_eq!(results.outcome("a"), Some(TestOutcome::Skipped), "{word}");
        }
        let results = of("status='passed' result='success'");
        assert_eq!(results.outcome("a"), Some(TestOutcome::Passed));
        let both = of("status='failed' result='skipped'");
        assert_eq!(both.outcome("a"), Some(TestOutcome::Failed));
        assert_eq!(results.cut_short, None);
        let unknown = of("status='quux'").cut_short.unwrap();
        assert!(unknown.contains("`status` says `quux`"), "{unknown}");
    }
}

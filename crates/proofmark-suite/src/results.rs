//! What a suite said of its tests.

use std::collections::BTreeMap;
use std::fmt;

/// What became of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TestOutcome {
    /// It passed.
    Passed,
    /// It failed, ended in an error, or did not end.
    Failed,
    /// It was not run.
    Skipped,
    /// It failed, and that was expected.
    ExpectedFailure,
}

impl fmt::Display for TestOutcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            TestOutcome::Passed => "passed",
            TestOutcome::Failed => "failed",
            TestOutcome::Skipped => "skipped",
            TestOutcome::ExpectedFailure => "failed as expected",
        })
    }
}

/// How many tests had each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Tests that were not run.
    pub skipped: usize,
    /// Tests that failed as expected.
    pub expected_failures: usize,
}

/// The outcomes of a suite's tests, by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    tests: BTreeMap<String, TestOutcome>,
    /// Of each name that was there more than once, the number that its last test got.
    numbers: BTreeMap<String, usize>,
    /// How the suite ended before its end, as far as it says so itself.
    pub cut_short: Option<String>,
}

impl Results {
    /// Takes a test. One whose name was there before gets a number: `name #2`.
    pub(crate) fn add(&mut self, name: &str, outcome: TestOutcome) {
        let mut unique = name.to_owned();
        if self.tests.contains_key(name) {
            // Numbers go on from the last one: a suite may give one name to all of its tests.
            let number = self.numbers.entry(unique.clone()).or_insert(1);
            while self.tests.contains_key(&unique) {
                *number += 1;
                unique = format!("{name} #{number}");
            }
        }
        self.tests.insert(unique, outcome);
    }

    /// What became of the test with this name.
    #[must_use]
    pub fn outcome(&self, name: &str) -> Option<TestOutcome> {
        self.tests.get(name).copied()
    }

    /// All tests by name.
    pub fn tests(&self) -> impl Iterator<Item = (&str, TestOutcome)> {
        let tests = self.tests.iter();
        tests.map(|(name, outcome)| (name.as_str(), *outcome))
    }

    /// How many tests there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tests.len()
    }

    /// Whether there is no test.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// How many tests had each outcome.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for outcome in self.tests.values() {
            *match outcome {
                TestOutcome::Passed => &mut counts.passed,
                TestOutcome::Failed => &mut counts.failed,
                TestOutcome::Skipped => &mut counts.skipped,
                TestOutcome::ExpectedFailure => &mut counts.expected_failures,
            } += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_of_one_name_are_numbered_past_names_that_look_so() {
        let mut results = Results::default();
        for name in ["a", "a #2", "a", "a", "a #2"] {
            results.add(name, TestOutcome::Passed);
        }
        let names: Vec<&str> = results.tests().map(|(name, _)| name).collect();
        assert_eq!(names, ["a", "a #2", "a #2 #2", "a #3", "a #4"]);
    }

    /// Each name looked for from 2 on would be 20,000,000,000 look-ups.
    #[test]
    fn one_name_for_all_tests_takes_no_longer_than_many() {
        let mut results = Results::default();
        for _ in 0..200_000 {
            results.add("test", TestOutcome::Failed);
        }
        assert_eq!(results.outcome("test #200000"), Some(TestOutcome::Failed));
    }
}

//! What a suite said of its tests.

use std::collections::BTreeMap;
use std::fmt;

use crate::name::TestName;

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
    tests: BTreeMap<TestName, TestOutcome>,
    /// Of each name that was there more than once, the number that its last test got.
    numbers: BTreeMap<TestName, usize>,
    /// How the suite ended before its end, or why it is not known which test is which, as far as it
    /// says so itself.
    pub cut_short: Option<String>,
}

impl Results {
    /// Takes a test. One whose name was there before gets the next number.
    pub(crate) fn add(&mut self, mut name: TestName, outcome: TestOutcome) {
        if self.tests.contains_key(&name) {
            let last = self.numbers.entry(name.clone()).or_insert(1);
            *last += 1;
            name.number = *last;
        }
        self.tests.insert(name, outcome);
    }

    /// Something is wrong with the whole; what was found first stands.
    pub(crate) fn cut_short(&mut self, why: impl FnOnce() -> String) {
        self.cut_short.get_or_insert_with(why);
    }

    /// All tests by name.
    pub(crate) fn tests(&self) -> impl Iterator<Item = (&TestName, TestOutcome)> {
        self.tests.iter().map(|(name, outcome)| (name, *outcome))
    }

    /// What became of the test whose name is shown so, with its suites or without.
    #[cfg(test)]
    pub(crate) fn outcome(&self, shown: &str) -> Option<TestOutcome> {
        let is =
            |name: &TestName| [name.to_string(), name.short().to_string()].contains(&shown.into());
        let mut found = self.tests().filter(|(name, _)| is(name));
        found.next().map(|(_, outcome)| outcome)
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
    use crate::name::Suites;

    #[test]
    fn tests_of_one_name_are_numbered() {
        let mut results = Results::default();
        for name in ["a", "a #2", "a", "a", "a #2"] {
            results.add(named(name), TestOutcome::Passed);
        }
        let numbers = results.tests().map(|(name, _)| (&*name.name, name.number));
        assert_eq!(
            numbers.collect::<Vec<_>>(),
            [("a", 1), ("a", 2), ("a", 3), ("a #2", 1), ("a #2", 2)]
        );
    }

    /// Each name looked for from 2 on would be 20,000,000,000 look-ups.
    #[test]
    fn one_name_for_all_tests_takes_no_longer_than_many() {
        let mut results = Results::default();
        for _ in 0..200_000 {
            results.add(named("test"), TestOutcome::Failed);
        }
        assert_eq!(results.len(), 200_000);
        let last = results.tests().last().map(|(name, _)| name.number);
        assert_eq!(last, Some(200_000));
    }

    fn named(name: &str) -> TestName {
        TestName::of(&Suites::default(), name)
    }
}

//! The results of a new build held against those of base.

use std::fmt;

use crate::aligned::aligned;
use crate::results::{Results, TestOutcome};

/// A test that is not on new as it is on base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Its name.
    pub name: String,
    /// What became of it on base; absent where base has no such test.
    pub base: Option<TestOutcome>,
    /// What became of it on new; absent where it was not told of.
    pub new: Option<TestOutcome>,
}

impl fmt::Display for Changed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Changed { name, base, new } = self;
        match (base, new) {
            (Some(base), Some(new)) => write!(formatter, "{name}: {base}, now {new}"),
            (Some(base), None) => write!(formatter, "{name}: {base}, now it is not there"),
            (None, Some(new)) => write!(formatter, "{name}: {new}, not there before"),
            (None, None) => write!(formatter, "{name}: not there"),
        }
    }
}

/// How two results differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Tests that show less than on base: they fail now and did not, they are gone, or they passed
    /// and are not run to their end now.
    pub worse: Vec<Changed>,
    /// Other tests that are not as on base.
    pub other: Vec<Changed>,
    /// Tests that are not the same each time on base. They decide nothing.
    pub flaky: Vec<String>,
    /// Tests that are as on base.
    pub same: usize,
}

/// Holds new against several runs of base.
#[must_use]
pub fn difference(base: &[Results], new: &Results) -> Difference {
    let mut found = Difference::default();
    let runs: Vec<&Results> = base.iter().chain([new]).collect();
    for (name, row) in aligned(&runs) {
        let name = name.to_string();
        let (&now, on_base) = row.split_last().unwrap_or((&None, &[]));
        let first = on_base.first().copied().flatten();
        if on_base.iter().any(|outcome| *outcome != first) {
            found.flaky.push(name);
            continue;
        }
        let changed = Changed {
            name,
            base: first,
            new: now,
        };
        if changed.base == changed.new {
            found.same += 1;
        } else if is_worse(&changed) {
            found.worse.push(changed);
        } else {
            found.other.push(changed);
        }
    }
    found
}

fn is_worse(changed: &Changed) -> bool {
    match (changed.base, changed.new) {
        (_, None | Some(TestOutcome::Failed)) => true,
        (Some(TestOutcome::Passed), Some(new)) => new != TestOutcome::Passed,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::name::{Suites, TestName};

    fn results(tests: &[(&str, TestOutcome)]) -> Results {
        let mut results = Results::default();
        for (name, outcome) in tests {
            results.add(TestName::of(&Suites::default(), *name), *outcome);
        }
        results
    }

    #[test]
    fn a_failure_that_is_older_is_no_failure_and_every_other_loss_is_one() {
        use TestOutcome::{ExpectedFailure, Failed, Passed, Skipped};
        let base = results(&[
            ("old failure", Failed),
            ("breaks", Passed),
            ("gone", Passed),
            ("not run", Passed),
            ("mended", Failed),
            ("now expected", Skipped),
            ("fine", Passed),
        ]);
        let new = results(&[
            ("old failure", Failed),
            ("breaks", Failed),
            ("not run", Skipped),
            ("mended", Passed),
            ("now expected", ExpectedFailure),
            ("fine", Passed),
            ("new and failing", Failed),
            ("new and passing", Passed),
        ]);
        let found = difference(&[base.clone(), base], &new);
        let names = |all: &[Changed]| all.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        assert_eq!(
            names(&found.worse),
            ["breaks", "gone", "new and failing", "not run"]
        );
        assert_eq!(
            names(&found.other),
            ["mended", "new and passing", "now expected"]
        );
        assert_eq!((found.same, found.flaky.len()), (2, 0));
    }

    #[test]
    fn what_varies_on_base_decides_nothing() {
        let one = results(&[
            ("flaky", TestOutcome::Passed),
            ("fine", TestOutcome::Passed),
        ]);
        let other = results(&[
            ("flaky", TestOutcome::Failed),
            ("fine", TestOutcome::Passed),
        ]);
        let found = difference(&[one, other.clone()], &other);
        assert_eq!(found.flaky, ["flaky"]);
        assert!(found.worse.is_empty());
    }
}

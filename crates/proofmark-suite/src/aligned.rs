//! The tests of several runs side by side.
//!
//! A suite's name is a part of its tests' names only where tests would be mixed up without it: some
//! writers put into it what is not the same on every build. ctest's is the build's name, which has
//! the compiler in it. So is a remark behind a name.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::name::TestName;
use crate::results::{Results, TestOutcome};

/// What became of each test in each of the runs; `None` where a run did not tell of it.
pub(crate) fn aligned(runs: &[&Results]) -> BTreeMap<TestName, Vec<Option<TestOutcome>>> {
    let mixed: BTreeSet<_> = runs.iter().flat_map(|run| in_several_suites(run)).collect();
    let mut table = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        for (name, outcome) in run.tests() {
            let known_by = match mixed.contains(&(&name.class, name.name.as_str())) {
                true => name.clone(),
                false => name.short(),
            };
            let row: &mut Vec<_> = table
                .entry(known_by)
                .or_insert_with(|| vec![None; runs.len()]);
            row[at] = Some(outcome);
        }
    }
    table
}

/// How many tests passed in every run: on the others no build can be seen to fail.
#[must_use]
pub fn passed_each_time(runs: &[Results]) -> usize {
    let table = aligned(&runs.iter().collect::<Vec<_>>());
    let passed = Some(TestOutcome::Passed);
    let each_time = |row: &&Vec<_>| row.iter().all(|outcome| *outcome == passed);
    table.values().filter(each_time).count()
}

/// Names that stand in more than one suite of a run, or before more than one remark.
fn in_several_suites(run: &Results) -> BTreeSet<(&Option<String>, &str)> {
    let mut first: HashMap<_, _> = HashMap::new();
    let mut several = BTreeSet::new();
    for (name, _) in run.tests() {
        let short = (&name.class, name.name.as_str());
        let known_by = (&name.suites, &name.remark);
        if *first.entry(short).or_insert(known_by) != known_by {
            several.insert(short);
        }
    }
    several
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::name::Suites;

    fn run(tests: &[(&str, &str, TestOutcome)]) -> Results {
        let mut results = Results::default();
        for (suite, name, outcome) in tests {
            let suites: Suites = [Arc::from(*suite)].into();
            results.add(TestName::of(&suites, *name), *outcome);
        }
        results
    }

    #[test]
    fn a_suite_counts_where_a_name_stands_in_several_of_any_run() {
        use TestOutcome::{Failed, Passed};
        let rows = |runs: &[&Results]| {
            let table = aligned(runs).into_iter();
            let rows = table.map(|(name, row)| (name.to_string(), row));
            rows.collect::<Vec<_>>()
        };
        // One suite, whose name is another one on each build.
        let gcc = run(&[("Linux-gcc", "x", Passed), ("Linux-gcc", "x", Failed)]);
        let clang = run(&[("Linux-clang", "x", Passed), ("Linux-clang", "x", Failed)]);
        let both = |outcome| vec![Some(outcome); 2];
        assert_eq!(
            rows(&[&gcc, &clang]),
            [("x".into(), both(Passed)), ("x #2".into(), both(Failed))]
        );
        assert_eq!(passed_each_time(&[gcc, clang]), 1);
        // Only the second run has the name twice.
        let one = run(&[("A", "x", Passed), ("A", "y", Passed)]);
        let two = run(&[("B", "x", Failed), ("A", "x", Passed), ("C", "y", Passed)]);
        assert_eq!(
            rows(&[&one, &two]),
            [
                ("y".into(), both(Passed)),
                ("A > x".into(), both(Passed)),
                ("B > x".into(), vec![None, Some(Failed)]),
            ]
        );
    }
}

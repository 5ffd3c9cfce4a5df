//! What `go test -json` prints: a line of JSON for each event.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::name::{Suites, TestName};
use crate::results::{Results, TestOutcome};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Line {
    action: String,
    #[serde(default)]
    package: String,
    #[serde(default)]
    test: Option<String>,
}

pub(crate) fn read(text: &str) -> Results {
    let mut results = Results::default();
    let no_suites = Suites::default();
    let mut begun = BTreeSet::new();
    let mut packages = BTreeSet::new();
    // What a failed build prints is no JSON.
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Line>(line).ok());
    for line in lines {
        let name = match &line.test {
            Some(test) => format!("{}.{test}", line.package),
            None => line.package.clone(),
        };
        let outcome = match line.action.as_str() {
            "pass" => TestOutcome::Passed,
            "fail" => TestOutcome::Failed,
            "skip" => TestOutcome::Skipped,
            "run" => {
                // Go before 1.20 says no `start`.
                packages.insert(line.package);
                begun.insert(name);
                continue;
            }
            "start" => {
                packages.insert(name);
                continue;
            }
            _ => continue,
        };
        if line.test.is_some() {
            begun.remove(&name);
            results.add(TestName::of(&no_suites, name), outcome);
        } else {
            packages.remove(&name);
            // A package passes with its tests; it fails by itself where it cannot be built.
            if outcome == TestOutcome::Failed {
                let package = format!("{name} (package)");
                results.add(TestName::of(&no_suites, package), outcome);
            }
        }
    }
    for test in begun {
        results.add(TestName::of(&no_suites, test), TestOutcome::Failed);
    }
    if let Some(package) = packages.first() {
        results.cut_short = Some(format!("nothing says how package {package} ended"));
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_subtests_and_packages() {
        let event = |action: &str, test: &str| {
            let test = if test.is_empty() {
                String::new()
            } else {
                format!(r#","Test":"{test}""#)
            };
            format!(
                "{{\"Time\":\"2024-01-01T00:00:00Z\",\"Action\":\"{action}\",\"Package\":\"p\"{test}}}\n"
            )
        };
        let mut text = event("start", "") + &event("run", "TestA") + &event("pass", "TestA");
        text += &(event("run", "TestB/x") + &event("fail", "TestB/x") + &event("skip", "TestC"));
        text += &event("run", "TestD");
        assert!(read(&text).cut_short.is_some());
        text += &event("fail", "");
        let results = read(&text);
        assert_eq!(results.outcome("p.TestA"), Some(TestOutcome::Passed));
        assert_eq!(results.outcome("p.TestB/x"), Some(TestOutcome::Failed));
        assert_eq!(results.outcome("p.TestC"), Some(TestOutcome::Skipped));
        assert_eq!(results.outcome("p.TestD"), Some(TestOutcome::Failed));
        assert_eq!(results.outcome("p (package)"), Some(TestOutcome::Failed));
        assert_eq!(results.cut_short, None);
        let no_start = event("run", "TestA") + &event("pass", "TestA");
        assert!(read(&no_start).cut_short.is_some());
    }
}

//! The Test Anything Protocol.

use crate::name::{Suites, TestName};
use crate::results::{Results, TestOutcome};

pub(crate) fn read(text: &str) -> Results {
    let mut results = Results::default();
    // `prove --verbose` shows one program's output after the other's, each with a plan of its own.
    let mut planned: Option<usize> = None;
    let mut number = 0_usize;
    for line in text.lines() {
        if let Some(why) = line.strip_prefix("Bail out!") {
            results.cut_short = Some(format!("it bailed out:{why}"));
            break;
        }
        if let Some(plan) = line.strip_prefix("1..") {
            let more = plan.split([' ', '#']).next().and_then(|n| n.parse().ok());
            planned = more.map_or(planned, |more: usize| {
                Some(planned.unwrap_or(0).saturating_add(more))
            });
        } else if let Some((passed, rest)) = test_line(line) {
            number += 1;
            let (name, outcome) = test(passed, rest, number);
            results.add(TestName::of(&Suites::default(), name), outcome);
        }
    }
    if results.cut_short.is_none() {
        results.cut_short = match planned {
            Some(planned) => (planned != number)
                .then(|| format!("{planned} tests were planned, and {number} were told")),
            // The plan may stand behind the tests, and is never left out (TAP 14, "The Plan").
            None => Some(format!(
                "{number} tests were told, and no plan (`1..{number}`) before or behind them"
            )),
        };
    }
    results
}

/// Whether a line is of a test, whether that passed, and what stands behind.
fn test_line(line: &str) -> Option<(bool, &str)> {
    let (passed, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    (rest.is_empty() || rest.starts_with(' ')).then_some((passed, rest))
}

/// A test's name and outcome: `[NUMBER] [-] NAME [# SKIP|TODO WHY]`.
fn test(passed: bool, rest: &str, number: usize) -> (String, TestOutcome) {
    let (about, directive) = match rest.split_once(" # ") {
        Some((about, directive)) => (about, directive.trim_start().to_ascii_uppercase()),
        None => (rest, String::new()),
    };
    let about = about.trim();
    let unnumbered = about
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .trim_start();
    let name = unnumbered.strip_prefix("- ").unwrap_or(unnumbered).trim();
    let name = if name.is_empty() {
        number.to_string()
    } else {
        name.to_owned()
    };
    let outcome = match (passed, directive.as_str()) {
        (_, directive) if directive.starts_with("SKIP") => TestOutcome::Skipped,
        (false, directive) if directive.starts_with("TODO") => TestOutcome::ExpectedFailure,
        (true, _) => TestOutcome::Passed,
        (false, _) => TestOutcome::Failed,
    };
    (name, outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_plans_and_subtests() {
        let text = "TAP version 14\n1..5\nok 1 - adds\nnot ok 2 - divides\n    ok 1 - inner\n\
            ok 3 # SKIP no network\nnot ok 4 - later # TODO not done\nok\nokay this is output\n";
        let results = read(text);
        assert_eq!(results.outcome("adds"), Some(TestOutcome::Passed));
        assert_eq!(results.outcome("divides"), Some(TestOutcome::Failed));
        assert_eq!(results.outcome("3"), Some(TestOutcome::Skipped));
        assert_eq!(results.outcome("later"), Some(TestOutcome::ExpectedFailure));
        assert_eq!(results.outcome("5"), Some(TestOutcome::Passed));
        assert_eq!((results.len(), results.cut_short), (5, None));
    }

    #[test]
    fn a_suite_that_stops_is_cut_short() {
        assert!(
            read("1..3\nok 1\nok 2\n")
                .cut_short
                .unwrap()
                .contains("3 tests were planned")
        );
        assert!(
            read("ok 1\nBail out! no disk\n")
                .cut_short
                .unwrap()
                .contains("no disk")
        );
        // It was killed before it could write the plan.
        assert!(read("ok 1\nok 2\n").cut_short.unwrap().contains("no plan"));
        assert_eq!(read("ok 1\nok 2\n1..2\n").cut_short, None);
        assert_eq!(read("1..0 # SKIP no network\n").cut_short, None);
        let of_two = "t/a.t ..\n1..1\nok 1\nt/b.t ..\n1..2\nok 1\n";
        assert!(
            read(of_two)
                .cut_short
                .unwrap()
                .contains("3 tests were planned, and 2")
        );
        assert_eq!(read(&format!("{of_two}ok 2\n")).cut_short, None);
    }
}

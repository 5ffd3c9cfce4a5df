//! What `cargo test` prints. Which program is run stands in its standard error, and so here only
//! where a shell has put both into one.

use std::sync::Arc;

use crate::name::{Suites, TestName};
use crate::results::{Results, TestOutcome};

/// Tests by what became of them, in the words of a sum.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    failed: usize,
    ignored: usize,
    measured: usize,
}

pub(crate) fn read(text: &str) -> Results {
    let mut results = Results::default();
    let mut suites = Suites::default();
    // Tests that were announced, those that were summed up, and those of this program with a line.
    let (mut announced, mut summed, mut told) = (0_usize, 0_usize, Counts::default());
    let mut captured = false;
    let mut disagrees = None;
    for line in text.lines() {
        if let Some(number) = line.strip_prefix("running ").and_then(first_number) {
            announced = announced.saturating_add(number);
            (told, captured) = (Counts::default(), false);
        } else if let Some(sum) = line.strip_prefix("test result: ") {
            let sum = counts(sum);
            summed = summed.saturating_add(sum.all());
            if sum != told {
                disagrees.get_or_insert_with(|| disagreement(sum, told));
            }
            (told, captured) = (Counts::default(), false);
        } else if ["failures:", "successes:"].contains(&line) {
            // What tests printed stands below.
            captured = true;
        } else if let Some(program) = program(line) {
            suites = [Arc::from(program)].into();
        } else if !captured && let Some((name, word)) = test(line) {
            let (number, outcome) = match word {
                "ok" => (&mut told.passed, TestOutcome::Passed),
                "bench" => (&mut told.measured, TestOutcome::Passed),
                "FAILED" => (&mut told.failed, TestOutcome::Failed),
                "ignored" => (&mut told.ignored, TestOutcome::Skipped),
                _ => continue,
            };
            *number += 1;
            results.add(TestName::of(&suites, name), outcome);
        }
    }
    if announced != summed {
        results.cut_short(|| format!("{announced} tests were begun, and {summed} were summed up"));
    } else if results.len() < announced {
        let told = results.len();
        results.cut_short(|| {
            format!(
                "of {announced} tests only {told} have a line of their own: run them without \
                 `--quiet` and `--nocapture`"
            )
        });
    } else if let Some(why) = disagrees {
        results.cut_short(|| why);
    }
    results
}

impl Counts {
    fn all(self) -> usize {
        let parts = [self.failed, self.ignored, self.measured];
        parts.into_iter().fold(self.passed, usize::saturating_add)
    }
}

/// `ok. 2 passed; 0 failed; 0 ignored; 0 measured; …`.
fn counts(sum: &str) -> Counts {
    let mut counts = Counts::default();
    for part in sum.split(['.', ';']) {
        let Some((number, word)) = part.trim_start().split_once(' ') else {
            continue;
        };
        let place = match word {
            "passed" => &mut counts.passed,
            "failed" => &mut counts.failed,
            "ignored" => &mut counts.ignored,
            "measured" => &mut counts.measured,
            _ => continue,
        };
        *place = number.parse().unwrap_or(0);
    }
    counts
}

fn disagreement(sum: Counts, told: Counts) -> String {
    let parts = [
        (sum.failed, told.failed, "failed"),
        (sum.passed, told.passed, "passed"),
        (sum.ignored, told.ignored, "ignored"),
        (sum.measured, told.measured, "measured"),
    ];
    let mut apart = parts.iter().filter(|(sum, told, _)| sum != told);
    let (sum, told, word) = apart.next().copied().unwrap_or_default();
    format!("it sums up {sum} {word} tests, and {told} of them have a line of their own")
}

/// The program that is run next: `Running unittests src/lib.rs (target/debug/deps/NAME-HASH)` or
/// `Doc-tests NAME`. The hash goes by how the program was built.
fn program(line: &str) -> Option<String> {
    let line = line.trim_start();
    if line.starts_with("Doc-tests ") {
        return Some(line.to_owned());
    }
    let what = line.strip_prefix("Running ")?;
    let Some((what, path)) = what
        .strip_suffix(')')
        .and_then(|what| what.rsplit_once(" ("))
    else {
        return Some(what.to_owned());
    };
    let file = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let name = match file.rsplit_once('-') {
        Some((name, hash)) if hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => file,
    };
    Some(format!("{name} {what}"))
}

fn first_number(text: &str) -> Option<usize> {
    text.split(' ').next()?.parse().ok()
}

/// `test NAME ... ok`.
fn test(line: &str) -> Option<(&str, &str)> {
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    Some((name, outcome.split([',', ':', ' ']).next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "\nrunning 3 tests\ntest a::adds ... ok\ntest a::panics - should panic ... ok\n\
        test b ... FAILED\n\nfailures:\n\n---- b stdout ----\ntest of mine\n\nfailures:\n    b\n\n\
        test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n\
        running 1 test\ntest a::adds ... ignored, needs a disk\n\n\
        test result: ok. 0 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.00s\n";

    #[test]
    fn the_tests_of_several_binaries_are_read() {
        let results = read(TWO);
        assert_eq!(results.outcome("a::adds"), Some(TestOutcome::Passed));
        assert_eq!(
            results.outcome("a::panics - should panic"),
            Some(TestOutcome::Passed)
        );
        assert_eq!(results.outcome("b"), Some(TestOutcome::Failed));
        assert_eq!(results.outcome("a::adds #2"), Some(TestOutcome::Skipped));
        assert_eq!((results.len(), results.cut_short), (4, None));
    }

    #[test]
    fn a_binary_that_dies_is_cut_short() {
        let cut = TWO.split("test result: ok").next().unwrap();
        assert!(
            read(cut)
                .cut_short
                .unwrap()
                .contains("4 tests were begun, and 3")
        );
        let hidden = TWO.replace("test b ... FAILED", "test b ... hello\nFAILED");
        assert!(read(&hidden).cut_short.unwrap().contains("--nocapture"));
    }

    #[test]
    fn a_sum_that_the_lines_do_not_show_is_no_result() {
        let one = TWO.replace("test b ... FAILED", "test b ... ok");
        let why = read(&one).cut_short.unwrap();
        assert!(why.contains("1 failed tests, and 0"), "{why}");
        // What a test printed is no line of a test.
        let printed = TWO.replace("test of mine", "test of ... ok");
        assert_eq!(read(&printed).cut_short, None);
    }

    #[test]
    fn programs_are_told_apart_by_what_is_steady_of_their_names() {
        let text = |hash: &str, first: &str, second: &str| {
            let run = |name: &str, outcome: &str| {
                let counts = match outcome {
                    "ok" => "ok. 1 passed; 0 failed",
                    _ => "FAILED. 0 passed; 1 failed",
                };
                format!(
                    "     Running unittests src/lib.rs (target/debug/deps/{name}-{hash})\n\n\
                     running 1 test\ntest it ... {outcome}\n\n\
                     test result: {counts}; 0 ignored; 0 measured; 0 filtered out\n\n"
                )
            };
            run("a", first) + &run("b", second)
        };
        let results = read(&text("0123456789abcdef", "ok", "FAILED"));
        let b = "b unittests src/lib.rs > it";
        assert_eq!(results.outcome(b), Some(TestOutcome::Failed));
        assert_eq!((results.len(), &results.cut_short), (2, &None));
        assert_eq!(read(&text("fedcba9876543210", "ok", "FAILED")), results);
        let doc = program("   Doc-tests a");
        assert_eq!(doc.as_deref(), Some("Doc-tests a"));
    }
}

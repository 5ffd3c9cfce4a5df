//! What `cargo test` prints.

use crate::results::{Results, TestOutcome};

pub(crate) fn read(text: &str) -> Results {
    let mut results = Results::default();
    // Tests that were announced, and those that were summed up.
    let (mut announced, mut summed) = (0_usize, 0_usize);
    for line in text.lines() {
        if let Some(number) = line.strip_prefix("running ").and_then(first_number) {
            announced = announced.saturating_add(number);
        } else if let Some(sum) = line.strip_prefix("test result: ") {
            let parts = sum.split(['.', ';']).filter(|part| {
                ["passed", "failed", "ignored", "measured"]
                    .iter()
                    .any(|word| part.ends_with(word))
            });
            let numbers = parts.filter_map(|part| first_number(part.trim_start()));
            summed = numbers.fold(summed, usize::saturating_add);
        } else if let Some((name, outcome)) = test(line) {
            results.add(name, outcome);
        }
    }
    if announced != summed {
        results.cut_short = Some(format!(
            "{announced} tests were begun, and {summed} were summed up"
        ));
    } else if results.len() < announced {
        let told = results.len();
        results.cut_short = Some(format!(
            "of {announced} tests only {told} have a line of their own: run them without `--quiet` and `--nocapture`"
        ));
    }
    results
}

fn first_number(text: &str) -> Option<usize> {
    text.split(' ').next()?.parse().ok()
}

/// `test NAME ... ok`.
fn test(line: &str) -> Option<(&str, TestOutcome)> {
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let outcome = outcome.split([',', ':', ' ']).next()?;
    let outcome = match outcome {
        "ok" | "bench" => TestOutcome::Passed,
        "FAILED" => TestOutcome::Failed,
        "ignored" => TestOutcome::Skipped,
        _ => return None,
    };
    Some((name, outcome))
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
}

//! The Test Anything Protocol, as its specifications say (testanything.org, versions 12 to 14).
//!
//! `prove --verbose` shows one program's output after the other's, each with a plan of its own. How
//! a program ended stands in its summary alone: it may die behind its last test.

use std::collections::HashSet;
use std::sync::Arc;

use crate::name::{Suites, TestName};
use crate::prove;
use crate::results::{Results, TestOutcome};

/// What one program has told so far.
#[derive(Default)]
struct Program {
    /// Its name, where prove shows it.
    suites: Suites,
    planned: Option<usize>,
    /// The plan stood behind tests, so that none may follow.
    over: bool,
    /// Its tests with their numbers, in the order in which they were told.
    tests: Vec<(usize, Test)>,
}

/// A test line.
struct Test {
    /// Empty where it has none.
    name: String,
    /// What stands behind ` # ` and is no directive.
    remark: Option<String>,
    /// As it was printed.
    number: Option<usize>,
    outcome: TestOutcome,
}

pub(crate) fn read(text: &str) -> Results {
    let mut results = Results::default();
    let mut program = Program::default();
    let mut of_prove: Vec<Suites> = Vec::new();
    let mut ended_badly: HashSet<&str> = HashSet::new();
    for line in text.lines() {
        ended_badly.extend(prove::ended(line));
        if let Some(why) = bail_out(line) {
            results.cut_short(|| format!("it bailed out:{why}"));
            break;
        }
        if let Some(plan) = plan(line) {
            // A program has one plan.
            if program.planned.is_some() {
                program.begin_next().ends(&mut results);
            }
            program.planned = Some(plan);
            program.over = !program.tests.is_empty();
        } else if let Some(name) = program.heading(line) {
            program.begin_next().ends(&mut results);
            program.suites = [Arc::from(name)].into();
            of_prove.push(Arc::clone(&program.suites));
        } else if let Some(test) = test(line) {
            let complete = program.is_complete();
            if complete && program.is_of_prove(line) {
                continue;
            }
            if program.over || (complete && test.number == Some(1)) {
                program.begin_next().ends(&mut results);
            }
            let last = program.tests.last().map_or(0, |(number, _)| *number);
            let number = test.number.unwrap_or(last.saturating_add(1));
            program.tests.push((number, test));
        }
    }
    program.ends(&mut results);
    for suites in of_prove {
        let is_bad = |name: &Arc<str>| ended_badly.contains(name.as_ref());
        let outcome = match suites.iter().any(is_bad) {
            true => TestOutcome::Failed,
            false => TestOutcome::Passed,
        };
        results.add(TestName::of(&suites, "(program)".to_owned()), outcome);
    }
    results
}

impl Program {
    /// Another one begins; gives what this one has told.
    fn begin_next(&mut self) -> Program {
        std::mem::take(self)
    }

    /// Whether all that was planned was told.
    fn is_complete(&self) -> bool {
        self.planned
            .is_some_and(|planned| self.tests.len() >= planned)
    }

    /// The name of the program that begins, as prove shows it.
    fn heading<'a>(&self, line: &'a str) -> Option<&'a str> {
        let may_begin = self.tests.is_empty() || self.is_complete();
        prove::heading(line).filter(|_| may_begin)
    }

    /// Whether a line is prove's own word on the program.
    fn is_of_prove(&self, line: &str) -> bool {
        !self.suites.is_empty() && prove::is_own_word(line)
    }

    /// Takes its tests over. Those of one name are told apart in the order of their numbers.
    fn ends(mut self, results: &mut Results) {
        if let Some(why) = self.unreadable() {
            let of = self.suites.first().map(|name| format!("{name}: "));
            results.cut_short(|| format!("{}{why}", of.unwrap_or_default()));
        }
        self.tests.sort_by_key(|(number, _)| *number);
        for (number, test) in self.tests {
            let name = match test.name.is_empty() {
                true => number.to_string(),
                false => test.name,
            };
            let name = TestName {
                remark: test.remark,
                ..TestName::of(&self.suites, name)
            };
            results.add(name, test.outcome);
        }
    }

    /// Why it is not known which test is which, or whether all were told.
    fn unreadable(&self) -> Option<String> {
        let told = self.tests.len();
        let Some(planned) = self.planned else {
            // The plan may stand behind the tests, and is never left out (TAP 14, "Plan").
            let why =
                format!("{told} tests were told, and no plan (`1..{told}`) before or behind them");
            return (told > 0).then_some(why);
        };
        if told != planned {
            return Some(format!(
                "{planned} tests were planned, and {told} were told"
            ));
        }
        // They may come in any order (TAP 14, "Test Points").
        let mut numbers: Vec<usize> = self.tests.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        if let Some(twice) = numbers.windows(2).find(|two| two[0] == two[1]) {
            let mut never = (1..=planned).filter(|number| numbers.binary_search(number).is_err());
            let never = never
                .next()
                .map(|number| format!(", and test {number} never"));
            let (twice, never) = (twice[0], never.unwrap_or_default());
            return Some(format!("test {twice} was told twice{never}"));
        }
        let mut outside = numbers
            .iter()
            .filter(|number| !(1..=planned).contains(*number));
        let outside = outside.next();
        outside.map(|number| format!("test {number} was told, and the plan is 1..{planned}"))
    }
}

/// Why a program gives up, or one of its subtests.
fn bail_out(line: &str) -> Option<&str> {
    const WORDS: &str = "bail out!";
    let line = line.trim_start_matches("    ");
    let words = line.get(..WORDS.len())?;
    words
        .eq_ignore_ascii_case(WORDS)
        .then(|| &line[WORDS.len()..])
}

/// `1..NUMBER`, and perhaps a reason why there are none.
fn plan(line: &str) -> Option<usize> {
    let plan = line.strip_prefix("1..")?;
    plan.split([' ', '#', '\t']).next()?.parse().ok()
}

/// `[not ]ok [NUMBER] [-] NAME [# REMARK] [# SKIP|TODO WHY]`.
fn test(line: &str) -> Option<Test> {
    let (passed, rest) = match line.strip_prefix("not ok") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok")?),
    };
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let (about, directive) = directive(rest);
    let (about, remark) = match marks(about).next() {
        Some(at) => (&about[..at], Some(about[at + 1..].trim())),
        None => (about, None),
    };
    let about = about.trim();
    let digits = about.len() - about.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, name) = about.split_at(digits);
    // `2nd` is a word.
    let (number, name) = match name.is_empty() || name.starts_with([' ', '\t']) {
        true => (number, name.trim_start()),
        false => ("", about),
    };
    let name = match name {
        "-" => "",
        name => name.strip_prefix("- ").unwrap_or(name).trim(),
    };
    let outcome = match (passed, directive) {
        (_, Some(Directive::Skip)) => TestOutcome::Skipped,
        (false, Some(Directive::Todo)) => TestOutcome::ExpectedFailure,
        (true, _) => TestOutcome::Passed,
        (false, _) => TestOutcome::Failed,
    };
    Some(Test {
        name: name.to_owned(),
        // node-tap writes how long a test took.
        remark: remark
            .filter(|remark| !remark.is_empty() && !remark.starts_with("time="))
            .map(str::to_owned),
        // One that is too large for a number is outside of every plan.
        number: (!number.is_empty()).then(|| number.parse().unwrap_or(usize::MAX)),
        outcome,
    })
}

enum Directive {
    Skip,
    Todo,
}

/// What stands before the first directive, and which one it is. Any other `#` ends no name.
fn directive(rest: &str) -> (&str, Option<Directive>) {
    for at in marks(rest) {
        let words = rest[at + 1..].trim_start();
        let is = |word: &str| {
            let begin = words.get(..word.len());
            begin.is_some_and(|begin| begin.eq_ignore_ascii_case(word))
        };
        // Older producers write `# skipped`. A test that fails is excused by the word alone.
        if is("skip") {
            return (&rest[..at], Some(Directive::Skip));
        }
        let behind = words.get("todo".len()..).unwrap_or_default();
        if is("todo") && !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return (&rest[..at], Some(Directive::Todo));
        }
    }
    (rest, None)
}

/// Where a `#` stands behind a space: one behind `\` does not.
fn marks(rest: &str) -> impl Iterator<Item = usize> {
    let all = rest.match_indices('#').map(|(at, _)| at);
    all.filter(|at| rest[..*at].ends_with([' ', '\t']))
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
                .contains("2 tests were planned, and 1")
        );
        assert_eq!(read(&format!("{of_two}ok 2\n")).cut_short, None);
    }

    #[test]
    fn a_number_says_which_test_it_is() {
        let results = read("1..3\nok 2\nnot ok 1\nok 3 - 1 apple\n");
        assert_eq!(results.outcome("1"), Some(TestOutcome::Failed));
        assert_eq!(results.outcome("2"), Some(TestOutcome::Passed));
        assert_eq!(results.outcome("1 apple"), Some(TestOutcome::Passed));
        assert_eq!(results.cut_short, None);
        // Two of one name in another order.
        let two = "1..2\nok 2 a\nnot ok 1 a\n";
        assert_eq!(read(two).outcome("a"), Some(TestOutcome::Failed));
        for (text, why) in [
            (
                "1..2\nok 2\nok 2\n",
                "test 2 was told twice, and test 1 never",
            ),
            (
                "1..2\nok 1\nok 3\n",
                "test 3 was told, and the plan is 1..2",
            ),
            ("1..2\nok 0\nok 1\n", "test 0 was told"),
            ("1..1\nok 99999999999999999999999\n", "the plan is 1..1"),
            ("1..2\nok 1\nok 1\nok 2\n", "2 tests were planned, and 3"),
        ] {
            let found = read(text).cut_short.unwrap_or_default();
            assert!(found.contains(why), "{text}: {found}");
        }
        assert_eq!(
            read("1..1\nok 2nd\n").outcome("2nd"),
            Some(TestOutcome::Passed)
        );
    }

    #[test]
    fn only_a_directive_ends_a_name() {
        let results = read(
            "1..8\nok 1 - f # 1\nnot ok 2 - f # 2\nok 3 - a\\# todo b\nok 4 - t # time=5.1ms\n\
             not ok 5 - u # todos left\nok 6 - s # skipped: no net\nnot ok 7 - C# todo x\n\
             ok 8 - g # 3 #SKIP\n",
        );
        for (name, outcome) in [
            ("f # 1", TestOutcome::Passed),
            ("f # 2", TestOutcome::Failed),
            ("a\\# todo b", TestOutcome::Passed),
            ("t", TestOutcome::Passed),
            ("u # todos left", TestOutcome::Failed),
            ("s", TestOutcome::Skipped),
            ("C# todo x", TestOutcome::Failed),
            ("g # 3", TestOutcome::Skipped),
        ] {
            assert_eq!(results.outcome(name), Some(outcome), "{name}");
        }
    }

    /// As prove 3.44 writes it.
    #[test]
    fn prove_s_programs_are_told_apart() {
        let text = "t/a.t ..... \n1..1\nok 1\nok\n[14:47:02] t/long.t .. \nok 1\nnot ok 2 - x # SKIP\n\
            1..2\nok       27 ms ( 0.00 usr)\nAll tests successful.\nFiles=2, Tests=3,  0 wallclock secs\n";
        let results = read(text);
        assert_eq!(results.cut_short, None);
        assert_eq!(results.outcome("t/a.t > 1"), Some(TestOutcome::Passed));
        assert_eq!(results.outcome("t/long.t > 1"), Some(TestOutcome::Passed));
        assert_eq!(results.outcome("t/long.t > x"), Some(TestOutcome::Skipped));
        // Each program is a test itself.
        assert_eq!(results.len(), 5);
        let ended = |text: &str| read(text).outcome("t/a.t > (program)");
        assert_eq!(ended(text), Some(TestOutcome::Passed));
        for (summary, outcome) in [
            (
                "t/a.t    (Wstat: 11 (Signal: SEGV) Tests: 1 Failed: 0)",
                TestOutcome::Failed,
            ),
            (
                "t/a.t  (Wstat: 256 (exited 1) Tests: 1 Failed: 1)",
                TestOutcome::Failed,
            ),
            ("t/a.t  (Wstat: 0 Tests: 1 Failed: 1)", TestOutcome::Passed),
            (
                "t/long.t (Wstat: 11 Tests: 1 Failed: 0)",
                TestOutcome::Passed,
            ),
        ] {
            let text = format!("{text}Test Summary Report\n-----\n{summary}\n");
            assert_eq!(ended(&text), Some(outcome), "{summary}");
        }
        let cut = text.replace("1..2", "1..3");
        let why = read(&cut).cut_short.unwrap();
        assert!(
            why.contains("t/long.t: 3 tests were planned, and 2"),
            "{why}"
        );
        assert!(
            read("1..1\nok 1\n    bail out! inner\n")
                .cut_short
                .is_some()
        );
    }
}

//! A suite of tests, whose results on each build are held against those on base, test by test.

use std::fs;
use std::io::ErrorKind;

use proofmark_evidence::record::Benchmark;
use proofmark_measure::{End, Outcome};
use proofmark_project::GateDefinition;
use proofmark_suite::{Changed, Counts, Format, Results, difference, passed_each_time};

use super::bench::{GateBench, Run};
use super::judged::{Judged, ended};
use crate::error::{LabError, of_file};

/// Tests that are named, at most.
const NAMED: usize = 20;

/// What is said of a suite whose run did not open the image that it was to judge.
const NEVER_OPENED: &str = "the suite never opened the build's image: what it says is of another \
                            run. Let it keep no results (`make -B`, `go test -count=1`)";

/// What a suite came to.
enum Ran {
    /// It told its results.
    Told { results: Results, end: End },
    /// It told none, for this reason.
    Nothing(String),
}

/// Judges each build; the first one is base.
pub(super) fn judge(
    bench: &GateBench<'_>,
    (name, gate): (&str, &GateDefinition),
    cells: &[&str],
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<Judged>, LabError> {
    match gate.results {
        None => (0..cells.len())
            .map(|build| {
                tell(cells[build]);
                by_its_end(bench, gate, build)
            })
            .collect(),
        Some(format) => by_results(bench, (name, gate, format), cells, tell),
    }
}

/// A suite whose exit code says all.
fn by_its_end(
    bench: &GateBench<'_>,
    gate: &GateDefinition,
    build: usize,
) -> Result<Judged, LabError> {
    let Run { outcome, opened } = bench.run(&bench.benchmark(gate, build), build)?;
    let said = ended(outcome.end);
    Ok(match outcome.end {
        End::Exited(0) if !opened => Judged::failed(NEVER_OPENED.to_owned()),
        End::Exited(0) => Judged {
            passed: true,
            said,
            ..Judged::default()
        },
        _ => Judged {
            differs: last_words(&outcome),
            ..Judged::failed(said)
        },
    })
}

fn by_results(
    bench: &GateBench<'_>,
    (name, gate, format): (&str, &GateDefinition, Format),
    cells: &[&str],
    tell: &mut dyn FnMut(&str),
) -> Result<Vec<Judged>, LabError> {
    let base_cell = cells.first().copied().unwrap_or_default();
    let mut base = Vec::new();
    let mut base_ends = Vec::new();
    let unjudged = |why: &str| LabError::Gate {
        gate: name.to_owned(),
        why: format!(
            "on {base_cell}, with which the others are compared, {why}\n  next: run its command by \
             hand, and mend it or `results`"
        ),
    };
    for _ in 0..gate.repeat {
        tell(base_cell);
        match run(bench, gate, format, 0)? {
            Ran::Nothing(why) => return Err(unjudged(&why)),
            Ran::Told { results, .. } if results.cut_short.is_some() => {
                return Err(unjudged(&results.cut_short.unwrap_or_default()));
            }
            Ran::Told { results, end } => {
                base_ends.push(end);
                base.push(results);
            }
        }
    }
    if passed_each_time(&base) == 0 {
        return Err(unjudged("no test passes each time"));
    }
    let mut judged = vec![of_base(&base)];
    for (build, cell) in cells.iter().enumerate().skip(1) {
        tell(cell);
        judged.push(match run(bench, gate, format, build)? {
            Ran::Nothing(why) => Judged::failed(why),
            Ran::Told { results, end } => {
                held_against(&base, (base_cell, &base_ends), &results, end)
            }
        });
    }
    Ok(judged)
}

/// Runs the suite once, and reads what it says.
fn run(
    bench: &GateBench<'_>,
    gate: &GateDefinition,
    format: Format,
    build: usize,
) -> Result<Ran, LabError> {
    let benchmark: Benchmark = bench.benchmark(gate, build);
    match fs::remove_file(&bench.file) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(of_file("remove", &bench.file)(error));
        }
        _ => {}
    }
    let Run { outcome, opened } = bench.run(&benchmark, build)?;
    if !matches!(outcome.end, End::Exited(_)) {
        return Ok(Ran::Nothing(format!("the suite {}", ended(outcome.end))));
    }
    let told = if gate.writes_results() {
        match fs::read(&bench.file) {
            Ok(told) => told,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let end = ended(outcome.end);
                return Ok(Ran::Nothing(format!(
                    "the suite {end} and wrote no {{results}}"
                )));
            }
            Err(error) => return Err(of_file("read", &bench.file)(error)),
        }
    } else if outcome.stdout.length > outcome.stdout.kept.len() as u64 {
        return Ok(Ran::Nothing(format!(
            "the suite printed {} bytes, of which only the first mebibyte is kept: let it write \
             its results to {{results}}",
            outcome.stdout.length
        )));
    } else {
        outcome.stdout.kept.clone()
    };
    Ok(match format.read(&told) {
        Ok(_) if !opened => Ran::Nothing(NEVER_OPENED.to_owned()),
        Ok(results) => Ran::Told {
            results,
            end: outcome.end,
        },
        Err(why) => Ran::Nothing(format!(
            "the suite {}, and it told {why}",
            ended(outcome.end)
        )),
    })
}

fn of_base(base: &[Results]) -> Judged {
    let first = base.first().cloned().unwrap_or_default();
    let flaky = difference(base, &first).flaky;
    Judged {
        passed: true,
        said: format!("base: {}{}", counted(first.counts()), apart(&flaky)),
        flaky,
        ..Judged::default()
    }
}

fn held_against(
    base: &[Results],
    (base_cell, base_ends): (&str, &[End]),
    new: &Results,
    end: End,
) -> Judged {
    let found = difference(base, new);
    let mut reasons = Vec::new();
    if !found.worse.is_empty() {
        reasons.push(format!(
            "{} worse than on {base_cell}",
            tests(found.worse.len())
        ));
    }
    reasons.extend(new.cut_short.clone());
    let mended = !found.other.is_empty();
    if found.worse.is_empty() && ends_worse(end, base_ends, mended) {
        let there = base_ends.last().copied().map(ended).unwrap_or_default();
        reasons.push(format!(
            "the suite {}, and {there} on {base_cell}",
            ended(end)
        ));
    }
    let passed = reasons.is_empty();
    let mut said = match passed {
        true => format!("{} as on {base_cell}", tests(found.same)),
        false => format!("{}; {} as there", reasons.join("; "), tests(found.same)),
    };
    if !found.other.is_empty() {
        said.push_str(&format!(
            "; {} otherwise, and not worse",
            tests(found.other.len())
        ));
    }
    said.push_str(&apart(&found.flaky));
    Judged {
        passed,
        said,
        differs: named(&found.worse, &found.other),
        flaky: found.flaky,
    }
}

/// Whether a suite ends with an error that its tests do not explain. One that failed on base too
/// may fail in fewer tests here, and say their number. A shell says by more than 125 that a command
/// could not be run, or was ended by a signal.
fn ends_worse(end: End, on_base: &[End], mended: bool) -> bool {
    match end {
        End::Exited(0) => false,
        end if on_base.contains(&end) => false,
        End::Exited(1..=125) => on_base.contains(&End::Exited(0)) || !mended,
        _ => true,
    }
}

/// The tests that differ, those that are worse first.
fn named(worse: &[Changed], other: &[Changed]) -> Vec<String> {
    let all = worse.iter().chain(other);
    let mut lines: Vec<String> = all.clone().take(NAMED).map(Changed::to_string).collect();
    let more = all.count().saturating_sub(NAMED);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines
}

fn tests(number: usize) -> String {
    match number {
        1 => "1 test".to_owned(),
        _ => format!("{number} tests"),
    }
}

fn counted(counts: Counts) -> String {
    let parts = [
        (counts.passed, "passed"),
        (counts.failed, "failed"),
        (counts.skipped, "skipped"),
        (counts.expected_failures, "failed as expected"),
    ];
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = parts
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    parts.join(", ")
}

fn apart(flaky: &[String]) -> String {
    match flaky.len() {
        0 => String::new(),
        1 => "; 1 test is left out, for it is not the same each time".to_owned(),
        number => format!(
            "; {} are left out, for they are not the same each time",
            tests(number)
        ),
    }
}

/// The last lines that a run said, of its errors where it said some.
fn last_words(outcome: &Outcome) -> Vec<String> {
    let said = [&outcome.stderr, &outcome.stdout].map(|output| output.text().into_owned());
    let said = said.iter().find(|text| !text.trim().is_empty());
    let lines = said.into_iter().flat_map(|text| text.lines().rev().take(5));
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.reverse();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_base_never_had_needs_a_reason() {
        let [well, one, two, crashed] = [0, 1, 2, 139].map(End::Exited);
        assert!(!ends_worse(well, &[one], false));
        assert!(ends_worse(one, &[well, well], true));
        // It fails on base too.
        assert!(!ends_worse(one, &[one], false));
        assert!(!ends_worse(one, &[well, one], false));
        // Two tests failed there, and one does here.
        assert!(!ends_worse(one, &[two], true));
        // All tests are as there.
        assert!(ends_worse(two, &[one], false));
        assert!(ends_worse(crashed, &[one], true));
        assert!(!ends_worse(crashed, &[crashed], false));
    }
}

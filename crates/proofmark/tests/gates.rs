//! Gates of a matrix: builds that are wrong are never timed.

use std::process::Command;

use crate::support::{Project, Said, has};
use serde_json::Value;

/// Sums the bytes of its input; with `-DWRONG` one letter counts for nothing. With an argument it
/// says how long it takes, which is ten times less with `-DFAST`.
const PROGRAM: &str = r#"
#include <stdio.h>
#ifdef LARGE
volatile char room[100000];
#endif
int main(int argc, char **argv) {
#ifdef FAST
    if (argc > 1) return puts("100") < 0;
#else
    if (argc > 1) return puts("1000") < 0;
#endif
    unsigned long sum = 0;
    int c;
    while ((c = getchar()) != EOF) {
#ifdef WRONG
        if (c == 'z') continue;
#endif
        sum += (unsigned)c;
    }
    return printf("%lu\n", sum) < 0;
}
"#;

/// Three tests, of which one always fails and one never does the same twice.
const SUITE: &str = r#"
echo run >> runs
echo 1..4
[ "$(printf abc | "$1")" = 294 ] && echo "ok 1 - adds" || echo "not ok 1 - adds"
[ "$(printf z | "$1")" = 122 ] && echo "ok 2 - last" || echo "not ok 2 - last"
echo "not ok 3 - older"
[ $(($(wc -l < runs) % 2)) = 1 ] && echo "ok 4 - flaky" || echo "not ok 4 - flaky"
exit 1
"#;

const MATRIX: &str = r#"
[source.sum]
path = "sum"
build = "{cc} -O1 {flags} -o sum sum.c"
image = "sum"

[flags.fast]
add = "-DFAST"

[flags.wrong]
add = "-DFAST -DWRONG"

[matrix]
toolchains = ["gcc"]
flags = ["", "fast", "wrong"]
baselines = ["gcc"]

[benchmark]
command = "{} time"
metric = 'stdout[steps,lower]:(\d+)'
allow_output_difference = true

[claim.fast]
new = "gcc fast"
at_least = 0.05

[claim.wrong]
new = "gcc wrong"
at_least = 0.05
"#;

const GATES: &str = r#"
[gate.tests]
command = "sh suite.sh {}"
results = "tap"

[gate.answers]
command = "{}"
inputs = "corpus"
generate = "echo {seed}"
tries = 3
"#;

fn project(gates: &str) -> Project {
    let project = Project::new();
    for folder in ["sum", "corpus"] {
        std::fs::create_dir(project.path(folder)).unwrap();
    }
    project.write("sum/sum.c", PROGRAM);
    project.write("suite.sh", SUITE);
    project.write("corpus/short", "abc");
    project.write("corpus/long", "a lazy dog and a jazzy fox");
    project.write("proofmark.toml", &format!("{MATRIX}{gates}"));
    project
}

/// A text without the ends of its lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn document(said: &Said) -> Value {
    serde_json::from_str(&said.out).unwrap()
}

#[test]
fn a_build_that_is_wrong_is_named_and_never_timed() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project(GATES);
    let shown = project.run(&["matrix", "gates"]);
    assert_eq!(shown.code, Some(1), "{shown:#?}");
    let plain = words(&shown.out);
    for part in [
        "base: 3 passed, 1 failed; 1 test is left out, for it is not the same each time",
        "pass gcc fast: 3 tests as on gcc; 1 test is left out",
        "FAIL gcc wrong: 1 test worse than on gcc; 2 tests as there",
        "last: passed, now failed",
        "varies by itself: flaky",
        "pass gcc fast: 5 inputs answered as by gcc",
        "FAIL gcc wrong: long is answered differently",
        "smallest input found: 1 byte",
    ] {
        assert!(plain.contains(part), "{part}: {}", shown.out);
    }
    let kept = project.path(".proofmark/failed/gate-answers/gcc-wrong");
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "z");

    let run = project.run(&["matrix", "run", "--blocks", "2..2", "--json"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(
        run.err
            .contains("gcc wrong is not timed: gate `tests` fails"),
        "{}",
        run.err
    );
    let matrix = document(&run);
    assert_eq!(matrix["cells"], serde_json::json!(["gcc", "gcc fast"]));
    assert_eq!(matrix["unbuilt"][0]["cell"], "gcc wrong");
    assert_eq!(matrix["unbuilt"][0]["claims"], serde_json::json!(["wrong"]));
    let failed = matrix["gates"].as_array().unwrap().iter();
    let failed: Vec<&Value> = failed.filter(|one| one["passed"] == false).collect();
    assert_eq!(failed.len(), 2, "{failed:#?}");
    assert!(failed.iter().all(|one| one["cell"] == "gcc wrong"));
    // Nobody knows all that a suite reads: it runs each time.
    let runs = || {
        std::fs::read_to_string(project.path("runs"))
            .unwrap()
            .lines()
            .count()
    };
    let before = runs();
    project.run(&["matrix", "run", "--blocks", "2..2"]);
    assert_eq!(runs() - before, 4);
}

#[test]
fn what_a_gate_cannot_judge_is_said() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project("");
    let of = |gate: &str| {
        project.write("proofmark.toml", &format!("{MATRIX}[gate.it]\n{gate}\n"));
        let said = project.run(&["matrix", "gates", "--cell", "gcc fast"]);
        (said.code, said.out + &said.err)
    };
    for (gate, code, part) in [
        (
            "command = 'sh suite.sh'",
            2,
            "no command that runs the image",
        ),
        (
            "command = '{}'\nresults = 'xunit'",
            2,
            "junit, tap, cargo and go",
        ),
        ("size = '1%'\ncommand = '{}'", 2, "not both"),
        ("size = 'small'", 2, "small"),
        (
            "command = '{}'\ninputs = 'corpus'\nresults = 'tap'",
            2,
            "not both",
        ),
        ("command = '{} {input}'", 2, "there are no inputs"),
        (
            "command = '{}'\ngenerate = 'date'",
            2,
            "the same input each time",
        ),
        ("command = '{}'\nrepeat = 0", 2, "not be run at all"),
        (
            "command = '{}'\nresults = 'junit'",
            3,
            "cannot be judged: on gcc, with which",
        ),
        (
            "command = '{} --output {results}'\nresults = 'junit'",
            3,
            "wrote no {results}",
        ),
        ("command = '{}'\ninputs = 'sum/none'", 3, "there is no "),
        (
            "command = '{}'\ngenerate = 'true {seed}'",
            3,
            "printed nothing",
        ),
        (
            "command = '{}'\ngenerate = 'exit {seed}'",
            3,
            "ended with exit code 1",
        ),
        (
            "command = 'sh -c \"sleep 60\" {}'\ntimeout = '100ms'",
            1,
            "did not end in its time",
        ),
        (
            "command = 'sh -c \"kill -9 $$\" {}'",
            1,
            "ended by signal 9",
        ),
        ("command = 'sh -c \"echo broken; exit 7\" {}'", 1, "broken"),
        (
            "command = '{}'\ninputs = 'corpus/short'",
            0,
            "1 input answered as by gcc",
        ),
        (
            "command = 'sh -c \"grep -q z {input} && sleep 60; {} < {input}\"'\ninputs = 'corpus'\n\
             timeout = '500ms'",
            0,
            "1 input answered as by gcc; 1 that gcc does not answer in its time",
        ),
        (
            "command = 'sh -c \"sleep 60\" {}'\ninputs = 'corpus'\ntimeout = '100ms'",
            3,
            "answers no input the same twice and in its time",
        ),
        // Of another run, or of none.
        (
            "command = 'true {}'",
            1,
            "the suite never opened the build's image",
        ),
        (
            "command = 'sh -c \"[ -f told ] || {} < corpus/short; touch told; echo 1..1; echo ok 1\"'\n\
             results = 'tap'",
            3,
            "on gcc, with which the others are compared, the suite never opened the build's image",
        ),
        (
            "command = 'sh -c \"wc -c < {input}\" {}'\ninputs = 'corpus'",
            3,
            "never opens its image, whatever the input",
        ),
        (
            "command = 'sh -c \"{} < {input} > answer\"'\ninputs = 'corpus'",
            3,
            "prints nothing and ends in one way on every input",
        ),
        (
            "command = 'sh -c \"{} < {input} > answer; echo done\"'\ninputs = 'corpus'",
            3,
            "prints the same on every input, and writes",
        ),
        (
            "command = 'sh -c \"{} < {input} > /dev/null; echo done\"'\ninputs = 'corpus'",
            0,
            "answered as by gcc",
        ),
    ] {
        let (found, said) = of(gate);
        assert_eq!(found, Some(code), "{gate}: {said}");
        let plain = words(&said);
        assert!(plain.contains(part), "{gate}: {said}");
    }
}

#[test]
fn a_gate_that_base_passes_on_nothing_is_an_error() {
    if !has(&["gcc"]) {
        return;
    }
    let nothing_passes = "[gate.tests]\ncommand = \"sh none.sh {}\"\nresults = \"tap\"\n";
    let none_is_answered = "[gate.answers]\ncommand = \"sh refuses.sh {}\"\ninputs = \"corpus\"\n";
    for (gates, why) in [
        (
            nothing_passes,
            "gate `tests` cannot be judged: on gcc, with which",
        ),
        (nothing_passes, "no test passes each time"),
        (none_is_answered, "ends with an error on every input"),
    ] {
        let project = project(gates);
        project.write(
            "none.sh",
            "\"$1\" < corpus/short > /dev/null; echo 1..1; echo 'not ok 1 - adds'",
        );
        project.write("refuses.sh", "exit 2");
        let shown = project.run(&["matrix", "gates"]);
        assert_eq!(shown.code, Some(3), "{shown:#?}");
        assert!(words(&shown.err).contains(why), "{why}: {}", shown.err);
    }
}

/// Beside it, binutils' `size` of the same build.
#[test]
fn a_build_that_takes_more_room_than_is_allowed_is_never_timed() {
    if !has(&["gcc", "size"]) {
        return;
    }
    let project = project("");
    let file = MATRIX.replace("-DFAST -DWRONG", "-DFAST -DLARGE");
    project.write(
        "proofmark.toml",
        &format!("{file}[gate.room]\nsize = '50%'\n"),
    );
    let said = project.run(&["matrix", "gates", "--json"]);
    assert_eq!(said.code, Some(1), "{said:#?}");
    let found = document(&said);
    let gate_of = |cell: &str| {
        let mut gates = found["gates"].as_array().unwrap().iter();
        let gate = gates.find(|one| one["cell"] == cell).unwrap();
        (gate["passed"] == true, gate["said"].as_str().unwrap())
    };
    assert!(gate_of("gcc").0, "{found:#}");
    assert!(gate_of("gcc fast").0, "{found:#}");
    let (passed, said) = gate_of("gcc wrong");
    assert!(
        !passed && said.contains("up to 50 % more are allowed"),
        "{said}"
    );
    let by_hand = "gcc -O1 -DFAST -DLARGE -o large sum/sum.c && size large";
    let by_hand = Command::new("sh")
        .args(["-c", by_hand])
        .current_dir(project.path(""))
        .output();
    let told = String::from_utf8(by_hand.unwrap().stdout).unwrap();
    let row = told.lines().nth(1).unwrap();
    let sum = row.split_whitespace().nth(3).unwrap();
    let begin = format!("{sum} bytes in memory");
    assert!(said.starts_with(&begin), "{said}, and not {begin}");
}

#[test]
fn gates_of_some_cells_say_nothing_of_claims() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project(GATES);
    let shown = project.run(&["matrix", "gates", "--cell", "gcc fast"]);
    assert_eq!(shown.code, Some(0), "{shown:#?}");
    assert!(shown.err.contains("`gcc` is included"), "{}", shown.err);
    assert!(!shown.err.contains("claim"), "{}", shown.err);
}

//! A matrix from sources to the table: two compilers, flag sets, two benchmarks, with cells that
//! fail.

use crate::support::{Project, has};
use serde_json::{Value, json as value};

/// A loop of `argument` rounds of work, four times as many with `-DSLOW`; `-DWRONG` prints
/// something else than the others.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) unsigned work(long rounds) {
    unsigned state = 1;
    for (long i = 0; i < rounds; i++) state = state * 1664525u + 1013904223u;
    return state;
}

#ifdef SLOW
#define TIMES 4
#else
#define TIMES 1
#endif

static volatile long none;

int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 1;
    volatile unsigned state = 0;
    for (int i = 0; i < TIMES; i++) state = work(rounds + none);
#ifdef WRONG
    if (rounds > 1500000) puts("wrong");
#endif
    return printf("%u\n", state) > 0 ? 0 : 1;
}
"#;

const FILE: &str = r#"
[source.tiny]
path = "tiny"
build = "{cc} -O2 {flags} -o tiny tiny.c"
image = "tiny"

[toolchain.gcc]
command = "gcc"

[toolchain.clang19]
command = "clang-19"

[flags.slow]
add = "-DSLOW"

[flags.wrong]
add = "-DWRONG"
only = "gcc"

[matrix]
toolchains = ["gcc", "clang19"]
flags = ["", "slow", "wrong"]
baselines = ["clang19", "gcc"]
facts = ["work:loops", "nowhere:bytes"]

[benchmark.short]
command = "{} 1500000"

[benchmark.long]
command = "{} 3000000"

[claim]
new = "gcc slow"
at_least = "10%"
"#;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn cell(matrix: &Value, name: &str) -> Value {
    let cells = matrix["cells"].as_array().unwrap();
    cells.iter().position(|cell| cell == name).unwrap().into()
}

#[test]
fn two_compilers_two_flag_sets_and_a_cell_that_prints_something_else() {
    if !has(&["gcc", "clang-19"]) {
        return;
    }
    let project = Project::new();
    std::fs::create_dir(project.path("tiny")).unwrap();
    project.write("tiny/tiny.c", PROGRAM);
    project.write("proofmark.toml", FILE);
    let before = plan(&project, &[]);
    assert_eq!(before["seconds_at_most"], Value::Null, "{before:#}");
    assert_eq!(before["layouts"], "by-code", "{before:#}");
    let asked = [
        "matrix", "run", "--blocks", "2..3", "--rounds", "2", "--json",
    ];
    let said = project.done(&asked);
    let matrix = json(&said.out);
    assert_eq!(matrix["cells"].as_array().unwrap().len(), 5, "{matrix:#}");
    let [gcc, clang, slow, wrong] =
        ["gcc", "clang19", "gcc slow", "gcc wrong"].map(|name| cell(&matrix, name));
    assert_eq!(matrix["baselines"], Value::from(vec![clang, gcc.clone()]));

    // Four times the work is no question of noise.
    let suite = matrix["suite"].as_array().unwrap();
    let found = suite
        .iter()
        .find(|one| one["cell"] == slow && one["baseline"] == gcc)
        .unwrap();
    assert!(
        found["ratio"]["estimate"].as_f64().unwrap() > 1.5,
        "{found:#}"
    );
    assert_eq!(found["over"].as_array().unwrap().len(), 2);

    // The wrong cell is out of the long benchmark alone, by name and reason.
    let out = matrix["out"].as_array().unwrap();
    assert_eq!(out.len(), 1, "{out:#?}");
    assert_eq!(out[0]["cell"], wrong);
    let member = format!("/benchmarks/{}/name", out[0]["benchmark"]);
    assert_eq!(matrix.pointer(&member).unwrap(), "long");
    assert!(
        out[0]["why"].as_str().unwrap().contains("“wrong”"),
        "{out:#?}"
    );
    assert!(
        suite
            .iter()
            .any(|one| one["cell"] == wrong && one["over"].as_array().unwrap().len() == 1)
    );

    // Facts: a count, and a reason where there is none.
    let facts = &matrix["code"][0]["facts"];
    assert!(facts[0]["value"].is_u64(), "{facts:#}");
    assert!(
        facts[1]["why"].as_str().unwrap().contains("nowhere"),
        "{facts:#}"
    );
    assert_eq!(matrix["claims"][0]["against"].as_array().unwrap().len(), 2);

    planned_again(&project, &matrix);
    again(&project, &asked, &matrix);
    shown(&project);
}

/// What `matrix plan` says of measuring.
fn plan(project: &Project, design: &[&str]) -> Value {
    let asked = [&["matrix", "plan", "--json"], design].concat();
    json(&project.done(&asked).out)["measuring"].clone()
}

/// A plan after the first run goes by its times, and knows the layouts of the very same builds.
fn planned_again(project: &Project, matrix: &Value) {
    let same = plan(project, &["--blocks", "2..3", "--rounds", "2"]);
    assert_eq!(same["begun"], matrix["id"], "{same:#}");
    assert_eq!(same["layouts"], "independent", "{same:#}");
    let other = plan(project, &["--blocks", "4..10", "--rounds", "3"]);
    assert_eq!(other["begun"], Value::Null, "{other:#}");
    let of = |plan: &Value, key: &str| plan[key].as_f64().unwrap();
    // By the same records: twice the blocks take twice the time, and half as many rounds more add
    // to it unless images take longer.
    let (few, many) = (
        of(&same, "seconds_at_least"),
        of(&other, "seconds_at_least"),
    );
    assert!(
        few > 0.0 && (1.99..3.01).contains(&(many / few)),
        "{few} {many}"
    );
    for block in other["blocks"].as_array().unwrap() {
        assert_eq!(block["by"], matrix["id"], "{other:#}");
        // `gcc wrong` is out of the long benchmark, so that no time of it is known there.
        let guessed = i32::from(block["benchmark"] == "long");
        assert_eq!(block["guessed_cells"], guessed, "{other:#}");
    }
    // A build more is another matrix, also while it is still to be made.
    let more = FILE.replace("\"wrong\"]", "\"wrong\", \"more\"]");
    let more = more.replace(
        "[flags.wrong]",
        "[flags.more]\nadd = \"-DMORE\"\n\n[flags.wrong]",
    );
    project.write("proofmark.toml", &more);
    let more = plan(project, &["--blocks", "2..3", "--rounds", "2"]);
    assert_eq!(more["begun"], Value::Null, "{more:#}");
    project.write("proofmark.toml", FILE);
    let fresh = plan(project, &["--blocks", "2..3", "--rounds", "2", "--fresh"]);
    assert_eq!(fresh["begun"], Value::Null);
}

/// The same command again measures nothing; another claim is answered from what is there.
fn again(project: &Project, asked: &[&str], matrix: &Value) {
    let same = project.done(asked);
    assert!(same.err.contains("nothing was measured"), "{same:#?}");
    assert_eq!(&json(&same.out), matrix);
    let other = FILE.replace("at_least = \"10%\"", "at_least = \"90%\"");
    project.write("proofmark.toml", &other);
    let claimed = json(&project.done(asked).out);
    assert_eq!(claimed["id"], matrix["id"]);
    assert_eq!(claimed["claims"][0]["at_least"], 0.9);
}

fn shown(project: &Project) {
    let text = project.done(&["matrix", "show"]).out;
    assert!(
        text.contains("vs clang19") && text.contains("vs gcc"),
        "{text}"
    );
    assert!(text.contains("gcc wrong is out of long"), "{text}");
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    // Any cell can be the yardstick, its words in any order.
    let against = project
        .done(&["matrix", "show", "--baseline", "slow gcc"])
        .out;
    assert!(
        against.contains("vs gcc slow") && against.contains("faster"),
        "{against}"
    );
    let markdown = project
        .done(&["matrix", "show", "--format", "markdown"])
        .out;
    assert!(
        markdown.starts_with("| geometric mean of 2 benchmarks |"),
        "{markdown}"
    );
    // Each run of a benchmark is too short by its own time.
    let all = json(&project.done(&["matrix", "--json", "show"]).out);
    let short = |warning: &&Value| warning["code"] == "short-runs";
    let short = all["warnings"].as_array().unwrap().iter().filter(short);
    let about: Vec<&Value> = short.map(|warning| &warning["benchmarks"]).collect();
    assert!(!about.is_empty(), "{all}");
    assert!(
        about
            .iter()
            .all(|about| **about == value!([0]) || **about == value!([1]))
    );
    let unknown = project.run(&["matrix", "show", "--baseline", "gcc13"]);
    assert_eq!(unknown.code, Some(2), "{unknown:#?}");
    assert!(
        unknown.err.contains("there is no cell `gcc13`") && unknown.err.contains("`gcc`"),
        "{unknown:#?}"
    );
    // The answer is to what the file said when it asked.
    let file = std::fs::read_to_string(project.path("proofmark.toml")).unwrap();
    let changed = |text: &str| {
        project.write("proofmark.toml", text);
        let shown = project.done(&["matrix", "show"]);
        shown.err.contains("was changed since")
    };
    let others = [
        file.clone(),
        format!("# a remark\n{file}"),
        file.replacen("at_least = \"", "at_least = \"1", 1),
    ];
    assert_eq!(others.map(|text| changed(&text)), [false, false, true]);
    project.write("proofmark.toml", &file);
}

#[test]
fn what_is_wrong_is_said_before_anything_is_built() {
    let project = Project::new();
    let none = project.run(&["matrix", "show"]);
    assert_ne!(none.code, Some(0));
    project.write("proofmark.toml", &FILE.replace("work:loops", "work:jumps"));
    let wrong = project.run(&["matrix", "run"]);
    assert_eq!(wrong.code, Some(2), "{wrong:#?}");
    assert!(wrong.err.contains("indirect_jumps"), "{wrong:#?}");
}

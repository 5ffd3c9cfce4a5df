//! What names a person or a place stands in no public record of what was really measured, and a
//! store from which it was taken still tells what was found.

use std::fs;

use crate::support::Project;
use rusqlite::Connection;
use serde_json::Value;

const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>

#ifndef TIMES
#define TIMES 1
#endif

int main(int argc, char **argv) {
    unsigned state = 1;
    long rounds = argc > 1 ? 3000000 * (long)TIMES : 1;
    for (long i = 0; i < rounds; i++) state = state * 1664525u + 1013904223u;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    return printf("%u %d\n", state, file != NULL) > 0 ? 0 : 1;
}
"#;

const FILE: &str = r#"
[source.tiny]
path = "tiny"
build = "{cc} -O2 {flags} -o tiny tiny.c"
image = "tiny"

[toolchain.gcc]
command = "gcc"

[flags.more]
add = "-DTIMES=2"

[matrix]
toolchains = ["gcc"]
flags = ["", "more"]
baselines = ["gcc"]

[benchmark.main]
command = "{} DATA"

[claim]
new = "gcc more"
at_least = "10%"
"#;

const USER: &str = "quincy";
const VALUE: &str = "hunter2hunter2";

/// Everything in the table's bodies.
fn bodies(project: &Project, table: &str) -> Vec<String> {
    let connection = Connection::open(project.path(".proofmark/evidence.db")).unwrap();
    let mut statement = connection
        .prepare(&format!("SELECT body FROM {table}"))
        .unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

/// Each text in a document.
fn texts<'v>(value: &'v Value, found: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => found.push(text),
        Value::Array(all) => all.iter().for_each(|one| texts(one, found)),
        Value::Object(all) => {
            for (name, one) in all {
                found.push(name);
                texts(one, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn assert_public(project: &Project) {
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let place = project.path("");
    let place = place.to_str().unwrap().trim_end_matches('/');
    let secrets = [USER, VALUE, place, host.trim()];
    // A machine may be called as something else is: `base`, or `localhost`.
    let secrets = secrets
        .iter()
        .filter(|secret| secret.len() > 3 && **secret != "localhost");
    for body in bodies(project, "record") {
        for secret in secrets.clone() {
            assert!(!body.contains(*secret), "{secret}: {body}");
        }
        let read: Value = serde_json::from_str(&body).unwrap();
        let mut found = Vec::new();
        texts(&read, &mut found);
        for text in found {
            let mut words =
                text.split(|letter: char| letter.is_whitespace() || "`'\"(=:".contains(letter));
            assert!(
                !words.any(|word| word.len() > 1 && word.starts_with('/')),
                "{text}: {body}"
            );
        }
    }
    let private = bodies(project, "private").join("\n");
    assert!(private.contains(place), "{private}");
}

fn project() -> Project {
    let project = Project::new();
    fs::create_dir(project.path("tiny")).unwrap();
    fs::create_dir(project.path(USER)).unwrap();
    project.write("tiny/tiny.c", PROGRAM);
    project.write("quincy/data", "1 2 3");
    let data = project.path("quincy/data");
    project.write(
        "proofmark.toml",
        &FILE.replace("DATA", data.to_str().unwrap()),
    );
    project
}

fn done(project: &Project, arguments: &[&str]) -> String {
    let home = project.path(USER);
    let set = [
        ("USER", USER),
        ("LOGNAME", USER),
        ("HOME", home.to_str().unwrap()),
    ];
    let said = project.run_with(&set, arguments);
    // One cell prints something else than the other, and the sentence that says so names files.
    let code = if arguments.starts_with(&["matrix", "run"]) {
        3
    } else {
        0
    };
    assert_eq!(said.code, Some(code), "{arguments:?}: {said:#?}");
    said.out
}

#[test]
fn a_comparison_names_nobody_in_public_and_is_reported_without_its_private_part() {
    let project = project();
    project.compile("tiny/tiny.c", "base");
    project.compile("tiny/tiny.c", "quincy/new");
    let data = project.path("quincy/data");
    let token = format!("TOKEN={VALUE}");
    let new = project.path("quincy/new");
    done(
        &project,
        &[
            "compare",
            "./base",
            new.to_str().unwrap(),
            "--env",
            &token,
            "--prepare",
            "true ~/x",
            "--blocks",
            "2..2",
            "--rounds",
            "2",
            "--skip",
            "instructions",
            "--",
            "{}",
            data.to_str().unwrap(),
            "more",
        ],
    );
    assert_public(&project);
    let before = done(&project, &["report", "--json"]);
    let before: Value = serde_json::from_str(&before).unwrap();
    assert_eq!(before["private_here"], true);
    assert_eq!(before["benchmark"]["argv"][1], data.to_str().unwrap());

    let connection = Connection::open(project.path(".proofmark/evidence.db")).unwrap();
    connection
        .execute_batch("DROP TRIGGER private_no_delete; DELETE FROM private")
        .unwrap();
    let after = done(&project, &["report", "--json"]);
    let after: Value = serde_json::from_str(&after).unwrap();
    assert_eq!(after["private_here"], false);
    assert_eq!(after["id"], before["id"]);
    assert_eq!(
        after["conclusion"]["comparisons"],
        before["conclusion"]["comparisons"]
    );
    let word = after["benchmark"]["argv"][1].as_str().unwrap();
    assert!(word.starts_with("⟨private "), "{word}");
    assert_eq!(after["benchmark"]["argv"][2], "more");
    let said = done(&project, &["report"]);
    assert!(said.contains("the private part is not here"), "{said}");
}

#[test]
fn a_matrix_names_nobody_in_public() {
    if !crate::support::has(&["gcc"]) {
        return;
    }
    let project = project();
    done(
        &project,
        &["matrix", "run", "--blocks", "2..2", "--rounds", "2"],
    );
    assert_public(&project);
    let connection = Connection::open(project.path(".proofmark/evidence.db")).unwrap();
    connection
        .execute_batch("DROP TRIGGER private_no_delete; DELETE FROM private")
        .unwrap();
    let said = done(&project, &["matrix", "show"]);
    assert!(said.contains("gcc more"), "{said}");
}

//! All experiments of a ledger or a bisection, measured again one after the other.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::replay_cells::{FILE, SHORT, project};
use crate::support::repository::{BUILD, DESIGN, MAIN, METRIC, Repository, document, extra};
use crate::support::{Project, Said, has, skipped};

const LARGE: &str = r#"
[benchmark.large]
command = "{} 2"
metric = "stdout[made_ms,lower]:([0-9.]+) ms"
allow_output_difference = true
"#;

/// An empty folder with the bundle of the thing with this id.
fn given(repository: &Repository, id: &str) -> Project {
    let empty = Project::new();
    let file = empty.path("toy.pmb").display().to_string();
    let said = repository.proofmark(&[], &["bundle", id, "-o", &file]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    empty
}

fn run(empty: &Project, repository: &Path, more: &[&str]) -> Said {
    let from = repository.display().to_string();
    let words = ["replay", "toy.pmb", "--run", "--repository", &from];
    empty.run(&[&words, more].concat())
}

/// The plan of the whole, where there are sandboxes.
fn planned(empty: &Project) -> Option<Value> {
    let plan = document(&empty.run(&["replay", "toy.pmb", "--json"]));
    is_of_schema("replay-whole-plan", &plan);
    let why = &plan["experiments"][0]["plan"]["no_sandbox"];
    if why.is_null() {
        return Some(plan);
    }
    skipped(&format!("namespaces: {why}"));
    None
}

fn is_of_schema(name: &str, found: &Value) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schema");
    let schema = fs::read(format!("{folder}/{name}.schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    assert!(jsonschema::is_valid(&schema, found), "{found:#}");
}

/// The name and the agreement of each experiment.
fn agreements(found: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or("none").to_owned();
    let all = found["experiments"].as_array().unwrap().iter();
    all.map(|one| (text(&one["name"]), text(&one["replay"]["agreement"])))
        .collect()
}

#[test]
fn the_experiments_of_a_ledger_are_measured_again_with_one_table_at_the_end() {
    if !has(&["git", "gcc"]) {
        return;
    }
    let repository = project(&(FILE.to_owned() + LARGE));
    let words = ["ledger", "run", "raw", "flag", "--json"];
    let ledger = document(&repository.proofmark(&[], &[&words[..], &SHORT].concat()));
    let empty = given(&repository, ledger["id"].as_str().unwrap());
    let Some(plan) = planned(&empty) else {
        return;
    };
    assert_eq!(plan["kind"], "ledger");
    let said = empty.run(&["replay", "toy.pmb"]).out;
    for part in [
        "2 experiments",
        "large",
        "-DFLAG",
        "no gate runs again",
        "experiment after another",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = run(&empty, &repository.folder(), &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    for part in [
        "both machines agree on every experiment",
        "large, raw",
        "−10.00",
        "agree?",
    ] {
        assert!(said.out.contains(part), "{part}: {said:#?}");
    }
    assert!(said.err.contains("only, flag: 0.95"), "{said:#?}");
    let left = fs::read_dir(empty.path(".proofmark/replays")).unwrap();
    assert_eq!(left.count(), 0, "what is over is removed");
    // What is built is kept, and sources are fetched afresh.
    assert_eq!(said.err.matches("fetching").count(), 2, "{said:#?}");
}

#[test]
fn what_cannot_be_made_again_of_a_ledger_is_named_and_the_rest_is_measured() {
    if !has(&["git", "gcc"]) {
        return;
    }
    // The second benchmark reads a file that no other machine has.
    let large = LARGE.replace("{} 2", "{} /srv/data");
    let repository = project(&(FILE.to_owned() + &large));
    let words = ["ledger", "run", "flag", "--json"];
    let ledger = document(&repository.proofmark(&[], &[&words[..], &SHORT].concat()));
    let id = ledger["id"].as_str().unwrap();
    let empty = Project::new();
    let file = empty.path("toy.pmb").display().to_string();
    let said = repository.proofmark(&[], &["bundle", id, "--private", "-o", &file]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    if planned(&empty).is_none() {
        return;
    }
    let said = run(&empty, &repository.folder(), &["--json"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    let found: Value = serde_json::from_str(&said.out).unwrap();
    is_of_schema("replay-whole", &found);
    let wanted = [("only", "agree"), ("large", "none")];
    let wanted = wanted.map(|(name, word)| (name.to_owned(), word.to_owned()));
    assert_eq!(agreements(&found), wanted);
    assert!(
        said.err
            .contains("/srv/data, which only the first machine had"),
        "{said:#?}"
    );
}

#[test]
fn the_steps_of_a_bisection_are_measured_again() {
    if !has(&["git", "cc"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    for (value, more, tag) in [
        (100, 0, "start"),
        (100, 4, "other"),
        (103, 4, "slower"),
        (103, 5, "end"),
    ] {
        let value = format!("int value(void) {{ return {value}; }}\n");
        repository.write("value.c", &value);
        repository.write("extra.c", &extra(more));
        repository.commit(tag);
    }
    let words = [
        "bisect", "--good", "start", "--bad", "end", "--build", BUILD, "--json",
    ];
    let words = [&words[..], &DESIGN, &METRIC, &["--", "{}"]].concat();
    let bisect = document(&repository.proofmark(&[], &words));
    assert_eq!(bisect["answer"], "found", "{bisect:#}");
    let empty = given(&repository, bisect["id"].as_str().unwrap());
    let Some(plan) = planned(&empty) else {
        return;
    };
    let steps = plan["experiments"].as_array().unwrap();
    assert!(steps.len() > 1, "{plan:#}");
    let said = run(&empty, &repository.folder(), &["--json"]);
    let found = document(&said);
    assert!(
        agreements(&found).iter().all(|(_, word)| word == "agree"),
        "{found:#}"
    );
    assert_eq!(found["experiments"].as_array().unwrap().len(), steps.len());
    assert_eq!(found["kind"], "bisection");
    // Each step is one experiment as well.
    let id = steps[1]["plan"]["id"].as_str().unwrap();
    let plan = document(&empty.run(&["replay", "toy.pmb", id, "--json"]));
    assert_eq!(plan["obstacles"], Value::Array(Vec::new()), "{plan:#}");
}

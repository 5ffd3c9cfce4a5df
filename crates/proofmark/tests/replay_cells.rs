//! Cells of a project measured again in another folder: ideas of a ledger with their patches, flags
//! and revisions, and cells of a matrix by their compilers.

use std::fs;

use serde_json::Value;

use crate::support::repository::{Repository, document};
use crate::support::{Project, Said, has, skipped};

/// Times by construction: `raw` is 10 % better, `top` 3 % on that, `FLAG` 5 %.
const TOY: &str = "#include <stdio.h>\nstatic double raw = 1.0;\n#include \"rate.h\"\n\
static double top = 1.0;\nint main(void) {\n    double time = RATE * raw * top;\n#ifdef FLAG\n    \
time *= 0.95;\n#endif\n#ifdef FAILS\n    if (time > 0) return 1;\n#endif\n    \
return printf(\"%.9f ms\\n\", time) > 0 ? 0 : 1;\n}\n";

const RAW: &str = "--- a/toy.c\n+++ b/toy.c\n@@ -1,4 +1,4 @@\n #include <stdio.h>\n\
-static double raw = 1.0;\n+static double raw = 0.9;\n #include \"rate.h\"\n \
static double top = 1.0;\n";

const TOP: &str = "--- a/toy.c\n+++ b/toy.c\n@@ -2,4 +2,4 @@\n static double raw = 0.9;\n \
#include \"rate.h\"\n-static double top = 1.0;\n+static double top = 0.97;\n int main(void) {\n";

pub(crate) const FILE: &str = r#"
[source.toy]
path = "part/toy"
build = "{cc} -O1 {flags} -o toy toy.c"
image = "toy"

[toolchain.gcc]
command = "gcc"

[benchmark.only]
command = "{}"
metric = "stdout[made_ms,lower]:([0-9.]+) ms"
allow_output_difference = true

[idea.raw]
patch = "raw.patch"

[idea.flag]
defines = "FLAG"

[idea.top]
patch = "top.patch"
on = "raw"

[idea.faster]
rev = "faster"
"#;

const MATRIX: &str = r#"
[flags.flag]
add = "-DFLAG"

[flags.fails]
add = "-DFAILS"

[matrix]
flags = ["", "flag", "fails"]
"#;

pub(crate) const SHORT: [&str; 6] = ["--blocks", "3", "--rounds", "1", "--layouts", "as-shipped"];

/// A project in a repository, its commit `faster` half as slow as the one that is checked out.
pub(crate) fn project(file: &str) -> Repository {
    let repository = Repository::new();
    fs::create_dir_all(repository.folder().join("part/toy")).unwrap();
    repository.write("part/toy/toy.c", TOY);
    repository.write("part/toy/rate.h", "#define RATE 100.0\n");
    repository.write("raw.patch", RAW);
    repository.write("top.patch", TOP);
    repository.write("proofmark.toml", file);
    repository.write(".gitignore", ".proofmark\n*.pmb\n");
    repository.commit("base");
    repository.write("part/toy/rate.h", "#define RATE 50.0\n");
    repository.commit("faster");
    repository.git(&["checkout", "--quiet", "base"]);
    repository
}

/// An empty folder with nothing but a bundle of what these words measure.
fn given(repository: &Repository, words: &[&str]) -> Project {
    let said = repository.proofmark(&[], &[words, &SHORT].concat());
    assert_eq!(said.code, Some(0), "{said:#?}");
    let empty = Project::new();
    let file = empty.path("toy.pmb").display().to_string();
    let said = repository.proofmark(&[], &["bundle", "latest", "-o", &file]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    empty
}

fn run(empty: &Project, repository: &Repository) -> Said {
    let from = repository.folder().display().to_string();
    empty.run(&[
        "replay",
        "toy.pmb",
        "--run",
        "--json",
        "--repository",
        &from,
    ])
}

/// Whether there are sandboxes, by a plan without obstacles.
fn sandboxes(plan: &Value) -> bool {
    assert_eq!(plan["obstacles"], Value::Array(Vec::new()), "{plan:#}");
    if plan["no_sandbox"].is_null() {
        return true;
    }
    skipped(&format!("namespaces: {}", plan["no_sandbox"]));
    false
}

/// Each comparison of a replay by its build: new ÷ base here.
fn ratios(found: &Value) -> Vec<(String, f64)> {
    let all = found["comparisons"].as_array().unwrap().iter();
    let ratio = |one: &Value| one["replay"]["estimate"].as_f64().unwrap();
    all.map(|one| (one["build"].as_str().unwrap().to_owned(), ratio(one)))
        .collect()
}

fn near(found: &[(String, f64)], wanted: &[(&str, f64)]) {
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for ((name, ratio), (build, truth)) in found.iter().zip(wanted) {
        assert!(name == build && (ratio - truth).abs() < 1e-6, "{found:?}");
    }
}

#[test]
fn ideas_are_made_again_with_their_patches_flags_and_revisions() {
    if !has(&["git", "gcc"]) {
        return;
    }
    let repository = project(FILE);
    let empty = given(&repository, &["ledger", "run"]);
    let said = empty.run(&["replay", "toy.pmb"]).out;
    for part in [
        "-DFLAG",
        &repository.name("faster")[..12],
        "in part/toy",
        "as shipped",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let plan = document(&empty.run(&["replay", "toy.pmb", "--json"]));
    let patches = |build: usize| {
        plan["builds"][build]["cell"]["patches"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!([0, 2, 4].map(patches), [0, 1, 2], "{plan:#}");
    if !sandboxes(&plan) {
        return;
    }
    // The patches of the folder are those of the bundle, whatever lies there now.
    repository.write("raw.patch", "");
    let said = run(&empty, &repository);
    let found = document(&said);
    assert_eq!(found["agreement"], "agree", "{found:#}");
    let wanted = [
        ("base again", 1.0),
        ("raw", 0.9),
        ("flag", 0.95),
        ("top", 0.873),
        ("faster", 0.5),
    ];
    near(&ratios(&found), &wanted);
    let id = found["replay"].as_str().unwrap();
    assert_eq!(empty.run(&["bundle", id, "-o", "again.pmb"]).code, Some(0));
    assert_eq!(empty.run(&["verify", "again.pmb"]).code, Some(0));
}

#[test]
fn cells_are_made_again_without_those_that_failed() {
    if !has(&["git", "gcc"]) {
        return;
    }
    let repository = project(&(FILE.to_owned() + MATRIX));
    let empty = given(&repository, &["matrix", "run"]);
    let plan = document(&empty.run(&["replay", "toy.pmb", "--json"]));
    assert_eq!(
        plan["left_out"],
        serde_json::json!(["gcc fails"]),
        "{plan:#}"
    );
    if !sandboxes(&plan) {
        return;
    }
    let found = document(&run(&empty, &repository));
    assert_eq!(found["agreement"], "agree", "{found:#}");
    near(&ratios(&found), &[("gcc flag", 0.95)]);
}

#[test]
fn cells_of_sources_that_no_commit_has_are_refused() {
    if !has(&["git", "gcc"]) {
        return;
    }
    let repository = project(FILE);
    // Nobody added it, and builds read it all the same.
    repository.write("part/toy/top.h", "");
    let empty = given(&repository, &["ledger", "run", "flag"]);
    let plan = document(&empty.run(&["replay", "toy.pmb", "--json"]));
    let said = plan["obstacles"][0]["why"].as_str().unwrap();
    assert!(said.contains("changes that no bundle has"), "{plan:#}");
    assert_eq!(run(&empty, &repository).code, Some(2));
}

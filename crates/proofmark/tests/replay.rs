//! Evidence of one folder, measured again in another one.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::support::repository::{DESIGN, METRIC, Repository, document};
use crate::support::{Project, Said, has, skipped};

const BUILD: &str = "cc -O1 -o toy toy.c";

/// A program that prints a number, and another one where its home is that of a sandbox.
fn toy(number: u32, in_a_sandbox: u32) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint main(int argc, char \
         **argv) {{ char *home = getenv(\"HOME\"); int n = home && !strcmp(home, \"/home\") ? \
         {in_a_sandbox} : {number}; if (argc > 1) fclose(fopen(argv[1], \"r\")); \
         printf(\"took %d000000\\n\", n); return 0; }}\n"
    )
}

/// A repository with two states of a program, and evidence about them in `toy.pmb` beside it.
fn bundled(build: &str, in_a_sandbox: u32) -> Repository {
    let repository = Repository::new();
    // Runs work beside what they read, and builds elsewhere.
    fs::create_dir(repository.folder().join("data")).unwrap();
    repository.write("data/words", "1 2 3\n");
    repository.write("toy.c", &toy(100, 100));
    repository.commit("base");
    repository.write("toy.c", &toy(200, in_a_sandbox));
    repository.commit("new");
    compared(&repository, build);
    repository
}

/// Has both states compared, and bundled.
fn compared(repository: &Repository, build: &str) {
    let mut words = vec!["compare", "--rev", "base..new", "--build", build];
    words.extend(DESIGN.iter().chain(&METRIC));
    words.extend(["--layouts", "as-shipped", "--skip", "instructions"]);
    words.extend(["--repeat", "1", "--cwd", "data", "--setup", "true it"]);
    words.extend(["--", "{}", "words"]);
    let said = repository.proofmark(&[], &words);
    assert_eq!(said.code, Some(0), "{said:#?}");
    let file = repository.project.path("toy.pmb").display().to_string();
    let said = repository.proofmark(&[], &["bundle", "latest", "-o", &file]);
    assert_eq!(said.code, Some(0), "{said:#?}");
}

/// An empty folder with nothing but the bundle.
fn given(repository: &Repository) -> Project {
    let empty = Project::new();
    fs::copy(repository.project.path("toy.pmb"), empty.path("toy.pmb")).unwrap();
    empty
}

/// Whether there are sandboxes, by a plan.
fn sandboxes(plan: &Value) -> bool {
    if plan["no_sandbox"].is_null() {
        return true;
    }
    skipped(&format!("namespaces: {}", plan["no_sandbox"]));
    false
}

fn run(project: &Project, from: &Path, more: &[&str]) -> Said {
    let from = from.display().to_string();
    let mut words = vec!["replay", "toy.pmb", "--run", "--repository", &from];
    words.extend(more);
    project.run(&words)
}

#[test]
fn a_comparison_of_revisions_is_made_again_in_an_empty_folder() {
    if !has(&["git", "cc"]) {
        return;
    }
    let repository = bundled(BUILD, 200);
    let empty = given(&repository);
    let plan = document(&empty.run(&["replay", "toy.pmb", "--json"]));
    assert!(!empty.path(".proofmark").exists(), "a plan leaves nothing");
    assert_eq!(plan["build_command"], BUILD);
    assert_eq!(plan["obstacles"], Value::Array(Vec::new()));
    let said = empty.run(&["replay", "toy.pmb"]).out;
    for part in [
        "fetch    base",
        "with     --setup true it",
        "run      {} words in data",
        "nothing was fetched",
        "--run",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    if !sandboxes(&plan) {
        assert_eq!(run(&empty, &repository.folder(), &[]).code, Some(4));
        return;
    }
    // Of the repository nothing may run: its hooks and its monitor are programs of somebody's.
    for hook in ["post-checkout", "reference-transaction"] {
        repository.write(&format!(".git/hooks/{hook}"), "#!/bin/sh\ntouch ../ran\n");
        repository.git(&["config", "core.fsmonitor", "touch ../ran; false"]);
    }
    let found = document(&run(&empty, &repository.folder(), &["--json"]));
    assert_eq!(found["agreement"], "agree", "{found:#}");
    let schema = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/schema/replay.schema.json"
    );
    let schema: Value = serde_json::from_slice(&fs::read(schema).unwrap()).unwrap();
    assert!(jsonschema::is_valid(&schema, &found), "{found:#}");
    let compared = &found["comparisons"][0];
    assert_eq!(
        compared["first"]["estimate"],
        compared["replay"]["estimate"]
    );
    assert_eq!(compared["replay_verdict"], "slower");
    assert!(!repository.folder().join("../ran").exists());
    let left = fs::read_dir(empty.path(".proofmark/replays")).unwrap();
    assert_eq!(left.count(), 0, "what is over is removed");
    // It is evidence like any other, which says what it is a replay of.
    let id = found["replay"].as_str().unwrap();
    assert_eq!(empty.run(&["bundle", id, "-o", "again.pmb"]).code, Some(0));
    assert_eq!(empty.run(&["verify", "again.pmb"]).code, Some(0));
    let plan = document(&empty.run(&["replay", "again.pmb", "--json"]));
    assert_eq!(plan["obstacles"], Value::Array(Vec::new()));
    let database = rusqlite::Connection::open(empty.path(".proofmark/evidence.db")).unwrap();
    let note: String = database
        .query_row("SELECT body FROM record WHERE kind = 'note'", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert!(note.contains(found["bundle"].as_str().unwrap()), "{note}");
}

#[test]
fn a_machine_that_measures_something_else_disagrees() {
    if !has(&["git", "cc"]) {
        return;
    }
    let repository = bundled(BUILD, 250);
    let empty = given(&repository);
    if !sandboxes(&document(&empty.run(&["replay", "toy.pmb", "--json"]))) {
        return;
    }
    let said = run(&empty, &repository.folder(), &[]);
    assert_eq!(said.code, Some(1), "{said:#?}");
    for part in ["the machines disagree", "both machines say", "1.25"] {
        assert!(said.out.contains(part), "{part}: {said:#?}");
    }
}

#[test]
fn what_cannot_be_replayed_is_refused_by_name() {
    if !has(&["git", "cc"]) {
        return;
    }
    let repository = bundled(BUILD, 200);
    let project = &repository.project;
    let refused = |said: Said, code: i32, part: &str| {
        assert_eq!(said.code, Some(code), "{part}: {said:#?}");
        assert!(said.err.contains(part), "{part}: {said:#?}");
    };
    refused(
        project.run(&["replay", "toy.pmb", "--run"]),
        2,
        "--repository",
    );
    refused(
        project.run(&["replay", "toy.pmb", "ffff"]),
        2,
        "no experiment",
    );
    let plan = document(&project.run(&["replay", "toy.pmb", "--json"]));
    if !sandboxes(&plan) {
        return;
    }
    let at = |place: &str| run(project, Path::new(place), &[]);
    refused(at("ext::sh -c id"), 2, "no way to a repository");
    refused(at("http://example.org/x"), 2, "no way to a repository");
    refused(at("nowhere"), 2, "cannot find the repository nowhere");
    let other = Repository::new();
    other.write("x", "x");
    other.commit("another-project");
    refused(run(project, &other.folder(), &[]), 2, "has no commit");
    // A file that runs read, and that is another one where it is to be run again.
    repository.write("data/words", "1 2 3 4\n");
    compared(&repository, BUILD);
    refused(
        run(project, &repository.folder(), &[]),
        5,
        "words has another content",
    );
    let file = project.path("toy.pmb");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, whole.get(..whole.len() / 2).unwrap()).unwrap();
    refused(run(project, &repository.folder(), &[]), 5, "toy.pmb");
}

/// Each build is harmless where it is measured first, and not where `HOME` is that of a sandbox.
#[test]
fn a_build_that_wants_more_than_a_sandbox_has_is_stopped_and_named() {
    if !has(&["git", "cc", "bash"]) {
        return;
    }
    let secret = Project::new();
    fs::write(secret.path("secret"), "secret").unwrap();
    let secret = secret.path("secret");
    let bad = [
        (
            "bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'".to_owned(),
            "looked for the network 1 time(s)",
            &[][..],
        ),
        (format!("cat {}", secret.display()), "No such file", &[]),
        (
            "sleep 60".to_owned(),
            "took longer than 2s",
            &["--max-time", "2s"],
        ),
        (
            "i=0; while [ $i -lt 30 ]; do sleep 60 & i=$((i+1)); done; wait".to_owned(),
            "where 20 are allowed",
            &["--max-processes", "20"],
        ),
    ];
    let line = "case $HOME in ?home) bad || exit 1;; esac; cc -O1 -o toy toy.c";
    let repository = bundled(line, 200);
    let project = &repository.project;
    if !sandboxes(&document(&project.run(&["replay", "toy.pmb", "--json"]))) {
        return;
    }
    // What is let in comes first in the path of the sandbox.
    fs::create_dir_all(project.path("let-in/bin")).unwrap();
    let (folder, program) = (project.path("let-in"), project.path("let-in/bin/bad"));
    for (script, part, limits) in bad {
        fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        let shown = folder.display().to_string();
        let mut more = vec!["--show", &shown];
        more.extend(limits);
        let said = run(project, &repository.folder(), &more);
        assert_eq!(said.code, Some(3), "{script}: {said:#?}");
        assert!(said.err.contains(part), "{script}: {said:#?}");
        assert!(!said.err.contains("secret\n"), "{said:#?}");
    }
}

/// The same comparison of two executables, or of two captured builds; the program tells by its home
/// whether it runs in a sandbox.
fn of_programs(captured: bool, in_a_sandbox: u32, put_in: &[&str]) -> Project {
    let project = Project::new();
    for (name, number, inside) in [("old", 100, 100), ("new", 200, in_a_sandbox)] {
        project.write(&format!("{name}.c"), &toy(number, inside));
        let build = format!("rm -f toy toy.o; cc -O1 -c -o toy.o {name}.c && cc -o toy toy.o");
        match captured {
            true => drop(project.done(&["capture", name, "--", "sh", "-c", &build])),
            false => project.compile(&format!("{name}.c"), name),
        }
    }
    let builds = if captured {
        ["old", "new"]
    } else {
        ["old=./old", "new=./new"]
    };
    let mut words = vec!["compare", builds[0], builds[1]];
    words.extend(DESIGN.iter().chain(&METRIC));
    words.extend(["--skip", "instructions", "--", "{}"]);
    project.done(&words);
    let words = ["bundle", "latest", "-o", "toy.pmb"];
    project.done(&[&words, put_in].concat());
    project
}

fn run_images(project: &Project) -> Said {
    project.run(&["replay", "toy.pmb", "--run", "--run-images", "--json"])
}

/// An empty folder with the bundle of another one.
fn taken(from: &Project) -> Project {
    let empty = Project::new();
    fs::copy(from.path("toy.pmb"), empty.path("toy.pmb")).unwrap();
    empty
}

#[test]
fn executables_of_a_bundle_are_compared_as_shipped_and_only_when_asked() {
    if !has(&["cc"]) {
        return;
    }
    let given = of_programs(false, 250, &["--images"]);
    let empty = taken(&given);
    let plan = document(&empty.run(&["replay", "toy.pmb", "--json"]));
    assert_eq!(plan["images"]["run"], false, "{plan:#}");
    assert_eq!(plan["images"]["obstacles"], Value::Array(Vec::new()));
    let said = empty.run(&["replay", "toy.pmb"]).out;
    assert!(said.contains("none is run; with --run-images"), "{said}");
    if !sandboxes(&plan) {
        return;
    }
    // Without the switch nothing of it runs, also where nothing else could.
    let said = empty.run(&["replay", "toy.pmb", "--run", "--repository", "."]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("--run-images"), "{said:#?}");
    assert!(!empty.path(".proofmark").exists(), "{said:#?}");
    // 2.5 times here, and 2 times there: each program prints what its home makes of it.
    let said = run_images(&empty);
    assert_eq!(said.code, Some(1), "{said:#?}");
    let found: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(found["agreement"], "disagree", "{found:#}");
    assert_eq!(found["of_shipped"], false);
    let ratio = found["comparisons"][0]["replay"]["estimate"]
        .as_f64()
        .unwrap();
    assert!((ratio - 2.5).abs() < 1e-9, "{found:#}");
    // One byte of an image is another one: nothing is run.
    let file = empty.path("toy.pmb");
    let mut whole = fs::read(&file).unwrap();
    let at = whole.len() - 40;
    whole[at] ^= 1;
    fs::write(&file, whole).unwrap();
    assert_eq!(empty.run(&["verify", "toy.pmb"]).code, Some(5));
    let said = run_images(&empty);
    assert_eq!(said.code, Some(5), "{said:#?}");
}

#[test]
fn a_captured_build_of_a_bundle_is_linked_again_or_compared_as_shipped() {
    if !has(&["cc"]) {
        return;
    }
    for (put_in, kind) in [
        ("--objects", "matched"),
        ("--images", "placement not controlled"),
    ] {
        let given = of_programs(true, 200, &[put_in]);
        let said = given.run(&["verify", "toy.pmb"]).out;
        assert!(said.contains("it encloses 2 images"), "{said}");
        let empty = taken(&given);
        if !sandboxes(&document(&empty.run(&["replay", "toy.pmb", "--json"]))) {
            return;
        }
        let said = run_images(&empty);
        let found = document(&said);
        assert_eq!(found["agreement"], "agree", "{said:#?}");
        let is_shipped = put_in == "--images";
        assert_eq!(found["of_shipped"], is_shipped, "{found:#}");
        let id = found["replay"].as_str().unwrap();
        let said = empty.done(&["report", id]).out;
        assert!(said.contains(kind), "{kind}: {said}");
    }
}

#[test]
fn images_that_cannot_be_run_are_refused_by_name() {
    if !has(&["cc"]) {
        return;
    }
    let given = of_programs(false, 200, &[]);
    let said = given.run(&["replay", "toy.pmb", "--run", "--run-images"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(
        said.err.contains("its image is not in the bundle"),
        "{said:#?}"
    );
    // What is there by now is not what was measured.
    fs::copy(given.path("old"), given.path("new")).unwrap();
    let said = given.run(&["bundle", "latest", "--images", "-o", "other.pmb"]);
    assert_eq!(said.code, Some(5), "{said:#?}");
    assert!(
        said.err.contains("changed since it was measured"),
        "{said:#?}"
    );
    fs::remove_file(given.path("new")).unwrap();
    let said = given.run(&["bundle", "latest", "--images", "-o", "other.pmb"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("not there any more"), "{said:#?}");
    assert!(!given.path("other.pmb").exists());
}

//! Cells are made in copies of their sources, which are gone when they run: what runs look for
//! there is the cell's own, or there is no verdict.

use std::fs;

use crate::matrix_inputs::{RUN, project, run};
use crate::support::Project;

/// A program of its own that reads `data.txt` beside its sources, where those were when it was
/// built; the second cell's is another one.
const COPIED: &str = r#"
[source.plain]
path = "tiny"
build = "{cc} -O1 PLACE -o tiny tiny.c"
image = "tiny"

[source.patched]
from = "plain"
patch = "more.patch"

[toolchain.gcc]
command = "gcc"

[matrix]

[benchmark]
command = "{}"
metric = "stdout[steps,lower]:v ([0-9.]+)"
allow_output_difference = true
"#;

fn reads_its_copy(program: &str, place: &str) -> Option<Project> {
    let project = project(&COPIED.replace("PLACE", place))?;
    fs::remove_file(project.path("data.txt")).unwrap();
    project.write("tiny/tiny.c", program);
    project.write("tiny/data.txt", "10\n");
    let patch = "--- a/data.txt\n+++ b/data.txt\n@@ -1 +1 @@\n-10\n+30\n";
    project.write("more.patch", patch);
    Some(project)
}

/// One cell's file is not the other's, and neither is on the disk any more.
#[test]
fn a_file_of_the_copy_that_the_program_names_is_the_cells_own() {
    let program = r#"
#include <stdio.h>
int main(void) {
    int number = 5;
    FILE *file = fopen(DATA, "r");
    if (file && fscanf(file, "%d", &number) != 1) return 1;
    return printf("v %d000000\n", number) < 0;
}
"#;
    let place = r#"-DDATA=\"\\\"$PWD/data.txt\\\"\""#;
    let Some(project) = reads_its_copy(program, place) else {
        return;
    };
    let (_, matrix) = run(&project);
    let ratio = matrix["suite"][0]["ratio"]["estimate"].as_f64();
    assert_eq!(ratio.map(f64::round), Some(3.0), "{matrix:#}");
}

/// A path that is put together at run time is in no image. What it would find is gone.
#[test]
fn a_file_of_the_copy_that_only_a_run_names_is_missed() {
    let program = r#"
#include <stdio.h>
int main(void) {
    int number = 5;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s/data.txt", ABOVE, LAST, LAST);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%d", &number) != 1) return 1;
    return printf("v %d000000\n", number) < 0;
}
"#;
    let place = r#"-DABOVE=\"\\\"${PWD%/*/*}\\\"\" -DLAST=\"\\\"${PWD##*/}\\\"\""#;
    let Some(project) = reads_its_copy(program, place) else {
        return;
    };
    let said = project.run(&RUN);
    assert_eq!(said.code, Some(3), "{said:#?}");
    let told = said.err.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(told.contains("/data.txt was there when gcc p"), "{told}");
    assert!(
        told.contains("next: let the build write it beside"),
        "{told}"
    );
}

/// The program reads it where the sources lie, and the patch was never there.
#[test]
fn a_file_of_the_sources_that_cells_have_otherwise_is_read_where_it_is_named() {
    let program = r#"
#include <stdio.h>
int main(int argc, char **argv) {
    int number = 5;
    FILE *file = fopen(argc > 1 ? argv[1] : "tiny/data.txt", "r");
    if (file && fscanf(file, "%d", &number) != 1) return 1;
    return printf("v %d000000\n", number) < 0;
}
"#;
    let Some(project) = reads_its_copy(program, "") else {
        return;
    };
    let said = project.run(&RUN);
    assert_eq!(said.code, Some(3), "{said:#?}");
    let told = said.err.split_whitespace().collect::<Vec<&str>>().join(" ");
    let expected = "tiny/data.txt, which the runs read, is not the same in the sources of gcc p";
    assert!(told.contains(expected), "{told}");
    let named = COPIED.replace("PLACE", "");
    let named = named.replace(r#"command = "{}""#, r#"command = "{} tiny/data.txt""#);
    project.write("proofmark.toml", &named);
    let (_, matrix) = run(&project);
    let ratio = matrix["suite"][0]["ratio"]["estimate"].as_f64();
    assert_eq!(ratio, Some(1.0), "{matrix:#}");
}

/// Only the second cell's build leaves a mark, and the runs of both would find it. The folder makes
/// that a build which is made once more, and finds its mark there.
#[test]
fn a_run_that_finds_what_another_build_left_is_refused() {
    let program = r#"
#include <stdio.h>
#include <unistd.h>
int main(void) { return printf("v %d000000\n", access(MARK, F_OK) ? 10 : 5) < 0; }
"#;
    let Some(project) = reads_its_copy(program, "") else {
        return;
    };
    let folder = project.path("left");
    let mark = folder.join("mark");
    let (folder, mark) = (folder.display(), mark.display());
    let build = format!(
        "build = \"\"\"\nmkdir -p {folder}\ngrep -q 30 data.txt && touch {mark}\n\
         {{cc}} -O1 '-DMARK=\\\"{mark}\\\"' -o tiny tiny.c\n\"\"\""
    );
    let file = COPIED.replace(r#"build = "{cc} -O1 PLACE -o tiny tiny.c""#, &build);
    project.write("proofmark.toml", &file);
    let said = project.run(&RUN);
    let told = format!("{}{}", said.out, said.err);
    let told = told.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(
        told.contains("mark, which another build left there"),
        "{told}"
    );
}

/// A large program is compiled once; a cell compiles what its patch touches.
const BUILT: &str = r#"
[source.plain]
path = "tree"
build = "rm -f tiny && make --silent CC={cc} FLAGS={flags}"
image = "tiny"

[source.patched]
from = "plain"
patch = "more.patch"

[toolchain.gcc]
command = "gcc"

[matrix]
sources = ["plain", "patched"]

[benchmark]
command = "{}"
metric = "stdout[steps,lower]:v ([0-9.]+)"
allow_output_difference = true
"#;

#[test]
fn objects_that_are_files_of_the_sources_are_not_compiled_again() {
    let Some(project) = project(BUILT) else {
        return;
    };
    fs::create_dir(project.path("tree")).unwrap();
    let main = "#include <stdio.h>\nint work(void);\nint main(void) { return printf(\"v %d\\n\", work()) < 0; }\n";
    project.write("tree/main.c", main);
    project.write("tree/work.c", "int work(void) {\n    return 1000000;\n}\n");
    let makefile = "tiny: main.o work.o\n\t$(CC) -o $@ main.o work.o\n.c.o:\n\t@echo compiled $*\n\t$(CC) -O1 $(FLAGS) -c $<\n";
    project.write("tree/Makefile", makefile);
    let patch = "--- a/work.c\n+++ b/work.c\n@@ -1,3 +1,3 @@\n int work(void) {\n-    return 1000000;\n+    return 3000000;\n }\n";
    project.write("more.patch", patch);
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=n", "-c", "user.email=e"]);
        let ran = git.args(arguments).current_dir(project.path("tree"));
        assert!(ran.output().unwrap().status.success(), "{arguments:?}");
    };
    git(&["init", "--quiet"]);
    let make = [
        "capture", "tree", "--", "make", "--silent", "-C", "tree", "CC=gcc",
    ];
    project.done(&make);
    git(&["add", "--force", "."]);
    git(&["commit", "--quiet", "--message", "built"]);
    let built = project.done(&["matrix", "build"]);
    let told = built
        .out
        .split_whitespace()
        .collect::<Vec<&str>>()
        .join(" ");
    for expected in [
        "2 of 2 objects are files of the sources",
        "1 of 2 objects",
        "tree",
    ] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    let log = |cell: &str| project.done(&["matrix", "log", cell]).out;
    assert!(!log("gcc plain").contains("compiled"));
    let patched = log("gcc patched");
    assert!(patched.contains("compiled work"), "{patched}");
    assert!(!patched.contains("compiled main"), "{patched}");
    let (_, matrix) = run(&project);
    let ratio = matrix["suite"][0]["ratio"]["estimate"].as_f64();
    assert!(
        ratio.is_some_and(|ratio| (ratio - 3.0).abs() < 1e-9),
        "{matrix:#}"
    );
    // What no capture has seen being compiled stays unknown.
    fs::remove_file(project.path("tree/main.o")).unwrap();
    let by_hand = "cd tree && gcc -O2 -DBY_HAND -c main.c && rm -rf ../.proofmark";
    let compiled = std::process::Command::new("sh")
        .args(["-c", by_hand])
        .current_dir(project.path("."))
        .status();
    assert!(compiled.unwrap().success());
    let said = project.run(&["matrix", "build"]);
    assert_eq!(said.code, Some(3), "{said:#?}");
}

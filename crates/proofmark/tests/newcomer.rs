//! What somebody meets who knows proofmark from its help alone: names, figures and words that must
//! not mislead.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use support::{Project, Said};

/// Reads the number that [`program`] prints.
const METRIC: &str = "--metric=stdout[ms,lower]:took ([0-9.]+)";

/// An executable script at a path of the project.
fn script(project: &Project, path: &str, lines: &str) {
    let path = project.path(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// An executable that says how many milliseconds it took, the same ones each time.
fn program(project: &Project, path: &str, took: &str) {
    script(project, path, &format!("echo took {took}"));
}

/// A comparison of two blocks by what the programs say of themselves.
fn compared(project: &Project, arguments: &[&str]) -> Said {
    let fixed = ["compare", METRIC, "--blocks", "2", "--rounds", "2"];
    project.run(&[&fixed, arguments, &["--", "{}"]].concat())
}

#[test]
fn files_of_one_name_are_told_apart_everywhere() {
    let project = Project::new();
    program(&project, "old/bench", "73.1");
    program(&project, "new/bench", "87.9");
    let said = compared(&project, &["old/bench", "new/bench"]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(said.out.contains("new/bench / old/bench"), "{}", said.out);
    let markdown = project.done(&["report", "--format", "markdown"]).out;
    assert!(markdown.contains("Build old/bench"), "{markdown}");
    let csv = project.done(&["report", "--format", "csv"]).out;
    assert!(
        csv.contains(",old/bench,0,") && csv.contains(",new/bench,1,"),
        "{csv}"
    );
}

#[test]
fn a_file_that_is_handed_to_proofmark_itself_is_said_to_reach_no_run() {
    let project = Project::new();
    program(&project, "old", "73.1");
    program(&project, "new", "87.9");
    project.write("input", "hello\n");
    let arguments = [
        "./old", "./new", "--blocks", "2", "--rounds", "2", "--fresh",
    ];
    let said = |more: &[&str]| {
        let fixed = [&["compare", METRIC], &arguments[..], more, &["--", "{}"]].concat();
        let input = fs::File::open(project.path("input")).unwrap();
        let output = project.command(&fixed).stdin(input).output().unwrap();
        let said = Said::from(output);
        assert_eq!(said.code, Some(0), "{said:#?}");
        said.err.contains("no run reads the file")
    };
    assert!(said(&[]));
    assert!(!said(&["--stdin", "input"]));
}

#[test]
fn an_executable_by_the_name_of_a_captured_build_is_said_not_to_be_taken() {
    let project = Project::new();
    project.capture("one", 1_000);
    // Ends before anything is measured.
    let said = || {
        project
            .run(&["compare", "one", "one", "--image", "none", "--", "{}"])
            .err
    };
    let about = "one is the captured build";
    assert!(!said().contains(about));
    // The build's own image is no other.
    fs::copy(project.path("work"), project.path("one")).unwrap();
    assert!(!said().contains(about));
    script(&project, "one", "echo another");
    let said = said();
    assert!(said.contains(about) && said.contains("./one"), "{said}");
}

#[test]
fn a_label_names_a_build() {
    let project = Project::new();
    program(&project, "x/bench", "73.1");
    program(&project, "y/bench", "87.9");
    let said = compared(&project, &["before=x/bench", "after=y/bench"]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(said.out.contains("after/before"), "{}", said.out);
    let twice = compared(&project, &["a=x/bench", "a=y/bench"]);
    assert_eq!(twice.code, Some(2), "{twice:#?}");
}

#[test]
fn what_a_run_took_stands_beside_the_ratio() {
    let project = Project::new();
    program(&project, "old", "73.1");
    program(&project, "new", "87.9");
    let said = compared(&project, &["./old", "./new"]);
    let line = "old 73.1 ms, new 87.9 ms a run";
    assert!(said.out.contains(line), "{}", said.out);
    let markdown = project.done(&["report", "--format", "markdown"]).out;
    assert!(markdown.contains(line), "{markdown}");
}

/// What a comparison of two scripts says and ends with.
fn scripts(base: &str, new: &str, arguments: &[&str]) -> Said {
    let project = Project::new();
    script(&project, "old", base);
    script(&project, "new", new);
    let fixed = [
        "compare", "./old", "./new", "--blocks", "2", "--rounds", "2",
    ];
    project.run(&[&fixed, arguments, &["--skip", "instructions", "--", "{}"]].concat())
}

#[test]
fn an_error_of_one_build_is_no_speed_up() {
    let error = "echo 'error: cannot open config' >&2";
    let said = scripts("true", error, &[]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    let told = "“error: cannot open config”, and not missing";
    assert!(said.err.contains(told), "{}", said.err);
    let allowed = scripts("true", error, &["--allow-output-difference"]);
    assert_eq!(allowed.code, Some(0), "{allowed:#?}");
}

#[test]
fn what_varies_by_itself_on_standard_error_is_excused() {
    let said = scripts("echo pid $$ >&2; echo 1", "echo pid $$ >&2; echo 1", &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
}

#[test]
fn two_builds_that_only_print_an_error_are_asked() {
    let error = "echo 'error: cannot open config' >&2";
    let said = scripts(error, error, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    let told = said.out.replace("\n    ", " ");
    assert!(
        told.contains("“error: cannot open config” an error?"),
        "{told}"
    );
}

#[test]
fn another_status_is_another_end_also_where_it_is_ignored() {
    let said = scripts("echo 1; exit 3", "echo 1; exit 4", &["--ignore-exit"]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("it exited with"), "{}", said.err);
    let alike = scripts("echo 1; exit 3", "echo 1; exit 3", &["--ignore-exit"]);
    assert_eq!(alike.code, Some(0), "{alike:#?}");
}

#[test]
fn a_build_that_does_next_to_nothing_is_asked_what_it_has_to_show() {
    let project = Project::new();
    project.write(
        "slow.c",
        "int main(void) { for (volatile long i = 0; i < 100000000; i++) {} return 0; }",
    );
    project.write("fast.c", "int main(void) { return 0; }");
    project.compile("slow.c", "slow");
    project.compile("fast.c", "fast");
    let compared = |more: &[&str]| {
        let fixed = [
            "compare", "./slow", "./fast", "--blocks", "2", "--rounds", "2",
        ];
        let gate = [
            "--require",
            "faster:1%",
            "--fresh",
            "--skip",
            "instructions",
        ];
        project.run(&[&fixed[..], &gate[..], more, &["--", "{}"]].concat())
    };
    let said = compared(&[]);
    assert_eq!(said.code, Some(1), "{said:#?}");
    assert!(said.out.contains("did fast do the work?"), "{}", said.out);
    assert!(said.err.contains("no gate passes"), "{}", said.err);
    let meant = compared(&["--expect-large", "--confidence", "60%"]);
    assert_eq!(meant.code, Some(0), "{meant:#?}");
}

#[test]
fn output_that_differs_from_itself_is_not_the_builds_doing() {
    let said = scripts("echo $$", "echo $$", &[]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("differs from itself"), "{}", said.err);
    assert!(said.err.contains("--output-filter 'sort'"), "{}", said.err);
    let shuffled = "seq 200 | shuf";
    let sorted = scripts(shuffled, shuffled, &["--output-filter", "sort"]);
    assert_eq!(sorted.code, Some(0), "{sorted:#?}");
    let other = scripts("seq 9 | shuf", "seq 8 | shuf", &["--output-filter", "sort"]);
    assert_eq!(other.code, Some(3), "{other:#?}");
    assert!(!other.err.contains("differs from itself"), "{}", other.err);
    let failing = scripts("echo 1", "echo 1", &["--output-filter", "false"]);
    assert_eq!(failing.code, Some(3), "{failing:#?}");
}

#[test]
fn binary_output_is_described_and_not_printed() {
    let said = scripts(r"printf '\001\002\377'", r"printf '\001\003\377'", &[]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("number 2"), "{}", said.err);
    assert!(
        !said.err.contains('\u{1}') && !said.err.contains('\u{fffd}'),
        "{}",
        said.err
    );
}

#[test]
fn a_program_that_prints_its_own_name_prints_the_same() {
    let said = scripts("echo $0; echo $0 >&2", "echo $0; echo $0 >&2", &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
}

#[test]
fn short_limits_are_told_as_they_are() {
    let said = scripts("sleep 5", "sleep 5", &["--timeout", "20ms"]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("did not end within 20ms"), "{}", said.err);
}

#[test]
fn a_library_is_no_program() {
    let project = Project::new();
    project.write("work.c", "int work(void) { return 1; }");
    let cc = |out: &str| {
        let status = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-o", out, "work.c"])
            .current_dir(project.path(""))
            .status();
        assert!(status.unwrap().success());
    };
    cc("libwork.so");
    cc("libother.so");
    let said = project.run(&[
        "compare",
        "./libwork.so",
        "./libother.so",
        "--measure-equal",
        "--",
        "{}",
    ]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("libwork.so is a library"), "{}", said.err);
    assert!(said.err.contains("LD_PRELOAD={}"), "{}", said.err);
}

/// Compiles one source with more arguments.
fn compiled(project: &Project, arguments: &[&str]) {
    let status = std::process::Command::new("cc")
        .args(arguments)
        .current_dir(project.path(""))
        .status();
    assert!(status.unwrap().success(), "{arguments:?}");
}

/// Two builds of one name: by another name a program may do something else.
const OLD: &str = "old=./old/one";
const NEW: &str = "new=./new/one";

#[test]
fn builds_of_the_same_bytes_are_not_measured() {
    let project = Project::new();
    project.write(
        "one.c",
        "#include <stdio.h>\nint main(void) { puts(\"1\"); return 0; }",
    );
    let folders = ["old", "new"].map(|name| fs::create_dir(project.path(name)));
    assert!(folders.iter().all(Result::is_ok));
    compiled(&project, &["-O1", "-o", "old/one", "one.c"]);
    fs::copy(project.path("old/one"), project.path("new/one")).unwrap();
    let said = project.done(&["compare", OLD, NEW, "--", "{}"]);
    assert!(
        said.out.contains("new and old are the same bytes"),
        "{}",
        said.out
    );
    let json = project.done(&["compare", OLD, NEW, "--json", "--", "{}"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json["equal"][0]["how"], "same-bytes");
    let gate = |gate: &str| project.run(&["compare", OLD, NEW, "--require", gate, "--", "{}"]);
    assert_eq!(gate("no-slower:1%").code, Some(0));
    assert_eq!(gate("faster:1%").code, Some(1));
    let asked = [
        "--measure-equal",
        "--blocks",
        "2",
        "--rounds",
        "2",
        "--",
        "{}",
    ];
    let measured = project.done(&[&["compare", OLD, NEW], &asked[..]].concat());
    assert!(measured.out.contains("new/old"), "{}", measured.out);
}

#[test]
fn builds_that_differ_in_debug_information_alone_are_not_measured() {
    let project = Project::new();
    project.write(
        "one.c",
        "#include <stdio.h>\nint main(void) { puts(\"1\"); return 0; }",
    );
    let folders = ["old", "new"].map(|name| fs::create_dir(project.path(name)));
    assert!(folders.iter().all(Result::is_ok));
    compiled(
        &project,
        &["-O1", "-o", "old/one", "one.c", "-Wl,--build-id=0x1234"],
    );
    compiled(
        &project,
        &[
            "-O1",
            "-g",
            "-o",
            "new/one",
            "one.c",
            "-Wl,--build-id=0x5678",
        ],
    );
    let said = project.done(&["compare", OLD, NEW, "--", "{}"]);
    assert!(said.out.contains("debug information"), "{}", said.out);
    // Another constant is another program.
    project.write(
        "one.c",
        "#include <stdio.h>\nint main(void) { puts(\"2\"); return 0; }",
    );
    compiled(
        &project,
        &[
            "-O1",
            "-g",
            "-o",
            "new/one",
            "one.c",
            "-Wl,--build-id=0x5678",
        ],
    );
    let said = project.run(&["compare", OLD, NEW, "--", "{}"]);
    assert_eq!(said.code, Some(3), "{said:#?}");
}

/// Nobody has measured anything, and a gate would pass: so it must be certain.
#[test]
fn the_same_bytes_by_another_name_or_beside_another_file_are_measured() {
    let project = Project::new();
    project.write(
        "one.c",
        "#include <stdio.h>\nint main(void) { puts(\"1\"); return 0; }",
    );
    let folders = ["old", "new"].map(|name| fs::create_dir(project.path(name)));
    assert!(folders.iter().all(Result::is_ok));
    compiled(&project, &["-O1", "-o", "old/one", "one.c"]);
    fs::copy(project.path("old/one"), project.path("new/one")).unwrap();
    fs::copy(project.path("old/one"), project.path("old/other")).unwrap();
    let measured = |new: &str| {
        let short = ["--blocks", "2", "--rounds", "2", "--skip", "instructions"];
        let said = project.done(&[&["compare", OLD, new], &short[..], &["--", "{}"]].concat());
        said.err.contains("do by their names") && said.out.contains("new/old")
    };
    assert!(measured("new=./old/other"));
    fs::remove_file(project.path("old/other")).unwrap();
    project.write("old/settings", "fast\n");
    assert!(measured(NEW));
    project.write("new/settings", "slow\n");
    assert!(measured(NEW));
    project.write("new/settings", "fast\n");
    assert!(!measured(NEW));
}

#[test]
fn the_same_program_may_load_something_else() {
    let project = Project::new();
    project.write(
        "one.c",
        "#include <dlfcn.h>\n#include <stdio.h>\nint main(void) { puts(dlopen(\"./none.so\", 1) ? \"1\" : \"0\"); return 0; }",
    );
    compiled(&project, &["-o", "old", "one.c", "-ldl"]);
    fs::copy(project.path("old"), project.path("new")).unwrap();
    let asked = [
        "--blocks",
        "2",
        "--rounds",
        "2",
        "--skip",
        "instructions",
        "--",
        "{}",
    ];
    let said = project.done(&[&["compare", "./old", "./new"], &asked[..]].concat());
    assert!(said.err.contains("only what they load"), "{}", said.err);
    assert!(said.out.contains("new/old"), "{}", said.out);
}

#[test]
fn shares_are_told_as_they_were_meant() {
    let project = Project::new();
    for (margin, told) in [("1", "write 1%"), ("-1%", "write 1%")] {
        let said = project.run(&["compare", "a", "b", "--margin", margin, "--", "{}"]);
        assert_eq!(said.code, Some(2), "{said:#?}");
        assert!(said.err.contains(told), "{}", said.err);
    }
}

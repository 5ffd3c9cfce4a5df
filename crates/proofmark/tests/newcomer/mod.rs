//! What somebody meets who knows proofmark from its help alone: names, figures and words that must
//! not mislead.

mod equal;
mod work;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Project, Said};

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

#[test]
fn shares_are_told_as_they_were_meant() {
    let project = Project::new();
    for (margin, told) in [("1", "write 1%"), ("-1%", "write 1%")] {
        let said = project.run(&["compare", "a", "b", "--margin", margin, "--", "{}"]);
        assert_eq!(said.code, Some(2), "{said:#?}");
        assert!(said.err.contains(told), "{}", said.err);
    }
}

/// What a store holds is proofmark's own, and that it changes is no edit of anybody's.
#[test]
fn a_store_that_holds_the_users_files_is_refused() {
    let project = Project::new();
    script(&project, "work", "exit 0");
    script(&project, "inner/work", "exit 0");
    for words in [
        &["capture", "again", "--", "true"][..],
        &["compare", "./work", "./work", "--measure-equal", "--", "{}"],
    ] {
        for (place, store) in [(".", "."), ("inner", "..")] {
            let mut command = project.command(&[&["--store", store], words].concat());
            let output = command.current_dir(project.path(place)).output();
            let said = Said::from(output.unwrap());
            assert_eq!(said.code, Some(2), "{said:#?}");
            for word in ["the store", "would not be seen", "next: name a folder"] {
                assert!(said.err.contains(word), "{said:#?}");
            }
        }
    }
    assert!(!project.path("evidence.db").exists());
}

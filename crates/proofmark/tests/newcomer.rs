//! What somebody meets who knows proofmark from its help alone: names, figures and words that must not mislead.

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
    assert!(said.out.contains("new/bench/old/bench"), "{}", said.out);
    let markdown = project.done(&["report", "--format", "markdown"]).out;
    assert!(markdown.contains("Build old/bench"), "{markdown}");
    let csv = project.done(&["report", "--format", "csv"]).out;
    assert!(
        csv.contains(",old/bench,0,") && csv.contains(",new/bench,1,"),
        "{csv}"
    );
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

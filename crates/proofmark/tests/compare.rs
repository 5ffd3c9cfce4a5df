//! The main job, from a build to a verdict, on programs whose truth is known by construction.

use std::fs;

use crate::support::Project;

/// The interval of the first comparison in a JSON report.
fn interval(json: &str) -> (f64, f64) {
    let report: serde_json::Value = serde_json::from_str(json).unwrap();
    let interval = &report["conclusion"]["comparisons"][0]["ratio"];
    let bound = |name: &str| interval[name].as_f64().unwrap();
    (bound("low"), bound("high"))
}

#[test]
fn planted_work_is_found_with_the_truth_inside_the_interval() {
    let project = Project::new();
    project.capture("base", 10_000_000);
    project.capture("new", 11_000_000);
    // A true +10 % less what start-up takes, which is well under a tenth of a run. On a machine
    // that is busy for a while it may stay open.
    let found = (0..4).any(|_| {
        let said = project.done(&[
            "compare",
            "base",
            "new",
            "--json",
            "--confidence",
            "99.9%",
            "--blocks",
            "6..30",
            "--skip",
            "instructions",
            "--",
            "{}",
        ]);
        let (low, high) = interval(&said.out);
        assert!(low <= 1.10 && high >= 1.085, "{low} {high}");
        low > 1.0
    });
    assert!(found);
}

#[test]
fn what_changed_in_the_machine_code_stands_beside_the_figures() {
    let project = Project::new();
    project.capture("base", 1_000_000);
    project.capture("data", 1_100_000);
    project.write(
        "work.c",
        &fs::read_to_string(project.path("work.c"))
            .unwrap()
            .replace("int main(void) {", "int main(void) {\n    puts(\"\");"),
    );
    project.capture("code", 1_000_000);
    project.write(
        "expectations.toml",
        "version = 1\n[[expect]]\nfunction = \"main\"\nholds = ['calls_to(\"puts\") == 1', \"exists\"]\n",
    );
    let said = project.done(&[
        "compare",
        "base",
        "data",
        "code",
        "--json",
        "--blocks",
        "3",
        "--skip",
        "instructions",
        "--allow-output-difference",
        "--",
        "{}",
    ]);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let comparisons = &report["conclusion"]["comparisons"];
    let (data, code) = (&comparisons[0]["code"], &comparisons[1]["code"]);
    assert_eq!((&data["changed"], &code["changed"]), (&0.into(), &1.into()));
    assert_eq!(data["expectations"]["broken"], serde_json::json!([]));
    let broken = code["expectations"]["broken"].as_array().unwrap();
    assert_eq!(broken.len(), 1, "{code}");
    assert!(broken[0].as_str().unwrap().starts_with("main: calls_to"));
}

#[test]
fn expectations_that_cannot_be_read_are_said_before_anything_is_measured() {
    let project = Project::new();
    project.capture("base", 1_000_000);
    project.write(
        "expectations.toml",
        "version = 1\n[[expect]]\nfunktion = 1\n",
    );
    let said = project.run(&["compare", "base", "base", "--measure-equal", "--", "{}"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("funktion"), "{}", said.err);
}

#[test]
fn the_report_says_it_again() {
    let project = Project::new();
    project.capture("base", 3_000_000);
    let said = project.done(&[
        "compare",
        "base",
        "base",
        "--measure-equal",
        "--blocks",
        "3",
        "--skip",
        "instructions",
        "--",
        "{}",
    ]);
    assert!(said.out.contains("base #2/base #1"), "{}", said.out);
    assert!(
        said.out.lines().all(|line| line.chars().count() <= 80),
        "{}",
        said.out
    );
    assert_eq!(project.done(&["report"]).out, said.out);
    let csv = project.done(&["report", "--format", "csv"]).out;
    assert!(csv.lines().count() > 3 * 2 * 2, "{csv}");
}

/// A program that goes by its name runs by the one that was asked for, be it a copy or a link.
#[test]
fn a_program_of_several_names_runs_by_the_one_that_was_asked_for() {
    let project = Project::new();
    let program = r#"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    return printf("took %d000000\n", strstr(argv[0], "fast") ? 100 : 300) < 0;
}
"#;
    project.write("many.c", program);
    for (name, other) in [("linked", "ln -sf"), ("copied", "rm -f fast; cp")] {
        let build = format!("cc -D{name} -o many many.c && {other} many fast");
        project.done(&["capture", name, "--image", "fast", "--", "sh", "-c", &build]);
    }
    let steps = |image: &[&str]| {
        let asked = ["linked", "copied", "--json", "--fresh", "--measure-equal"];
        let metric = [
            "--metric",
            "stdout[steps,lower]:took ([0-9]+)",
            "--skip",
            "instructions",
        ];
        let more = ["--layouts", "as-shipped", "--blocks", "2", "--", "{}"];
        let said = project.done(&[&["compare"], &asked[..], image, &metric, &more].concat());
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        report["conclusion"]["comparisons"][0]["a_run"]["base"]
            .as_f64()
            .unwrap()
    };
    assert_eq!(steps(&[]).round(), 100_000_000.0);
    assert_eq!(steps(&["--image", "many"]).round(), 300_000_000.0);
}

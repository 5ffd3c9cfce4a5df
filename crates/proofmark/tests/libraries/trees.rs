//! What differs is a folder: programs within folders, and one program with several trees of files.

use std::fs;

use super::views;
use crate::support::{Project, Said};

/// Prints the number of its own library of scripts, and leaves something in its folder.
const SCRIPT: &str = "#!/bin/sh
cd \"${0%/*}\" && . ./lib/number && echo \"score: $number\" && echo >>log
";

fn project() -> Project {
    let project = Project::new();
    for (folder, number) in [("old", "1000"), ("new", "1100"), ("same", "1000")] {
        fs::create_dir_all(project.path(folder).join("lib")).unwrap();
        project.write(
            &format!("{folder}/lib/number"),
            &format!("number={number}\n"),
        );
        project.write(&format!("{folder}/main.sh"), SCRIPT);
    }
    project.write("new/lib/more", "");
    project
}

fn compare(project: &Project, first: &[&str], command: &[&str]) -> Said {
    let options = [
        "--metric",
        "stdout[points,higher]:score: ([0-9]+)",
        "--blocks",
        "3",
        "--skip",
        "instructions",
        "--json",
    ];
    project.run(&[&["compare"], first, &options, &["--"], command].concat())
}

#[test]
fn each_build_sees_its_own_folder_at_one_path() {
    if !views() {
        return;
    }
    let project = project();
    let said = compare(&project, &["old", "new"], &["sh", "{}/main.sh"]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    let found: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let ratio = &found["conclusion"]["comparisons"][0]["ratio"]["estimate"];
    assert!((ratio.as_f64().unwrap() - 1.1).abs() < 1e-9, "{ratio}");
    let [base, new] = [0, 1].map(|build| &found["builds"][build]);
    assert_eq!(base["image"], new["image"]);
    assert_eq!(base["tree"]["at"], new["tree"]["at"]);
    let changes = serde_json::json!([
        {"path": "lib/more", "how": "added", "code": false},
        {"path": "lib/number", "how": "changed", "code": false},
    ]);
    assert_eq!(new["tree"]["changes"], changes);
    // What runs wrote is gone with their copies, and the first round of each block was theirs.
    assert!(!project.path("old/log").exists());
    assert_eq!(found["warnings"][0]["code"], "one-placement", "{found:#?}");
    let text = project.run(&["report"]).out;
    let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(
        text.contains("2 files differ: lib/more (added), lib/number"),
        "{text}"
    );
    assert!(
        text.contains("first round of each block is not counted"),
        "{text}"
    );
}

#[test]
fn what_is_done_around_runs_sees_no_tree_of_a_build() {
    if !views() {
        return;
    }
    let project = project();
    let trees = ["/bin/sh", "--tree", "old", "--tree", "new"];
    for option in ["--setup", "--prepare", "--output-filter"] {
        let text = match option {
            "--output-filter" => "cat - old/lib/number",
            _ => "cp old/lib/number made",
        };
        let first = [&trees[..], &[option, text]].concat();
        let said = compare(&project, &first, &["{}", "old/main.sh"]);
        assert_eq!(said.code, Some(2), "{option}: {said:#?}");
        let told = said.err.split_whitespace().collect::<Vec<&str>>().join(" ");
        let expected = format!("{option} reads ");
        assert!(
            told.contains(&expected) && told.contains("old/lib/number"),
            "{told}"
        );
    }
    // A program may come to its tree by a link beside it.
    std::os::unix::fs::symlink("old", project.path("link")).unwrap();
    let said = compare(&project, &trees, &["{}", "link/main.sh"]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    let found: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let ratio = &found["conclusion"]["comparisons"][0]["ratio"]["estimate"];
    assert!((ratio.as_f64().unwrap() - 1.1).abs() < 1e-9, "{ratio}");
    // What is elsewhere is for all.
    let first = [&trees[..], &["--prepare", "touch made"]].concat();
    let said = compare(&project, &first, &["{}", "old/main.sh"]);
    assert_eq!(said.code, Some(0), "{said:#?}");
}

#[test]
fn a_folder_is_held_against_itself() {
    if !views() {
        return;
    }
    let project = project();
    let null = |first: &[&str], command: &[&str]| {
        let options = [
            "--metric",
            "stdout[points,higher]:score: ([0-9]+)",
            "--json",
        ];
        let few = ["--blocks", "3", "--skip", "instructions", "--"];
        project.run(&[&["null"], first, &options, &few, command].concat())
    };
    for said in [
        null(&["old"], &["sh", "{}/main.sh"]),
        null(&["/bin/sh", "--tree", "old"], &["{}", "old/main.sh"]),
    ] {
        assert_eq!(said.code, Some(0), "{said:#?}");
        let found: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let trees = [0, 1].map(|build| &found["builds"][build]["tree"]["at"]);
        assert!(trees[0].is_string() && trees[0] == trees[1], "{found:#}");
        let ratio = &found["null"]["ratio"]["estimate"];
        assert!((ratio.as_f64().unwrap() - 1.0).abs() < 1e-9, "{ratio}");
    }
    let both = null(&["old", "--tree", "new"], &["sh", "{}/main.sh"]);
    assert_eq!(both.code, Some(2), "{both:#?}");
    // What takes no folder says what does.
    let sweep = project.run(&["sweep", "old", "--function", "f", "--", "{}"]);
    assert!(
        sweep.code == Some(2) && sweep.err.contains("is a folder"),
        "{sweep:#?}"
    );
    let of_path = project.run(&["compare", "sh", "cat", "--", "{}"]);
    assert!(
        of_path.code == Some(2) && of_path.err.contains("in PATH"),
        "{of_path:#?}"
    );
}

#[test]
fn trees_that_no_run_reads_or_that_are_equal_are_told_at_once() {
    if !views() {
        return;
    }
    let project = project();
    let equal = compare(&project, &["old", "same"], &["sh", "{}/main.sh"]);
    assert_eq!(equal.code, Some(0));
    assert!(equal.out.contains("same-trees"), "{equal:#?}");
    let trees = ["--tree", "old", "--tree", "new"];
    let unread = compare(&project, &trees, &["echo", "score: 1"]);
    assert_eq!(unread.code, Some(2), "{unread:#?}");
    assert!(unread.err.contains("--tree-at"), "{unread:#?}");
    let of_other = compare(&project, &trees, &["sh", "new/main.sh"]);
    assert_eq!(of_other.code, Some(2), "{of_other:#?}");
    assert!(of_other.err.contains("--tree-at"), "{of_other:#?}");
    let one = compare(&project, &["old"], &["sh", "{}/main.sh"]);
    assert_eq!(one.code, Some(2), "{one:#?}");
}

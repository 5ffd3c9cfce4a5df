//! Two revisions of a git repository compared in one go.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod support;

use std::fs::{self, File};
use std::process::Command;

use proofmark_evidence::Store;
use serde_json::Value;
use support::{Project, Said, has};

/// Builds the benchmark, and notes that it did so outside of the work tree.
const BUILD: &str =
    "echo built >> \"$BUILDS\"; cc -O1 -c work.c && cc -O1 -c bound.c && cc -o work work.o bound.o";

/// A repository whose folder `bench` holds the benchmark: the tag `slow` does twice the work of `fast`, and `broken` does not compile.
fn repository() -> Project {
    let project = Project::new();
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    fs::create_dir(project.path("bench")).unwrap();
    for file in ["work.c", "bound.c"] {
        fs::rename(project.path(file), project.path(&format!("bench/{file}"))).unwrap();
    }
    let versions = [
        ("fast", "const volatile unsigned long bound = 1000000;\n"),
        ("slow", "const volatile unsigned long bound = 2000000;\n"),
        ("broken", "const volatile unsigned long bound = many;\n"),
    ];
    for (tag, source) in versions {
        project.write("bench/bound.c", source);
        git(&project, &["add", "bench"]);
        git(&project, &["commit", "--quiet", "--message", tag]);
        git(&project, &["tag", tag]);
    }
    project
}

/// git, with nothing of this user's configuration.
fn git(project: &Project, arguments: &[&str]) -> String {
    let person = ["AUTHOR", "COMMITTER"].map(|who| {
        [
            (format!("GIT_{who}_NAME"), "Tester"),
            (format!("GIT_{who}_EMAIL"), "tester@example.org"),
        ]
    });
    let output = Command::new("git")
        .args(arguments)
        .current_dir(project.path(""))
        .envs(person.into_iter().flatten())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let said = Said::from(output);
    assert_eq!(said.code, Some(0), "git {arguments:?}: {said:#?}");
    said.out
}

/// `compare --rev`, in the folder of the benchmark.
fn compare(project: &Project, range: &str, build: &str, more: &[&str]) -> Said {
    let mut arguments = vec![
        "compare", "--rev", range, "--build", build, "--blocks", "3", "--rounds", "2",
    ];
    arguments.extend(["--skip", "instructions", "--json"]);
    arguments.extend(more);
    arguments.extend(["--", "{}"]);
    let mut command = project.command(&arguments);
    command
        .current_dir(project.path("bench"))
        .env("BUILDS", project.path("builds"));
    command.output().unwrap().into()
}

/// How often a revision was built.
fn builds(project: &Project) -> usize {
    fs::read_to_string(project.path("builds"))
        .unwrap_or_default()
        .lines()
        .count()
}

/// Neither a folder nor git's memory of a work tree is left.
fn clean(project: &Project) {
    let trees = git(project, &["worktree", "list", "--porcelain"]);
    assert_eq!(trees.matches("worktree ").count(), 1, "{trees}");
    let folder = project.path("bench/.proofmark");
    assert!(!folder.join("worktree").exists());
    let status = git(project, &["status", "--porcelain", "--untracked-files=no"]);
    assert_eq!(status, "");
}

#[test]
fn two_revisions_are_built_once_and_compared() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let said = compare(&project, "fast..slow", BUILD, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    // What the build prints goes elsewhere: standard output is one document.
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let names: Vec<&str> = report["builds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|build| build["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["fast", "slow"]);
    // The folder in which a revision is built is the same for all, so that nothing differs but the change.
    assert_eq!(
        report["layouts"]["kind"], "matched",
        "{}",
        report["layouts"]
    );
    assert!(
        report["conclusion"]["comparisons"][0]["ratio"]["estimate"]
            .as_f64()
            .unwrap()
            > 1.0
    );
    assert_eq!(builds(&project), 2);
    clean(&project);

    // By another name of the same commit, too.
    let again = compare(&project, "fast..broken~1", BUILD, &[]);
    assert_eq!(again.code, Some(0), "{again:#?}");
    assert_eq!(builds(&project), 2, "captures are kept by revision");
    let other = compare(&project, "fast..slow", &format!("true; {BUILD}"), &[]);
    assert_eq!(other.code, Some(0), "{other:#?}");
    assert_eq!(
        builds(&project),
        4,
        "another way to build makes another build"
    );
    clean(&project);
}

#[test]
fn changes_that_are_not_committed_stay_out_of_it_and_stay() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    project.write("bench/work.c", "this is being worked on\n");
    let said = compare(&project, "fast..slow", BUILD, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert_eq!(
        fs::read_to_string(project.path("bench/work.c")).unwrap(),
        "this is being worked on\n"
    );
}

#[test]
fn what_is_no_range_is_refused_before_anything_is_built() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    for range in ["fast", "fast..", "..slow", "fast...slow", ""] {
        let said = compare(&project, range, BUILD, &[]);
        assert_eq!(said.code, Some(2), "{range}: {said:#?}");
        assert!(said.err.contains("A..B"), "{range}: {}", said.err);
    }
    for range in ["fast..nowhere", "nowhere..slow"] {
        let said = compare(&project, range, BUILD, &[]);
        assert_eq!(said.code, Some(2), "{range}: {said:#?}");
        let unknown = range
            .split("..")
            .find(|name| !["fast", "slow"].contains(name))
            .unwrap();
        assert!(said.err.contains(unknown), "{range}: {}", said.err);
    }
    assert_eq!(builds(&project), 0);
    clean(&project);
    let without = project.run(&["compare", "--rev", "fast..slow", "--", "{}"]);
    assert_eq!(without.code, Some(2));
    assert!(without.err.contains("--build"), "{}", without.err);
}

#[test]
fn outside_of_a_repository_the_reason_is_named() {
    if !has(&["git"]) {
        return;
    }
    let project = Project::new();
    fs::create_dir(project.path("bench")).unwrap();
    let said = compare(&project, "fast..slow", BUILD, &[]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("not a git repository"), "{}", said.err);
}

#[test]
fn a_revision_that_does_not_build_stops_it_and_leaves_no_work_tree() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let said = compare(&project, "slow..broken", BUILD, &[]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(
        said.err.contains("many"),
        "the compiler's own words: {}",
        said.err
    );
    assert!(said.err.contains("broken"), "{}", said.err);
    assert_eq!(builds(&project), 2);
    clean(&project);
    assert!(
        Store::open_existing(&project.path("bench/.proofmark")).is_err(),
        "nothing was measured"
    );
    // The one that did build is kept, the other one is tried again.
    assert_eq!(compare(&project, "fast..slow", BUILD, &[]).code, Some(0));
    assert_eq!(builds(&project), 3);
}

#[test]
fn a_work_tree_that_a_kill_left_is_no_obstacle() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let left = project.path("bench/.proofmark/worktree");
    fs::create_dir_all(project.path("bench/.proofmark")).unwrap();
    git(
        &project,
        &[
            "worktree",
            "add",
            "--quiet",
            "--detach",
            left.to_str().unwrap(),
            "slow",
        ],
    );
    fs::write(left.join("bench/work.c"), "half\n").unwrap();
    let said = compare(&project, "fast..slow", BUILD, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    clean(&project);
    // Also where git has forgotten it, or the folder is something else.
    fs::create_dir_all(left.join("bench")).unwrap();
    fs::write(left.join("bench/work.c"), "half\n").unwrap();
    let said = compare(&project, "broken~1..fast", &format!("true; {BUILD}"), &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    clean(&project);
}

#[test]
fn a_work_tree_in_use_is_let_alone() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let folder = project.path("bench/.proofmark");
    fs::create_dir_all(folder.join("worktree")).unwrap();
    let lock = File::create(folder.join("worktree.lock")).unwrap();
    lock.lock().unwrap();
    let said = compare(&project, "fast..slow", BUILD, &[]);
    assert_eq!(said.code, Some(4), "{said:#?}");
    assert!(said.err.contains("another proofmark"), "{}", said.err);
    assert!(folder.join("worktree").exists());
    drop(lock);
    assert_eq!(compare(&project, "fast..slow", BUILD, &[]).code, Some(0));
    clean(&project);
}

#[test]
fn a_capture_that_has_lost_its_files_is_made_again() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    assert_eq!(compare(&project, "fast..slow", BUILD, &[]).code, Some(0));
    fs::remove_dir_all(project.path("bench/.proofmark/objects")).unwrap();
    let said = compare(&project, "fast..slow", BUILD, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert_eq!(builds(&project), 4);
}

#[test]
fn ctrl_c_in_a_build_is_an_interruption_and_no_failure_of_the_build() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let said = compare(&project, "fast..slow", "kill -INT $PPID; exit 1", &[]);
    assert_eq!(said.code, Some(130), "{said:#?}");
    assert!(said.err.contains("interrupted"), "{}", said.err);
    clean(&project);
}

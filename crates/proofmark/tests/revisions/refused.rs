//! What cannot be compared, and what a build leaves when it fails, is interrupted or is killed.

use std::fs::{self, File};
use std::path::PathBuf;

use proofmark_evidence::Store;

use super::{BUILD, builds, clean, compare, copies, inside, repository};
use crate::support::{Project, has};

#[test]
fn what_is_no_range_is_refused_before_anything_is_built() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    for range in [
        "fast",
        "..",
        "...",
        "fast....slow",
        "fast..slow..broken",
        "",
    ] {
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
    fs::create_dir_all(inside(&project, "bench")).unwrap();
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
        Store::open(&inside(&project, "bench/.proofmark")).is_err(),
        "nothing was measured"
    );
    // The one that did build is kept, the other one is tried again.
    assert_eq!(compare(&project, "fast..slow", BUILD, &[]).code, Some(0));
    assert_eq!(builds(&project), 3);
}

#[test]
fn a_copy_that_a_kill_left_is_no_obstacle_and_one_in_use_is_let_alone() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    assert_eq!(compare(&project, "fast..slow", BUILD, &[]).code, Some(0));
    let locks: Vec<PathBuf> = fs::read_dir(copies(&project))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let [lock] = &locks[..] else {
        panic!("{locks:?}");
    };
    let left = lock.with_extension("");
    let top = fs::canonicalize(inside(&project, "")).unwrap();
    let copy = left.join(top.strip_prefix("/").unwrap());
    fs::create_dir_all(copy.join("bench")).unwrap();
    fs::write(copy.join("bench/work.c"), "half\n").unwrap();

    let held = File::open(lock).unwrap();
    held.lock().unwrap();
    let other = format!("true; {BUILD}");
    let said = compare(&project, "fast..slow", &other, &[]);
    assert_eq!(said.code, Some(4), "{said:#?}");
    assert!(said.err.contains("another proofmark"), "{}", said.err);
    assert!(copy.join("bench/work.c").exists());
    drop(held);
    let said = compare(&project, "fast..slow", &other, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    clean(&project);
}

#[test]
fn a_capture_that_has_lost_its_files_is_made_again() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    assert_eq!(compare(&project, "fast..slow", BUILD, &[]).code, Some(0));
    fs::remove_dir_all(inside(&project, "bench/.proofmark/objects")).unwrap();
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
    // Between the command and its build stands what follows the build.
    let build = "up=$PPID; case $(cat /proc/$up/comm) in *follo*) \
                 up=$(cut -d ' ' -f 4 /proc/$up/stat);; esac; kill -INT $up; exit 1";
    let said = compare(&project, "fast..slow", build, &[]);
    assert_eq!(said.code, Some(130), "{said:#?}");
    assert!(said.err.contains("interrupted"), "{}", said.err);
    clean(&project);
}

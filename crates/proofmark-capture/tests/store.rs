//! Captured builds in the store: listed, found, removed, damaged.

use std::fs;

use crate::support::{Project, c_program, has};
use proofmark_capture::{BuildError, Builds, capture};

fn captured(names: &[&str]) -> Option<Project> {
    if !has("gcc") {
        return None;
    }
    let project = Project::new();
    c_program(&project);
    for name in names {
        capture_as(&project, name);
    }
    Some(project)
}

/// Names of one length make the same objects.
fn capture_as(project: &Project, name: &str) {
    let define = format!("-DNAME={}", name.len());
    let build = [
        "gcc", "-O2", &define, "main.c", "twice.c", "-lm", "-o", "prog",
    ];
    capture(&project.builds(), &project.request(name, &build)).unwrap();
}

#[test]
fn builds_are_listed_and_found_by_name() {
    let Some(project) = captured(&["new/feature", "base"]) else {
        return;
    };
    let builds = project.builds();
    let names: Vec<String> = builds
        .list()
        .unwrap()
        .builds
        .into_iter()
        .map(|capture| capture.name)
        .collect();
    assert_eq!(names, ["base", "new/feature"]);
    assert_eq!(builds.find("base").unwrap().name, "base");
    let near = builds.find("bse").unwrap_err();
    assert!(
        matches!(&near, BuildError::NoSuchBuild { near, .. } if near == &["base"]),
        "{near}"
    );
    let far = builds.find("xyz").unwrap_err();
    assert!(far.to_string().contains("proofmark builds"), "{far}");
}

#[test]
fn equal_builds_have_equal_ids() {
    let Some(project) = captured(&["one", "two", "three"]) else {
        return;
    };
    let builds = project.builds();
    assert_eq!(
        builds.find("one").unwrap().id,
        builds.find("two").unwrap().id
    );
    project.file("twice.c", "int twice(int x) { return x << 1 | 1; }\n");
    capture(
        &builds,
        &project.request(
            "four",
            &["gcc", "-O2", "main.c", "twice.c", "-lm", "-o", "prog"],
        ),
    )
    .unwrap();
    assert_ne!(
        builds.find("one").unwrap().id,
        builds.find("four").unwrap().id
    );
}

#[test]
fn removing_frees_what_no_other_build_needs() {
    let Some(project) = captured(&["one"]) else {
        return;
    };
    project.file("twice.c", "int twice(int x) { return x * 5; }\n");
    capture(
        &project.builds(),
        &project.request(
            "two",
            &["gcc", "-O2", "main.c", "twice.c", "-lm", "-o", "prog"],
        ),
    )
    .unwrap();
    let builds = project.builds();
    let removed = builds.remove("one").unwrap();
    assert!(removed.files >= 2 && removed.bytes > 0, "{removed:?}");
    let two = builds.find("two").unwrap();
    assert!(two.links[0].image.is_file());
    assert!(matches!(
        builds.remove("one").unwrap_err(),
        BuildError::NoSuchBuild { .. }
    ));
    builds.remove("two").unwrap();
    let left = walkdir::WalkDir::new(project.root.join(".proofmark/objects"))
        .into_iter()
        .filter(|entry| entry.as_ref().unwrap().file_type().is_file())
        .count();
    assert_eq!(left, 0);
}

#[test]
fn capturing_a_name_again_replaces_it_and_frees_the_old_one() {
    let Some(project) = captured(&["base"]) else {
        return;
    };
    let old = project.builds().find("base").unwrap();
    project.file("twice.c", "int twice(int x) { return x * 2 + 7; }\n");
    capture(
        &project.builds(),
        &project.request("base", &["gcc", "main.c", "twice.c", "-lm", "-o", "prog"]),
    )
    .unwrap();
    let new = project.builds().find("base").unwrap();
    assert_ne!(old.id, new.id);
    assert!(!old.links[0].image.exists());
}

#[test]
fn a_store_that_was_moved_is_still_whole() {
    let Some(project) = captured(&["base"]) else {
        return;
    };
    let elsewhere = tempfile::tempdir().unwrap();
    let moved = elsewhere.path().join("store");
    assert!(
        std::process::Command::new("cp")
            .arg("-r")
            .arg(project.root.join(".proofmark"))
            .arg(&moved)
            .status()
            .unwrap()
            .success()
    );
    let capture = Builds::open(&moved).unwrap().find("base").unwrap();
    assert!(
        capture.links[0]
            .image
            .starts_with(moved.canonicalize().unwrap())
    );
    assert!(
        capture.links[0]
            .recipe
            .inputs
            .iter()
            .all(|input| input.blob.starts_with(moved.canonicalize().unwrap()))
    );
}

#[test]
fn what_is_lost_or_damaged_is_named() {
    let Some(project) = captured(&["base"]) else {
        return;
    };
    let builds = project.builds();
    let capture = builds.find("base").unwrap();
    let input = capture.links[0]
        .recipe
        .inputs
        .iter()
        .find(|input| input.given.extension().is_some_and(|end| end == "o"))
        .unwrap();
    builds.verify(&capture).unwrap();
    let content = fs::read(&input.blob).unwrap();
    fs::remove_file(&input.blob).unwrap();
    let lost = builds.find("base").unwrap_err();
    assert!(
        matches!(&lost, BuildError::Lost { what, .. } if *what == input.given),
        "{lost}"
    );
    assert!(lost.to_string().contains("capture the build again"));
    fs::write(&input.blob, &content[1..]).unwrap();
    builds.find("base").unwrap();
    assert!(matches!(
        builds.verify(&capture).unwrap_err(),
        BuildError::Lost { .. }
    ));

    // Capturing again brings the whole file back, under the same name.
    capture_as(&project, "copy");
    builds.verify(&capture).unwrap();
    assert_eq!(fs::read(&input.blob).unwrap(), content);

    let file = project.root.join(".proofmark/builds/base.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, &text[..text.len() / 2]).unwrap();
    assert!(matches!(
        builds.find("base").unwrap_err(),
        BuildError::Damaged { .. }
    ));
    fs::write(&file, text.replacen("\"format\":3", "\"format\":99", 1)).unwrap();
    assert!(matches!(
        builds.find("base").unwrap_err(),
        BuildError::Newer { found: 99, .. }
    ));
    builds.remove("base").unwrap();
    builds.remove("copy").unwrap();
    assert!(builds.list().unwrap().builds.is_empty());
}

#[test]
fn names_that_cannot_be_used_are_refused_before_the_build_runs() {
    let project = Project::new();
    let request = project.request("-x", &["touch", "it-ran"]);
    assert!(matches!(
        capture(&project.builds(), &request).unwrap_err(),
        BuildError::BadName { .. }
    ));
    assert!(!project.root.join("it-ran").exists());
}

#[test]
fn what_an_interrupted_capture_left_is_swept() {
    let project = Project::new();
    drop(project.builds());
    fs::create_dir_all(project.root.join(".proofmark/capturing/old/events")).unwrap();
    drop(project.builds());
    assert!(!project.root.join(".proofmark/capturing").exists());
}

#[test]
fn a_damaged_build_does_not_stand_in_the_way_of_another() {
    let Some(project) = captured(&["one"]) else {
        return;
    };
    fs::write(project.root.join(".proofmark/builds/broken.json"), "{").unwrap();
    let two = project.request("two", &["gcc", "main.c", "twice.c", "-lm", "-o", "prog"]);
    capture(&project.builds(), &two).unwrap();
    assert!(project.builds().find("one").is_ok() && project.builds().find("two").is_ok());
    let listing = project.builds().list().unwrap();
    let names: Vec<&str> = listing.builds.iter().map(|build| &*build.name).collect();
    assert_eq!(names, ["one", "two"]);
    let [error] = &listing.unreadable[..] else {
        panic!("{:?}", listing.unreadable);
    };
    assert!(matches!(error, BuildError::Damaged { .. }), "{error}");
    assert!(
        error.to_string().contains("builds remove broken"),
        "{error}"
    );
    // What it needs is not known: nothing is freed until it is gone.
    let removed = project.builds().remove("two").unwrap();
    assert_eq!((removed.files, removed.unreadable), (0, 1));
    let removed = project.builds().remove("broken").unwrap();
    assert!(removed.files > 0 && removed.unreadable == 0, "{removed:?}");
}

#[test]
fn a_build_is_found_by_the_start_of_its_id() {
    let Some(project) = captured(&["one"]) else {
        return;
    };
    project.file("twice.c", "int twice(int x) { return x * 7; }\n");
    capture_as(&project, "four");
    let builds = project.builds();
    let one = builds.find("one").unwrap();
    assert_ne!(one.id, builds.find("four").unwrap().id);
    assert_eq!(builds.find(&one.id[..12]).unwrap().name, "one");
    assert!(matches!(
        builds.find(&one.id[..7]).unwrap_err(),
        BuildError::NoSuchBuild { .. }
    ));
}

//! What a build sees around itself: the copy of a revision, and nothing of the work tree.

use std::fs;

use serde_json::Value;

use super::{BUILD, builds, clean, commit, compare, git, inside, noted, repository, told, with};
use crate::support::{Project, Said, has};

#[test]
fn configuration_above_is_found_at_its_distance_and_that_of_the_work_tree_is_not() {
    if !has(&["git", "make"]) {
        return;
    }
    let project = repository();
    // The work tree's own, which is in neither revision; and one above the repository, which is
    // found from it.
    fs::write(inside(&project, "local.mk"), "LOCAL = work tree\n").unwrap();
    project.write("outer/local.mk", "OUTER = above\n");
    let note = "-include ../local.mk\n-include ../../local.mk\nall:\n\t@echo '[$(LOCAL)$(OUTER)]' >> \"$$BUILDS\"\n";
    fs::write(inside(&project, "bench/Makefile"), note).unwrap();
    git(&project, &["add", "bench/Makefile"]);
    git(&project, &["commit", "--quiet", "--message", "makefile"]);
    git(&project, &["tag", "one"]);
    fs::write(inside(&project, "bench/more.c"), "\n").unwrap();
    git(&project, &["add", "bench/more.c"]);
    git(&project, &["commit", "--quiet", "--message", "more"]);
    git(&project, &["tag", "two"]);
    fs::write(
        inside(&project, "bench/bound.c"),
        "const volatile unsigned long bound = 1000000;\n",
    )
    .unwrap();
    git(&project, &["add", "bench/bound.c"]);
    git(&project, &["commit", "--quiet", "--message", "again"]);
    git(&project, &["tag", "three"]);
    let build = "make && cc -O1 -o work work.c bound.c";
    let bound = "const volatile unsigned long bound = 2000000;\n";
    fs::write(inside(&project, "bench/bound.c"), bound).unwrap();
    git(&project, &["add", "bench/bound.c"]);
    git(&project, &["commit", "--quiet", "--message", "last"]);
    let said = compare(&project, "three..", build, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert_eq!(noted(&project), ["[above]", "[above]"]);
    // What lies above belongs to the key.
    project.write("outer/local.mk", "OUTER = other\n");
    let said = compare(&project, "three..", build, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert_eq!(noted(&project)[2..], ["[other]", "[other]"]);
    clean(&project);
}

#[test]
fn a_build_may_ask_git_and_finds_a_clean_tree_of_the_revision() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    // What would run if the user's configuration counted.
    let trap = project.path("trap");
    fs::write(
        &trap,
        format!(
            "#!/bin/sh\necho trapped >> '{}'\nexit 1\n",
            project.path("builds").display()
        ),
    )
    .unwrap();
    fs::set_permissions(&trap, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fs::create_dir_all(inside(&project, ".git/hooks")).unwrap();
    fs::copy(&trap, inside(&project, ".git/hooks/post-checkout")).unwrap();
    let text = format!(
        "[core]\n\tfsmonitor = {0}\n[init]\n\ttemplateDir = {1}\n",
        trap.display(),
        inside(&project, ".git").display()
    );
    project.write("gitconfig", &text);
    let notes = told(
        &project,
        "fast..slow",
        "$(git describe --tags --dirty) $(git rev-parse HEAD) $(git rev-parse --show-prefix)",
    );
    let hash = |tag: &str| git(&project, &["rev-parse", tag]).trim().to_owned();
    let expected = ["fast", "slow"].map(|tag| format!("{tag} {} bench/", hash(tag)));
    assert_eq!(notes, expected);
    // Variables that lead git elsewhere do not lead the build's.
    let build = BUILD.replacen("built", "$(git rev-parse --show-toplevel)", 1);
    let other = inside(&project, ".git");
    let said = with(
        &project,
        "fast..slow",
        &build,
        &[],
        &[("GIT_DIR", other.to_str().unwrap())],
    );
    assert_eq!(said.code, Some(0), "{said:#?}");
    let asked = &noted(&project)[2..];
    assert!(
        asked
            .iter()
            .all(|top| top.contains("cache/proofmark/revisions")),
        "{asked:?}"
    );
}

#[test]
fn ranges_are_what_git_means_by_them_and_the_work_tree_is_a_state() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let source = |bound: u32| {
        let text = format!("const volatile unsigned long bound = {bound};\n");
        fs::write(inside(&project, "bench/bound.c"), text).unwrap();
    };
    git(&project, &["checkout", "--quiet", "-b", "branch", "fast"]);
    source(4_000_000);
    commit(&project, "side");
    let notes = |range: &str| {
        let _ = fs::remove_file(project.path("builds"));
        let build = "grep -o '[0-9]*' bound.c >> \"$BUILDS\"; cc -O1 -o work work.c bound.c";
        let said = compare(&project, range, build, &["--fresh"]);
        assert_eq!(said.code, Some(0), "{range}: {said:#?}");
        let _ = fs::remove_dir_all(inside(&project, "bench/.proofmark"));
        noted(&project)
    };
    assert_eq!(notes("slow.."), ["2000000", "4000000"]);
    assert_eq!(notes("..slow"), ["4000000", "2000000"]);
    assert_eq!(notes("slow...side"), ["1000000", "4000000"]);
    // Changed, new and ignored files.
    source(5_000_000);
    fs::write(inside(&project, ".gitignore"), "*.ignored\n").unwrap();
    fs::write(inside(&project, "bench/new.h"), "\n").unwrap();
    fs::write(inside(&project, "bench/x.ignored"), "\n").unwrap();
    let before = git(&project, &["status", "--porcelain"]);
    assert_eq!(notes("slow..WORK"), ["2000000", "5000000"]);
    let build = "ls >> \"$BUILDS\"; cc -O1 -o work work.c bound.c";
    let said = compare(&project, "slow..WORK", build, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(!said.err.contains("not committed"), "{}", said.err);
    let seen = noted(&project);
    assert!(
        seen.contains(&"new.h".to_owned()) && !seen.contains(&"x.ignored".to_owned()),
        "{seen:?}"
    );
    assert_eq!(git(&project, &["status", "--porcelain"]), before);
    assert!(
        git(&project, &["fsck", "--no-progress", "--unreachable"]).is_empty(),
        "nothing was written to the repository"
    );
    // The same files are the same build.
    let count = noted(&project).len();
    assert_eq!(compare(&project, "slow..WORK", build, &[]).code, Some(0));
    assert_eq!(noted(&project).len(), count);
    let shown: Value = serde_json::from_str(&project_builds(&project)).unwrap();
    let modified = shown["builds"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|build| build["revision"]["modified"] == true);
    let modified: Vec<&Value> = modified.collect();
    assert_eq!(modified.len(), 1);
    // Its patch makes the same tree of the commit.
    let patch = modified[0]["revision"]["patch"].as_str().unwrap();
    let patch = inside(&project, "bench/.proofmark").join(patch);
    git(&project, &["stash", "--include-untracked"]);
    git(&project, &["apply", patch.to_str().unwrap()]);
    git(&project, &["add", "--all"]);
    let applied = git(&project, &["write-tree"]);
    git(&project, &["reset", "--hard", "--quiet"]);
    git(&project, &["stash", "pop"]);
    git(&project, &["add", "--all"]);
    assert_eq!(applied, git(&project, &["write-tree"]));
}

/// The captured builds, as JSON.
fn project_builds(project: &Project) -> String {
    let mut command = project.command(&["builds", "--json"]);
    command.current_dir(inside(project, "bench"));
    Said::from(command.output().unwrap()).out
}

#[test]
fn what_leads_back_to_the_work_tree_is_refused() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let top = fs::canonicalize(inside(&project, "")).unwrap();
    let top = top.to_str().unwrap();
    let build = format!("cd {top}/bench && {BUILD}");
    let said = compare(&project, "fast..slow", &build, &[]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(
        said.err.contains("the build command names the work tree"),
        "{}",
        said.err
    );
    let target = format!("{top}/target");
    let said = with(
        &project,
        "fast..slow",
        BUILD,
        &[],
        &[("CARGO_TARGET_DIR", &target)],
    );
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(said.err.contains("CARGO_TARGET_DIR"), "{}", said.err);
    assert_eq!(builds(&project), 0);
    // By a way that nobody can see beforehand.
    let place = project.path("place");
    fs::write(&place, format!("{top}/bench")).unwrap();
    fs::copy(
        inside(&project, "bench/work.c"),
        inside(&project, "bench/bound.c"),
    )
    .unwrap();
    fs::write(
        inside(&project, "bench/bound.c"),
        "const volatile unsigned long bound = 9;\n",
    )
    .unwrap();
    let headers = format!(
        "cc -O1 -c work.c && cc -O1 -I$(cat {}) -c bound.c && cc -o work work.o bound.o",
        place.display()
    );
    let said = compare(&project, "fast..slow", &headers, &[]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(
        said.err.contains("took files from the work tree"),
        "{}",
        said.err
    );
    let build = format!(
        "cc -O1 -c work.c && cc -O1 -c $(cat {})/bound.c && cc -o work work.o bound.o",
        place.display()
    );
    let said = compare(&project, "fast..slow", &build, &[]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(
        said.err.contains("bench/bound.c") && said.err.contains("work tree"),
        "{}",
        said.err
    );
    // No compiler reads it, but what goes to one.
    let build = format!("cp $(cat {})/bound.c . && {BUILD}", place.display());
    let said = compare(&project, "fast..slow", &build, &[]);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(
        said.err
            .contains("bench/bound.c, which is another file in that revision"),
        "{}",
        said.err
    );
    git(&project, &["checkout", "--quiet", "."]);
    clean(&project);
}

//! Two revisions of a git repository compared in one go.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod support;

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Command;

use proofmark_evidence::Store;
use serde_json::Value;
use support::{Project, Said, has};

/// Builds the benchmark, and notes that it did so outside of the work tree.
const BUILD: &str =
    "echo built >> \"$BUILDS\"; cc -O1 -c work.c && cc -O1 -c bound.c && cc -o work work.o bound.o";

/// Where the repository lies in the project: what lies above it is the project's too.
const REPOSITORY: &str = "outer/repository";

/// A file of the repository.
fn inside(project: &Project, name: &str) -> PathBuf {
    project.path(REPOSITORY).join(name)
}

/// A repository whose folder `bench` holds the benchmark: the tag `slow` does twice the work of
/// `fast`, and `broken` does not compile.
fn repository() -> Project {
    let project = Project::new();
    fs::create_dir_all(inside(&project, "bench")).unwrap();
    git(&project, &["init", "--quiet", "--initial-branch", "main"]);
    for file in ["work.c", "bound.c"] {
        let place = inside(&project, "bench").join(file);
        fs::rename(project.path(file), place).unwrap();
    }
    let versions = [
        ("fast", "const volatile unsigned long bound = 1000000;\n"),
        ("slow", "const volatile unsigned long bound = 2000000;\n"),
        ("broken", "const volatile unsigned long bound = many;\n"),
    ];
    for (tag, source) in versions {
        fs::write(inside(&project, "bench/bound.c"), source).unwrap();
        git(&project, &["add", "bench"]);
        git(&project, &["commit", "--quiet", "--message", tag]);
        git(&project, &["tag", tag]);
    }
    project
}

/// Commits everything under a tag.
fn commit(project: &Project, tag: &str) {
    git(project, &["add", "--all", "."]);
    git(project, &["commit", "--quiet", "--message", tag]);
    git(project, &["tag", tag]);
}

/// git, with nothing of this user's configuration.
fn git(project: &Project, arguments: &[&str]) -> String {
    git_in(project, REPOSITORY, arguments)
}

fn git_in(project: &Project, folder: &str, arguments: &[&str]) -> String {
    let person = ["AUTHOR", "COMMITTER"].map(|who| {
        [
            (format!("GIT_{who}_NAME"), "Tester"),
            (format!("GIT_{who}_EMAIL"), "tester@example.org"),
        ]
    });
    let output = Command::new("git")
        .args(arguments)
        .current_dir(project.path(folder))
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
    with(project, range, build, more, &[])
}

/// The same with these variables.
fn with(project: &Project, range: &str, build: &str, more: &[&str], env: &[(&str, &str)]) -> Said {
    let mut arguments = vec![
        "compare", "--rev", range, "--build", build, "--blocks", "3", "--rounds", "2",
    ];
    arguments.extend(["--skip", "instructions", "--json", "--measure-equal"]);
    // What is built is in question, and not how it is laid out.
    if !more.contains(&"--layouts") {
        arguments.extend(["--layouts", "as-shipped"]);
    }
    arguments.extend(more);
    arguments.extend(["--", "{}"]);
    let mut command = project.command(&arguments);
    command
        .current_dir(inside(project, "bench"))
        .env("BUILDS", project.path("builds"))
        .env("XDG_CACHE_HOME", project.path("cache"))
        .env("GIT_CONFIG_GLOBAL", project.path("gitconfig"))
        .envs(env.iter().copied());
    command.output().unwrap().into()
}

/// What the build wrote for the test to see.
fn noted(project: &Project) -> Vec<String> {
    let text = fs::read_to_string(project.path("builds")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Two states of a program whose builds note `what` the shell makes of it; their notes.
fn told(project: &Project, range: &str, what: &str) -> Vec<String> {
    let build = BUILD.replacen("built", what, 1);
    let said = compare(project, range, &build, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    noted(project)
}

/// How often a revision was built.
fn builds(project: &Project) -> usize {
    fs::read_to_string(project.path("builds"))
        .unwrap_or_default()
        .lines()
        .count()
}

/// The place of copies, made.
fn copies(project: &Project) -> PathBuf {
    let folder = project.path("cache/proofmark/revisions");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// No copy is left, and git knows of none.
fn clean(project: &Project) {
    let trees = git(project, &["worktree", "list", "--porcelain"]);
    assert_eq!(trees.matches("worktree ").count(), 1, "{trees}");
    for entry in fs::read_dir(copies(project)).unwrap() {
        let path = entry.unwrap().path();
        assert!(path.is_file(), "{} is left", path.display());
    }
    let status = git(project, &["status", "--porcelain", "--untracked-files=no"]);
    assert_eq!(status, "");
}

#[test]
fn two_revisions_are_built_once_and_compared() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let said = compare(&project, "fast..slow", BUILD, &["--layouts", "auto"]);
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
    for name in names {
        let builds = report["builds"].as_array().unwrap();
        let build = builds.iter().find(|build| build["name"] == name);
        let commit = git(&project, &["rev-parse", name]);
        let revision = &build.unwrap()["revision"];
        assert_eq!(revision["vcs"], "git");
        assert_eq!(revision["id"], commit.trim());
        assert_eq!(revision["dirty"], false);
    }
    // The folder in which a revision is built is the same for all, so that nothing differs but the
    // change.
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
fn what_a_build_reads_outside_of_the_repository_is_looked_at_again() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    fs::write(project.path("outer/cost.h"), "#define COST 1\n").unwrap();
    fs::write(project.path("outer/words"), "-O1").unwrap();
    let outer = project.path("outer");
    let words = format!("$(cat {}/words) -I{}", outer.display(), outer.display());
    let build = BUILD
        .replace("-O1", &words)
        .replace("-c work.c", "-include cost.h -c work.c");
    let built = |times: usize, what: &str| {
        let said = compare(&project, "fast..slow", &build, &[]);
        assert_eq!(said.code, Some(0), "{said:#?}");
        assert_eq!(builds(&project), times, "{what}: {said:#?}");
        said.err
    };
    built(2, "both are built");
    built(2, "nothing has changed");
    for (at, file) in ["cost.h", "words"].into_iter().enumerate() {
        let mut text = fs::read_to_string(outer.join(file)).unwrap();
        text.push(' ');
        fs::write(outer.join(file), text).unwrap();
        let said = built(4 + 2 * at, file);
        let why = format!("fast is built again, for {}", outer.join(file).display());
        assert!(said.contains(&why), "{said}");
    }
    clean(&project);
}

#[test]
fn changes_that_are_not_committed_stay_out_of_it_and_stay() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let file = inside(&project, "bench/work.c");
    fs::write(&file, "this is being worked on\n").unwrap();
    let said = compare(&project, "fast..slow", BUILD, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        "this is being worked on\n"
    );
    for part in ["1 file(s)", "not committed", "--rev fast..WORK"] {
        assert!(said.err.contains(part), "{}", said.err);
    }
}

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
fn everything_that_goes_in_is_in_the_key() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let other = inside(&project, "other");
    fs::create_dir(&other).unwrap();
    for file in ["work.c", "bound.c"] {
        let source = fs::read_to_string(inside(&project, "bench").join(file)).unwrap();
        fs::write(other.join(file), source.replace("many", "7000000")).unwrap();
    }
    fs::write(
        inside(&project, "bench/bound.c"),
        "const volatile unsigned long bound = 1000000;\n",
    )
    .unwrap();
    commit(&project, "both");
    fs::write(inside(&project, "README"), "\n").unwrap();
    commit(&project, "more");
    let built = |expected: usize, said: &Said, what: &str| {
        assert_eq!(said.code, Some(0), "{what}: {said:#?}");
        assert_eq!(builds(&project), expected, "{what}");
    };
    let base = compare(&project, "both..more", BUILD, &[]);
    built(2, &base, "first");
    built(
        2,
        &compare(&project, "both..more", BUILD, &[]),
        "the same again",
    );
    for (at, env) in [
        ("CFLAGS", "-O3"),
        ("ROUNDS", "15"),
        ("CPATH", "/usr/include"),
    ]
    .into_iter()
    .enumerate()
    {
        let said = with(&project, "both..more", BUILD, &[], &[env]);
        built(4 + 2 * at, &said, env.0);
    }
    built(
        8,
        &with(&project, "both..more", BUILD, &[], &[("TERM", "other")]),
        "TERM",
    );
    // Another subfolder, into the same store.
    let store = inside(&project, "bench/.proofmark");
    let arguments = [
        "--store",
        store.to_str().unwrap(),
        "compare",
        "--rev",
        "both..more",
        "--build",
        BUILD,
        "--blocks",
        "3",
        "--rounds",
        "2",
        "--skip",
        "instructions",
        "--",
        "{}",
    ];
    let mut command = project.command(&arguments);
    command
        .current_dir(&other)
        .env("BUILDS", project.path("builds"))
        .env("XDG_CACHE_HOME", project.path("cache"))
        .env("GIT_CONFIG_GLOBAL", project.path("gitconfig"));
    built(10, &command.output().unwrap().into(), "another subfolder");
    // A tag that `git describe` tells builds of.
    git(
        &project,
        &["tag", "--annotate", "--message", "v9", "v9", "both"],
    );
    built(12, &compare(&project, "both..more", BUILD, &[]), "a tag");
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
fn submodules_are_checked_out_or_refused_with_the_command_that_gets_them() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    fs::create_dir(project.path("library")).unwrap();
    let library = |rounds: &str| {
        let text = format!("const volatile unsigned long bound = {rounds};\n");
        project.write("library/bound.c", &text);
        git_in(&project, "library", &["add", "bound.c"]);
        git_in(
            &project,
            "library",
            &["commit", "--quiet", "--message", rounds],
        );
    };
    git_in(&project, "library", &["init", "--quiet"]);
    library("1000000");
    let from = project.path("library");
    git(
        &project,
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            from.to_str().unwrap(),
            "lib",
        ],
    );
    commit(&project, "with");
    library("2000000");
    git_in(&project, "outer/repository/lib", &["pull", "--quiet"]);
    commit(&project, "later");
    let build = "cat ../lib/bound.c >> \"$BUILDS\"; cc -O1 -o work work.c ../lib/bound.c";
    let said = compare(&project, "with..later", build, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    let seen = noted(&project);
    assert!(
        seen[0].contains("1000000") && seen[1].contains("2000000"),
        "{seen:?}"
    );
    // A clone without it, and one without that commit of it.
    let clone = project.path("outer/clone");
    git_in(
        &project,
        "outer",
        &["clone", "--quiet", "repository", "clone"],
    );
    let refused = |what: &str| {
        let arguments = [
            "compare",
            "--rev",
            "with..later",
            "--build",
            build,
            "--",
            "{}",
        ];
        let mut command = project.command(&arguments);
        command
            .current_dir(clone.join("bench"))
            .env("XDG_CACHE_HOME", project.path("cache"));
        let said: Said = command.output().unwrap().into();
        assert_eq!(said.code, Some(4), "{said:#?}");
        assert!(
            said.err.contains("submodule lib") && said.err.contains(what),
            "{}",
            said.err
        );
    };
    refused("git submodule update --init --recursive lib");
    // Changes in a submodule are no part of WORK.
    fs::write(inside(&project, "lib/bound.c"), "changed\n").unwrap();
    let said = compare(&project, "with..WORK", build, &[]);
    assert_eq!(said.code, Some(4), "{said:#?}");
    assert!(
        said.err.contains("submodule lib has changes"),
        "{}",
        said.err
    );
    git_in(
        &project,
        "outer/repository/lib",
        &["checkout", "--quiet", "."],
    );
    clean(&project);
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
    assert_eq!(modified.count(), 1);
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
    git(&project, &["checkout", "--quiet", "."]);
    clean(&project);
}

#[test]
fn files_that_git_does_not_hold_itself_are_filled_in_or_named() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let content = "const volatile unsigned long bound = 3000000;\n";
    // `printf CONTENT | sha256sum`: any name does, for git LFS finds its files by it.
    let id = "ab".repeat(32);
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{id}\nsize {}\n",
        content.len()
    );
    fs::write(inside(&project, "bench/bound.c"), pointer).unwrap();
    fs::write(
        inside(&project, ".gitattributes"),
        "bench/bound.c filter=lfs\n",
    )
    .unwrap();
    commit(&project, "large");
    let said = compare(&project, "fast..large", BUILD, &[]);
    assert_eq!(said.code, Some(4), "{said:#?}");
    for part in ["git LFS", "bench/bound.c", "git lfs fetch origin"] {
        assert!(said.err.contains(part), "{}", said.err);
    }
    let kept = inside(&project, &format!(".git/lfs/objects/ab/ab/{id}"));
    fs::create_dir_all(kept.parent().unwrap()).unwrap();
    fs::write(&kept, content).unwrap();
    let build = format!(
        "cat bound.c >> \"$BUILDS\"; git status --porcelain >> \"$BUILDS\"; {}",
        BUILD.split_once(';').unwrap().1
    );
    let said = compare(&project, "fast..large", &build, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    let last = noted(&project).pop();
    assert_eq!(last.as_deref(), Some(content.trim()));
    // A filter of the user's own.
    fs::write(
        inside(&project, ".gitattributes"),
        "bench/work.c filter=crypt\n",
    )
    .unwrap();
    fs::write(inside(&project, "bench/bound.c"), content).unwrap();
    commit(&project, "crypt");
    git(
        &project,
        &["config", "filter.crypt.smudge", "touch trapped; cat"],
    );
    let said = compare(&project, "fast..crypt", &format!("true; {BUILD}"), &[]);
    assert_eq!(said.code, Some(4), "{said:#?}");
    assert!(
        said.err.contains("`crypt`") && said.err.contains("bench/work.c"),
        "{}",
        said.err
    );
    assert!(!inside(&project, "trapped").exists());
    clean(&project);
}

#[test]
fn the_copy_has_what_a_checkout_of_the_users_would_have() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    fs::write(
        inside(&project, "bench/bound.c"),
        "const volatile unsigned long bound = 1000000;\n",
    )
    .unwrap();
    fs::write(inside(&project, "bench/run.sh"), "#!/bin/sh\necho ran\n").unwrap();
    fs::set_permissions(
        inside(&project, "bench/run.sh"),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    std::os::unix::fs::symlink("run.sh", inside(&project, "bench/link.sh")).unwrap();
    fs::create_dir(inside(&project, "away")).unwrap();
    fs::write(inside(&project, "away/file"), "\n").unwrap();
    fs::write(inside(&project, "bench/kept.txt"), "one\n").unwrap();
    fs::write(
        inside(&project, ".gitattributes"),
        "bench/kept.txt export-ignore\n*.sh -text\n",
    )
    .unwrap();
    commit(&project, "one");
    fs::write(
        inside(&project, "bench/bound.c"),
        "const volatile unsigned long bound = 2000000;\n",
    )
    .unwrap();
    commit(&project, "two");
    git(&project, &["config", "core.autocrlf", "true"]);
    git(&project, &["sparse-checkout", "set", "bench"]);
    let what = "$(./link.sh) $(ls -d ../away 2>/dev/null) $(readlink link.sh) $(wc -c < kept.txt)";
    let notes = told(&project, "one..two", what);
    // With the line ends that the user has asked for, and without what is left out of a sparse
    // checkout.
    assert_eq!(notes, ["ran run.sh 5", "ran run.sh 5"]);
    clean(&project);
}

#[test]
fn each_revision_reads_what_its_own_build_wrote_elsewhere() {
    if let Err(why) = proofmark_measure::View::usable() {
        support::skipped(&format!("private mount namespaces ({why})"));
        return;
    }
    let project = repository();
    let source = "#include <stdio.h>
const volatile int state = STATE;
int main(int c, char **v) {
    int n = 0;
    FILE *f = fopen(v[1], \"r\");
    if (!f || fscanf(f, \"%d\", &n) != 1) return 2;
    printf(\"%d\\n\", n);
}
";
    for state in ["1", "2"] {
        fs::write(inside(&project, "bench/table"), state).unwrap();
        let source = source.replace("STATE", state);
        fs::write(inside(&project, "bench/read.c"), source).unwrap();
        commit(&project, &format!("table{state}"));
    }
    // Nothing of it lies in the folder of everybody's files, where what builds leave is theirs.
    let table = project.path("made/table");
    let build = format!(
        "mkdir -p {}; cp table {}; cc -O1 -c read.c && cc -o read read.o",
        project.path("made").display(),
        table.display()
    );
    let table = table.to_str().unwrap();
    // The second time no build is made, and no table lies there.
    for gone in [false, true] {
        if gone {
            fs::remove_file(table).unwrap();
        }
        let mut arguments = vec!["compare", "--rev", "table1..table2", "--build", &build];
        arguments.extend(["--blocks", "3", "--skip", "instructions", "--", "{}", table]);
        let mut command = project.command(&arguments);
        command
            .current_dir(inside(&project, "bench"))
            .env("XDG_CACHE_HOME", project.path("cache"))
            .env("GIT_CONFIG_GLOBAL", project.path("gitconfig"));
        let said = Said::from(command.output().unwrap());
        assert_eq!(said.code, Some(3), "{said:#?}");
        assert!(said.err.contains("“2”, and not “1”"), "{said:#?}");
    }
}

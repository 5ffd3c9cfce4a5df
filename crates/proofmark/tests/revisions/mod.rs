//! Two revisions of a git repository compared in one go.

mod again;
mod checkout;
mod compared;
mod refused;
mod tree;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::support::{Project, Said};

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
    arguments.extend([
        "--skip",
        "instructions",
        "--json",
        "--measure-equal",
        "--repeat",
        "1",
    ]);
    // What is built is in question, and not how it is laid out or how runs share the machine.
    arguments.extend(["--schedule", "interleaved"]);
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

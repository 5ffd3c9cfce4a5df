//! Ends and repositories that are refused.

use std::fs;
use std::process::Command;

use super::Bisected as _;
use crate::support::repository::{
    BUILD_SUMMED, DESIGN, METRIC, Repository, SUMMED, document, extra, summing,
};
use crate::support::{Said, has};

#[test]
fn ends_that_are_none_are_refused_by_name() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    repository.states(&["one", "two", "three"]);
    repository.git(&["checkout", "--quiet", "-b", "side", "one"]);
    repository.states(&["beside"]);
    repository.git(&["checkout", "--quiet", "main"]);
    let refused = |good: &str, bad: &str, script: &str| {
        let said = repository.bisect(&["--good", good, "--bad", bad, "--run", script]);
        assert!(matches!(said.code, Some(2..=4)), "{said:#?}");
        said.err
    };
    let is_new = "! grep -q three state";
    let base = repository.name("one")[..12].to_owned();
    let cases = [
        (
            refused("three", "one", is_new),
            "give them the other way round",
        ),
        (refused("one", "one", is_new), "are one commit"),
        (
            refused("beside", "three", is_new),
            &*format!("they parted at {base}"),
        ),
        (
            refused("nothing", "three", is_new),
            "`nothing` is no revision",
        ),
        (refused("one", "WORK", is_new), "WORK is no commit"),
        // The ends are judged first.
        (
            refused("one", "two", is_new),
            "of the end that was called bad, where it has to say 1 to 124",
        ),
        (
            refused("one", "three", "exit 1"),
            "of the end that was called good, where it has to say 0",
        ),
        (
            refused("one", "three", "kill -9 $$"),
            "was ended by a signal",
        ),
        (refused("one", "three", "exit 125"), "exit code 125"),
    ];
    for (said, expected) in cases {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let nowhere = repository
        .project
        .command(&["bisect", "--good", "one", "--run", "true"])
        .output();
    let nowhere = Said::from(nowhere.unwrap());
    assert!(
        nowhere.code == Some(2) && nowhere.err.contains("git repository"),
        "{nowhere:#?}"
    );
    // The commits at both ends are there, and not what lies between them.
    let clone = format!("file://{}", repository.folder().display());
    repository.git(&["clone", "--quiet", "--depth", "1", &clone, "../shallow"]);
    let shallow = repository.project.path("shallow");
    let folder = shallow.to_str().unwrap();
    let bisected = || {
        let mut command = repository.project.command(&["bisect", "--good", "one"]);
        let command = command.args(["--run", "true"]).current_dir(&shallow);
        Said::from(command.output().unwrap())
    };
    let said = bisected();
    assert_eq!(said.code, Some(2), "{said:#?}");
    let next = "`git fetch --unshallow --tags` gets the others";
    assert!(
        said.err.contains("it is shallow") && said.err.contains(next),
        "{said:#?}"
    );
    let fetch = ["-C", folder, "fetch", "--quiet", "--depth", "1", "origin"];
    repository.git(&[&fetch[..], &["tag", "one"]].concat());
    let said = bisected();
    let cut = "the clone is shallow: the parents of ";
    assert_eq!(said.code, Some(4), "{said:#?}");
    assert!(
        said.err.contains(cut) && said.err.contains("`git fetch --unshallow` gets them"),
        "{said:#?}"
    );
}

/// All commits are there, and of most the files are not.
#[test]
fn a_partial_clone_is_named() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    repository.states(&["one", "two", "three"]);
    let clone = format!("file://{}", repository.folder().display());
    repository.git(&["config", "uploadpack.allowFilter", "true"]);
    let partial = [
        "clone",
        "--quiet",
        "--filter=blob:none",
        &clone,
        "../partial",
    ];
    repository.git(&partial);
    let mut command = repository.project.command(&["bisect", "--good", "one"]);
    let command = command.args(["--run", "true"]);
    let partial = command.current_dir(repository.project.path("partial"));
    let said = Said::from(partial.output().unwrap());
    assert_eq!(said.code, Some(4), "{said:#?}");
    assert!(
        said.err.contains("the clone is partial") && said.err.contains("--refetch --no-filter"),
        "{said:#?}"
    );
}

/// git takes such a repository for none, or for an empty one.
#[test]
fn a_repository_that_is_not_whole_is_damaged() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    repository.states(&["one", "two"]);
    let refused = |folder: &str, expected: &str| {
        let mut command = repository
            .project
            .command(&["bisect", "--good", "one", "--run", "true"]);
        let said = Said::from(
            command
                .current_dir(repository.folder().join(folder))
                .output()
                .unwrap(),
        );
        assert_eq!(said.code, Some(5), "{said:#?}");
        assert!(said.err.contains(expected), "{expected}: {said:#?}");
    };
    // The one around it would be taken for it.
    fs::create_dir_all(repository.folder().join("inner/.git")).unwrap();
    refused("inner", "inner/.git for no repository");
    let objects = repository.folder().join(".git/objects");
    fs::remove_dir_all(&objects).unwrap();
    refused("", "repository/.git for no repository");
    fs::create_dir(&objects).unwrap();
    refused("", "it has no object for");
}

#[test]
fn names_of_several_commits_are_refused_with_all_of_them() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    repository.states(&["one", "two", "three"]);
    let [one, two, three] = ["one", "two", "three"].map(|tag| repository.name(tag));
    // A tag and a branch; git takes the tag.
    repository.git(&["branch", "two", "one"]);
    // A branch that is called as a commit begins.
    repository.git(&["branch", &three[..7], "one"]);
    repository.git(&["update-ref", "refs/heads/HEAD", "one"]);
    // One commit under two names is one commit.
    repository.git(&["branch", "one", "one"]);
    let said = |good: &str| repository.bisect(&["--good", good, "--run", "! grep -q three state"]);
    for (name, ways) in [
        ("two", [("refs/tags/two", &two), ("refs/heads/two", &one)]),
        ("two~1", [("refs/tags/two", &two), ("refs/heads/two", &one)]),
        (&three[..7], [("refs/heads/", &one), ("a commit", &three)]),
        ("HEAD", [("refs/heads/HEAD", &one), ("HEAD", &three)]),
    ] {
        let refused = said(name);
        assert_eq!(refused.code, Some(2), "{name}: {refused:#?}");
        for (way, commit) in ways {
            let said = refused
                .err
                .split(['\n', ' '])
                .collect::<Vec<&str>>()
                .join(" ");
            assert!(
                said.contains(way) && said.contains(commit),
                "{name}: {said}"
            );
        }
    }
    let known = ["--bad", "main", "--run", "! grep -q three state", "--json"];
    let known = [&["bisect", "--good", "one"], &known[..]].concat();
    let found = document(&repository.bisect(&known[1..]));
    assert_eq!(found["commits"][0]["id"], three, "{found:#}");

    // Commits enough for two of them to begin alike.
    let commit = |number: usize| {
        format!(
            "commit refs/heads/many\ncommitter T <t@example.org> {number} +0000\ndata 0\nfrom {three}\n\n"
        )
    };
    let stream: String = (1..1500).map(commit).collect();
    repository.write("stream", &stream);
    repository.git(&[
        "-c",
        "alias.import=!git fast-import --quiet --force < stream",
        "import",
    ]);
    let check = "--batch-check=%(objectname) %(objecttype)";
    let all = repository.git(&["cat-file", "--batch-all-objects", check]);
    let commits = all.lines().filter_map(|line| line.strip_suffix(" commit"));
    let names: Vec<&str> = commits.collect();
    let pair = names
        .windows(2)
        .find(|two| two[0][..4] == two[1][..4])
        .unwrap();
    let refused = said(&pair[0][..4]);
    assert!(
        refused.code == Some(2) && pair.iter().all(|name| refused.err.contains(name)),
        "{refused:#?}"
    );
}

#[test]
fn builds_that_fail_at_an_end_are_refused() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", "int main(void) { return 0; }\n");
    repository.commit("one");
    repository.git(&["mv", "main.c", "start.c"]);
    repository.commit("two");
    let refused = |build: &str| {
        let asked = [
            "--good", "one", "--bad", "two", "--build", build, "--", "{}",
        ];
        let said = repository.bisect(&asked);
        assert_eq!(said.code, Some(3), "{said:#?}");
        said.err
    };
    let said = refused("false");
    assert!(said.contains("the older end cannot be built"), "{said}");
    let said = refused("cc -c main.c && cc -o prog main.o");
    assert!(said.contains("works at the older end and not at"), "{said}");
}

/// Nothing of the repository's or the user's own runs: neither hooks nor a monitor nor what a
/// configuration names; and names do not colour the terminal.
#[test]
fn a_hostile_repository_runs_nothing() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    let trap = repository.project.path("trap");
    repository.write("state", "one");
    repository.commit("one");
    repository.write("state", "two");
    repository.git(&["add", "--all"]);
    repository.git(&[
        "commit",
        "--quiet",
        "--author",
        "\u{1b}[31mred <e@e.org>",
        "--message",
        "\u{1b}[2Jgone",
    ]);
    repository.git(&["tag", "two"]);
    let hook = format!("#!/bin/sh\ntouch {}\n", trap.display());
    for name in [
        "post-checkout",
        "pre-commit",
        "reference-transaction",
        "fsmonitor",
    ] {
        let path = repository.folder().join(".git/hooks").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &hook).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&path, mode).unwrap();
    }
    let monitor = repository.folder().join(".git/hooks/fsmonitor");
    for (key, value) in [
        ("core.fsmonitor", monitor.to_str().unwrap()),
        ("log.showSignature", "true"),
        ("core.pager", monitor.to_str().unwrap()),
    ] {
        let config = repository.folder().join(".git/config");
        let status = Command::new("git")
            .args(["config", "--file"])
            .arg(config)
            .args([key, value])
            .status();
        assert!(status.unwrap().success());
    }
    let said = repository.bisect(&[
        "--good",
        "one",
        "--bad",
        "two",
        "--run",
        "grep -q one state",
    ]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(!trap.exists());
    assert!(
        !said.out.contains('\u{1b}') && !said.err.contains('\u{1b}'),
        "{said:#?}"
    );
}

/// What only drawn images do is no commit's fault.
#[test]
fn no_commit_is_blamed_for_what_drawn_images_alone_do() {
    if !has(&["cc", "git", "valgrind"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", SUMMED);
    repository.write("extra.c", &extra(0));
    let commits = [
        ("start", 100, false),
        ("checks", 100, true),
        ("slower", 150, false),
        ("both", 150, true),
    ];
    for (tag, value, checks) in commits {
        repository.write("value.c", &summing(value, checks));
        repository.commit(tag);
    }
    let bisected = |bad: &str, more: &[&str]| {
        let ends = ["--good", "start", "--bad", bad, "--seed", "1"];
        let fixed = ["--build", BUILD_SUMMED, "--json"];
        let run = [&DESIGN[..], &METRIC, &["--", "{}"]].concat();
        repository.bisect(&[&ends[..], more, &fixed, &run].concat())
    };
    // Of the ends, and of the commit that a step takes for the first slow one.
    for bad in ["checks", "both", "slower"] {
        let said = bisected(bad, &[]);
        assert_eq!(said.code, Some(2), "{bad}: {said:#?}");
        let text = said.err.split_whitespace().collect::<Vec<&str>>().join(" ");
        assert!(text.contains("does other work in layouts"), "{text}");
        assert!(text.contains("--layouts as-shipped"), "{text}");
    }
    let found = document(&bisected("slower", &["--layouts", "as-shipped"]));
    assert_eq!(found["answer"], "found", "{found:#}");
    let name = repository.name("slower");
    assert_eq!(found["commits"][0]["id"], name, "{found:#}");
}

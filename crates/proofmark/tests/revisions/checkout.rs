//! The copy of a revision has what a checkout of the user's would have.

use std::fs;

use super::{BUILD, clean, commit, compare, git, git_in, inside, noted, repository, told};
use crate::support::{Said, has};

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

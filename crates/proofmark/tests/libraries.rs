//! A build is its program and the libraries that it loads: each build is measured with its own, or not at all.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod support;

use std::fs;
use std::process::Command;

use support::{Project, Said};

/// A program, the library that does its work, and a build with an absolute RPATH, as CMake's own builds have.
fn with_library(project: &Project) {
    project.write(
        "main.c",
        "#include <stdio.h>\nint answer(void);\nint main(void) { printf(\"%d\\n\", answer()); }\n",
    );
    project.write(
        "build.sh",
        "set -e\necho \"int answer(void) { return $1; }\" > answer.c\ncc -O2 -fPIC -c answer.c\ncc -shared -o libanswer.so answer.o\ncc -O2 -c main.c\ncc -o prog main.o -L. -lanswer -Wl,-rpath,\"$PWD\"\n",
    );
}

fn build(project: &Project, answer: &str) {
    let status = Command::new("sh")
        .args(["build.sh", answer])
        .current_dir(project.path("."))
        .status()
        .unwrap();
    assert!(status.success());
}

fn compare(project: &Project, base: &str, new: &str) -> Said {
    project.run(&[
        "compare",
        base,
        new,
        "--image",
        "prog",
        "--blocks",
        "3",
        "--skip",
        "instructions",
        "--",
        "{}",
    ])
}

#[test]
fn a_library_that_was_made_since_stops_the_comparison() {
    let project = Project::new();
    with_library(&project);
    let capture = |name: &str, answer: &str| {
        project.done(&[
            "capture", name, "--image", "prog", "--", "sh", "build.sh", answer,
        ]);
    };
    capture("base", "1");
    capture("new", "2");
    let said = compare(&project, "base", "new");
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(
        said.err.contains("base was captured with another"),
        "{said:#?}"
    );
    assert!(said.err.contains("libanswer.so"), "{said:#?}");
    assert!(!said.err.contains("new was captured"), "{said:#?}");
    // The same library for both is none's fault, and a library that is gone is.
    capture("base", "2");
    assert_eq!(compare(&project, "base", "new").code, Some(0));
    fs::remove_file(project.path("libanswer.so")).unwrap();
    let said = compare(&project, "base", "new");
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("no longer there"), "{said:#?}");
}

#[test]
fn a_library_that_is_opened_by_name_counts_too() {
    let project = Project::new();
    project.write(
        "main.c",
        "#include <dlfcn.h>\nint main(void) { void *l = dlopen(\"./plugin.so\", RTLD_NOW); return l ? ((int (*)(void))dlsym(l, \"answer\"))() : 9; }\n",
    );
    project.write(
        "build.sh",
        "set -e\necho \"int answer(void) { return 0 * $1; }\" > answer.c\ncc -O2 -fPIC -c answer.c\ncc -shared -Wl,-soname,plugin$1 -o plugin.so answer.o\ncc -O2 -c main.c\ncc -o prog main.o -ldl\n",
    );
    for (name, answer) in [("base", "1"), ("new", "2")] {
        project.done(&[
            "capture", name, "--image", "prog", "--", "sh", "build.sh", answer,
        ]);
    }
    let said = compare(&project, "base", "new");
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("plugin.so"), "{said:#?}");
}

#[test]
fn executables_that_share_a_newer_library_are_not_compared() {
    let project = Project::new();
    with_library(&project);
    build(&project, "1");
    fs::copy(project.path("prog"), project.path("prog.old")).unwrap();
    let compare = || {
        project.run(&[
            "compare",
            "./prog.old",
            "./prog",
            "--blocks",
            "3",
            "--skip",
            "instructions",
            "--",
            "{}",
        ])
    };
    // Nothing has been made since: both are meant to load what is there.
    assert_eq!(compare().code, Some(0));
    build(&project, "2");
    let said = compare();
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(
        said.err.contains("prog.old loads") && said.err.contains("libanswer.so"),
        "{said:#?}"
    );
}

//! Builds that cannot be captured, and what is said about them.

mod image;
mod objects;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::support::{Project, c_program, has};
use proofmark_capture::{BuildError, RelinkCheck, capture};

const MAKEFILE: &str = "prog: main.o twice.o\n\tgcc -o $@ main.o twice.o -lm\n%.o: %.c\n\tgcc -O2 -c -o $@ $<\nclean:\n\trm -f *.o prog\n";

fn project() -> Project {
    let project = Project::new();
    c_program(&project).file("Makefile", MAKEFILE);
    project
}

/// Nothing is listed, and nothing of the session is left.
fn assert_nothing_stored(project: &Project) {
    let builds = project.builds();
    assert!(builds.list().unwrap().builds.is_empty());
    let sessions = project.root.join(".proofmark/capturing");
    assert!(!sessions.exists() || fs::read_dir(sessions).unwrap().next().is_none());
}

#[test]
fn a_failing_build() {
    let project = project();
    let error = project
        .try_capture(&["sh", "-c", "echo it went wrong; exit 7"])
        .unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, BuildError::BuildFailed { .. }));
    assert!(
        text.contains("exit status: 7") && text.contains("it went wrong"),
        "{text}"
    );
    assert_nothing_stored(&project);
    assert!(matches!(
        project.try_capture(&["no-such-program"]).unwrap_err(),
        BuildError::CannotStart { .. }
    ));
    assert!(matches!(
        project.try_capture(&[]).unwrap_err(),
        BuildError::NoCommand
    ));
}

#[test]
fn a_build_that_links_nothing() {
    if !has("make") || !has("gcc") {
        return;
    }
    let project = project();
    let error = project.try_capture(&["true"]).unwrap_err();
    assert!(matches!(error, BuildError::NothingLinked { .. }), "{error}");
    assert!(error.to_string().contains("make clean"));
    project.run(&["make"]);
    let error = project.try_capture(&["make"]).unwrap_err();
    assert!(matches!(error, BuildError::NothingLinked { .. }), "{error}");
    let mut request = project.request("base", &["make"]);
    request.image = Some("prog".into());
    let error = capture(&project.builds(), &request).unwrap_err();
    assert!(matches!(error, BuildError::ImageOld { .. }), "{error}");
    assert_nothing_stored(&project);
}

#[test]
fn a_build_that_keeps_nothing() {
    if !has("gcc") {
        return;
    }
    let project = project();
    let error = project
        .try_capture(&["sh", "-ec", "gcc main.c twice.c -lm -o prog; rm prog"])
        .unwrap_err();
    assert!(
        matches!(&error, BuildError::NothingLeft { gone } if gone == &[project.root.join("prog")]),
        "{error}"
    );
}

#[test]
fn a_linker_started_past_the_shims_is_noticed() {
    if !has("gcc") || !has("ld.bfd") {
        return;
    }
    let project = project();
    fs::create_dir(project.root.join("own")).unwrap();
    std::os::unix::fs::symlink("/usr/bin/ld.bfd", project.root.join("own/ld")).unwrap();
    for image in [None, Some("prog".into())] {
        let mut request = project.request(
            "base",
            &["gcc", "-Bown", "main.c", "twice.c", "-lm", "-o", "prog"],
        );
        request.image = image;
        let error = capture(&project.builds(), &request).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, BuildError::Bypassed { .. }), "{text}");
        for way in [
            "--ld-path",
            "-fuse-ld=/absolute",
            "-B FOLDER",
            "an `ld` that the build starts itself",
            "mold -run",
            "zig cc",
        ] {
            assert!(text.contains(way), "{text}");
        }
    }
    assert_nothing_stored(&project);
}

#[test]
fn paths_with_spaces_colons_and_bytes_that_are_no_text() {
    if !has("gcc") {
        return;
    }
    for name in [&b"sp ace"[..], b"co:lon", b"byt\xffes", b"$HOME'\"#"] {
        for compiler in ["gcc", "clang-19"] {
            if !has(compiler) {
                continue;
            }
            let project = Project::below(OsStr::from_bytes(name));
            c_program(&project);
            let script = format!(
                "{compiler} -O2 -c main.c -o \"$PWD/ma in.o\"; {compiler} -O2 -c twice.c; {compiler} \"$PWD/ma in.o\" twice.o -lm -o prog"
            );
            let capture = project.capture(&["sh", "-ec", &script]);
            let link = capture.image(None).unwrap();
            assert_eq!(link.output, project.root.join("prog"));
            assert_eq!(link.relink, RelinkCheck::Identical, "{name:?} {compiler}");
            assert_eq!(capture.unseen().count(), 0, "{:?}", capture.objects);
            let found = project.builds().find("base").unwrap();
            assert_eq!(
                found.image(Some(Path::new("prog"))).unwrap().recipe,
                link.recipe
            );
        }
    }
}

#[test]
fn exits_and_signals_of_tools_reach_the_build() {
    if !has("gcc") {
        return;
    }
    let project = project();
    project
        .file("broken.c", "int main(void) { return undefined_thing(); }\n")
        .file("wrong.c", "int main(\n");
    let script = "gcc main.c twice.c -lm -o prog; set +e; gcc broken.c -o broken 2>link.log; echo $? >link.status; gcc -c wrong.c 2>compile.log; echo $? >compile.status; exit 0";
    let capture = project.capture(&["sh", "-ec", script]);
    assert_eq!(capture.links.len(), 1);
    assert_eq!(
        fs::read_to_string(project.root.join("link.status")).unwrap(),
        "1\n"
    );
    assert_eq!(
        fs::read_to_string(project.root.join("compile.status")).unwrap(),
        "1\n"
    );
    assert!(
        fs::read_to_string(project.root.join("link.log"))
            .unwrap()
            .contains("undefined_thing")
    );
}

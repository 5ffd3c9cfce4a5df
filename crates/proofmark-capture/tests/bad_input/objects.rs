//! Objects that nobody saw, or that were not built now.

use std::fs;
use std::path::Path;

use proofmark_capture::{BuildError, RelinkCheck, Seen, capture};

use super::{assert_nothing_stored, project};
use crate::support::has;

#[test]
fn objects_that_were_not_rebuilt_are_counted_with_what_was_different() {
    if !has("make") || !has("gcc") {
        return;
    }
    let project = project();
    project.file(
        "Makefile",
        "prog: main.o twice.o\n\tgcc -o $@ main.o twice.o -lm\n%.o: %.c\n\tgcc $(CFLAGS) -c -o $@ $<\n",
    );
    project.capture(&["make", "CFLAGS=-O0"]);
    project.run(&["rm", "prog"]);
    let mut request = project.request("new", &["make", "CFLAGS=-O2"]);
    request.env.push(("CPPFLAGS".into(), "-DX".into()));
    let new = capture(&project.builds(), &request).unwrap();
    let [stale] = &new.stale[..] else {
        panic!("{:?}", new.stale);
    };
    assert_eq!((stale.objects, stale.of), (2, 2));
    assert_eq!(stale.capture, "base");
    let text = stale.differs.join("; ");
    for said in [
        "`make CFLAGS=-O0`",
        "`make CFLAGS=-O2`",
        "CPPFLAGS was `` then, and is `-DX` now",
    ] {
        assert!(text.contains(said), "{text}");
    }
    // Some of them: their options differ from the rest's.
    project.run(&["rm", "prog", "main.o"]);
    let some = capture(&project.builds(), &request).unwrap();
    assert_eq!((some.stale[0].objects, some.stale[0].of), (1, 2));
    assert_eq!(some.stale[0].capture, "base");
    let differs = &some.stale[0].differs;
    let told = |clause: &String| clause.contains("`-O0` against `-O2`");
    assert!(differs.iter().any(told), "{differs:?}");
}

#[test]
fn a_source_with_the_name_of_another_does_not_vouch_for_a_copied_object() {
    if !has("clang-19") {
        return;
    }
    let project = project();
    fs::create_dir(project.root.join("sub")).unwrap();
    project.file("sub/twice.c", "int twice(int x) { return x + x; }\n");
    project.run(&["clang-19", "-c", "sub/twice.c", "-o", "cached.bin"]);
    let script = "clang-19 -c twice.c -o mine.o; cp cached.bin twice.o; clang-19 -c main.c; clang-19 main.o twice.o -lm -o prog";
    let error = project.try_capture(&["sh", "-ec", script]).unwrap_err();
    assert!(
        matches!(&error, BuildError::Unseen { objects } if objects[0].0 == "twice.o"),
        "{error}"
    );
}

#[test]
fn objects_that_nobody_saw_are_refused() {
    if !has("make") || !has("gcc") {
        return;
    }
    let project = project();
    project.run(&["make", "twice.o"]);
    let error = project.try_capture(&["make"]).unwrap_err();
    let text = error.to_string();
    assert!(
        matches!(&error, BuildError::Unseen { objects } if objects.len() == 1),
        "{text}"
    );
    assert!(
        text.contains("twice.o")
            && text.contains("older than this build")
            && text.contains("--allow-unseen"),
        "{text}"
    );
    assert_nothing_stored(&project);

    project.run(&["rm", "prog", "main.o"]);
    let mut request = project.request("base", &["make"]);
    request.allow_unseen = true;
    let allowed = capture(&project.builds(), &request).unwrap();
    assert_eq!(allowed.unseen().count(), 1);
    assert!(
        allowed
            .warnings
            .iter()
            .any(|warning| warning.contains("1 of 2 objects")),
        "{:?}",
        allowed.warnings
    );
    assert_eq!(allowed.image(None).unwrap().relink, RelinkCheck::Identical);
}

#[test]
fn an_object_copied_into_the_build_is_refused() {
    if !has("gcc") {
        return;
    }
    let project = project();
    project.run(&["gcc", "-c", "twice.c", "-o", "cached.bin"]);
    let error = project
        .try_capture(&[
            "sh",
            "-ec",
            "cp cached.bin twice.o; gcc -c main.c; gcc main.o twice.o -lm -o prog",
        ])
        .unwrap_err();
    assert!(
        matches!(&error, BuildError::Unseen { objects } if objects[0].1.contains("compiler cache")),
        "{error}"
    );
}

#[test]
fn objects_of_an_earlier_capture_are_known() {
    if !has("make") || !has("gcc") {
        return;
    }
    let project = project();
    project.capture(&["make"]);
    project.file(
        "main.c",
        "int twice(int);\nint main(int c, char **v) { return twice(c + 1); }\n",
    );
    let mut request = project.request("new", &["make"]);
    request.output = proofmark_capture::BuildOutput::Inherit;
    let new = capture(&project.builds(), &request).unwrap();
    let kept = new
        .objects
        .iter()
        .find(|object| object.file == Path::new("twice.o"))
        .unwrap();
    assert_eq!(
        kept.seen,
        Seen::Earlier {
            capture: "base".to_owned()
        }
    );
    assert!(kept.flags.iter().any(|flag| flag == "-O2"));
}

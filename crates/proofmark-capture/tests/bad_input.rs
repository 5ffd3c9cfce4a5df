//! Builds that cannot be captured, and what is said about them.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

#[cfg(test)]
mod support;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use proofmark_capture::{BuildError, RelinkCheck, Seen, capture};
use support::{Project, c_program, has};

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

/// Two programs of one code and other data, linked to one place and moved from there; `more` is
/// what the build does then.
fn two_of_one_code(more: &str) -> (Project, String) {
    let project = Project::new();
    project.file(
        "main.c",
        "extern const int rounds[64]; int main(void) { return rounds[0]; }\n",
    );
    let script = format!(
        "mkdir -p bin dist; gcc -c main.c\nfor n in 3 7; do\n  echo \"const int rounds[64] = {{$n}};\" > data.c\n  gcc -c data.c -o data-$n.o\n  \
         gcc -o out.tmp main.o data-$n.o\n  mv out.tmp bin/p$n\ndone\n{more}\n"
    );
    (project, script)
}

/// What the stored image of a captured program returns.
fn returned(capture: &proofmark_capture::Capture, image: &Path) -> Option<i32> {
    let link = capture.image(Some(image)).unwrap();
    let names_data = |given: &Path| given.to_string_lossy().starts_with("data-");
    let data = link
        .recipe
        .inputs
        .iter()
        .find(|input| names_data(&input.given));
    let code = std::process::Command::new(&link.image)
        .status()
        .unwrap()
        .code();
    // The recipe is the image's own too.
    let linked = data.map(|input| input.given.to_string_lossy().into_owned());
    assert_eq!(linked, code.map(|code| format!("data-{code}.o")));
    code
}

#[test]
fn programs_of_one_code_and_other_data_are_told_apart() {
    if !has("gcc") || !has("strip") || !has("install") {
        return;
    }
    for (more, folder) in [
        ("", "bin"),
        ("install -s bin/p3 bin/p7 dist", "dist"),
        ("cp bin/p7 dist; cp bin/p3 dist", "dist"),
        ("strip bin/p3 bin/p7; ln -f bin/p3 bin/p7 dist", "dist"),
    ] {
        let (project, script) = two_of_one_code(more);
        for code in [3, 7] {
            let place = PathBuf::from(format!("{folder}/p{code}"));
            let mut request = project.request("base", &["sh", "-ec", &script]);
            request.image = Some(place.clone());
            let capture = capture(&project.builds(), &request).unwrap();
            assert_eq!(returned(&capture, &place), Some(code), "{more}");
            for other in [3, 7] {
                let place = PathBuf::from(format!("bin/p{other}"));
                assert_eq!(returned(&capture, &place), Some(other), "{more}");
            }
        }
    }
}

#[test]
fn an_image_outside_of_the_tree_is_not_found_by_its_code_alone() {
    if !has("gcc") || !has("objcopy") {
        return;
    }
    let elsewhere = tempfile::tempdir().unwrap();
    let installed = elsewhere.path().join("installed");
    let edit = format!(
        "objcopy -O binary -j .rodata bin/p3 ro; printf '\\011' | dd of=ro bs=1 seek=32 conv=notrunc 2>/dev/null; objcopy --update-section .rodata=ro bin/p3 {}",
        installed.display()
    );
    let (project, script) = two_of_one_code(&edit);
    let mut request = project.request("base", &["sh", "-ec", &script]);
    request.image = Some(installed.clone());
    let error = capture(&project.builds(), &request).unwrap_err();
    assert!(matches!(error, BuildError::Bypassed { .. }), "{error}");
}

#[test]
fn a_name_that_several_images_have_is_refused_and_what_is_listed_can_be_typed() {
    if !has("gcc") {
        return;
    }
    let project = project();
    let script = "mkdir -p release debug; for v in release debug; do gcc -DNAME=$v main.c twice.c -lm -o $v/prog; done; gcc main.c twice.c -lm -o other";
    let mut request = project.request("base", &["sh", "-ec", script]);
    request.image = Some("prog".into());
    let error = capture(&project.builds(), &request).unwrap_err();
    let BuildError::SeveralImages { candidates, .. } = &error else {
        panic!("{error}");
    };
    let expected = ["debug/prog", "release/prog"].map(PathBuf::from);
    let mut listed = candidates.clone();
    listed.sort();
    assert_eq!(listed, expected);
    request.image = Some("other".into());
    let whole = capture(&project.builds(), &request).unwrap();
    let error = whole.image(Some(Path::new("prog"))).unwrap_err();
    assert!(matches!(error, BuildError::SeveralImages { .. }), "{error}");
    for name in ["release/prog", "debug/prog", "./debug/prog", "other"] {
        let link = whole.image(Some(Path::new(name))).unwrap();
        assert_eq!(
            link.output,
            project.root.join(name.trim_start_matches("./"))
        );
    }
    // The name alone, where there is one of it.
    request.command = [
        "sh",
        "-ec",
        "mkdir -p out; gcc main.c twice.c -lm -o out/only",
    ]
    .map(Into::into)
    .into();
    request.image = Some("only".into());
    let only = capture(&project.builds(), &request).unwrap();
    assert_eq!(
        only.image(None).unwrap().output,
        project.root.join("out/only")
    );
}

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
fn an_image_that_was_installed_elsewhere_is_found_by_its_code() {
    if !has("gcc") {
        return;
    }
    let project = project();
    let elsewhere = tempfile::tempdir().unwrap();
    let installed = elsewhere.path().join("installed");
    let script = format!(
        "gcc main.c twice.c -lm -o prog; gcc -DX=1 -O1 main.c twice.c -lm -o other; strip -o {} prog",
        installed.display()
    );
    let mut request = project.request("base", &["sh", "-ec", &script]);
    request.image = Some(installed);
    let capture = capture(&project.builds(), &request).unwrap();
    assert_eq!(
        capture.image(None).unwrap().output,
        project.root.join("prog")
    );
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
fn an_image_that_is_not_there() {
    if !has("make") || !has("gcc") {
        return;
    }
    let project = project();
    project
        .file("script", "#!/bin/sh\n")
        .file("text", "nothing\n");
    let mut request = project.request("base", &["sh", "-ec", "make clean; make"]);
    for (image, expected) in [
        ("missing", "there is no missing"),
        ("script", "a script"),
        ("text", "no ELF"),
        (".", "not a file"),
    ] {
        request.image = Some(image.into());
        let error = capture(&project.builds(), &request)
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert_nothing_stored(&project);
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

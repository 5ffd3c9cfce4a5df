//! Which image is meant: by its name, its place, its content, and never by its code alone.

use std::path::{Path, PathBuf};

use proofmark_capture::{BuildError, capture};

use super::{assert_nothing_stored, project};
use crate::support::{Project, has};

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
    request.image = Some(installed.clone());
    let capture = capture(&project.builds(), &request).unwrap();
    let link = capture.image(None).unwrap();
    assert!(
        link.aliases.contains(&project.root.join("prog")),
        "{link:?}"
    );
    // And by that name it runs.
    assert_eq!(link.output, installed.canonicalize().unwrap());
}

/// As `cmake --install` does with the RPATH.
#[test]
fn an_edited_copy_elsewhere_is_told_from_a_link_that_was_not_seen() {
    if !has("gcc") || !has("patchelf") {
        return;
    }
    let project = project();
    let script = "gcc main.c twice.c -lm -o prog; mkdir -p inst; cp prog inst/prog; \
                  patchelf --set-rpath '$ORIGIN/../lib' inst/prog";
    let mut request = project.request("base", &["sh", "-ec", script]);
    request.image = Some("inst/prog".into());
    let error = capture(&project.builds(), &request)
        .unwrap_err()
        .to_string();
    assert!(error.contains("a copy of prog that was edited"), "{error}");
    assert!(error.contains("--image prog"), "{error}");
    request.image = Some("prog".into());
    capture(&project.builds(), &request).unwrap();
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

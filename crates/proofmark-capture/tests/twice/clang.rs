//! clang's second compilation sees what its first one saw, or its object is not used.

use std::path::Path;
use std::process::Command;

use proofmark_capture::Capture;

use super::{link, whole};
use crate::support::{Project, c_program, has};

/// A function whose alignment says what was compiled.
const ALIGNED: &str = "__attribute__((aligned(ALIGN))) int twice(int x) { return x + x; }\n";

/// The alignment of `.text.twice` as a power of two, in the object that layouts are made of.
fn power(capture: &Capture, object: &str) -> Option<u32> {
    let inputs = &link(capture).recipe.inputs;
    let input = inputs.iter().find(|input| input.given == Path::new(object));
    let output = Command::new("objdump")
        .arg("-h")
        .arg(&input?.blob)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.contains(" .text.twice "))?;
    line.rsplit("2**").next()?.trim().parse().ok()
}

#[test]
fn variables_that_the_build_exports() {
    if !has("clang-19") {
        return;
    }
    let project = Project::new();
    c_program(&project)
        .file("twice.c", &format!("#include <align.h>\n{ALIGNED}"))
        .file("plain/align.h", "#define ALIGN 16\n")
        .file("own/align.h", "#define ALIGN 64\n");
    // What the capture itself has leads to the other header.
    let script = "C_INCLUDE_PATH=own; export C_INCLUDE_PATH; clang-19 -O2 -c twice.c; \
                  clang-19 -O2 main.c twice.o -lm -o prog";
    let mut request = project.request("base", &["sh", "-ec", script]);
    request.env = vec![("C_INCLUDE_PATH".into(), "plain".into())];
    let capture = proofmark_capture::capture(&project.builds(), &request).unwrap();
    whole(&capture);
    assert_eq!(power(&capture, "twice.o"), Some(6));
}

#[test]
fn a_source_that_is_rewritten_between_compilations() {
    if !has("clang-19") {
        return;
    }
    let project = Project::new();
    c_program(&project)
        .file("rest", ALIGNED)
        .file("twice.c", "")
        .file("unused.c", "");
    let script = "(echo '#define ALIGN 64'; cat rest) > twice.c; clang-19 -O2 -c twice.c; \
                  echo 'int twice(int x) { return x + x; }' > twice.c; \
                  clang-19 -O2 main.c twice.o -lm -o prog";
    let capture = project.capture(&["sh", "-ec", script]);
    let twice = link(&capture).twice.as_ref().unwrap();
    match twice.lacking.as_slice() {
        [] => assert_eq!(power(&capture, "twice.o"), Some(6)),
        [lacking] => assert!(
            format!("{lacking:?}").contains("was changed after it was compiled"),
            "{lacking:?}"
        ),
        more => panic!("{more:?}"),
    }
}

#[test]
fn options_that_clang_writes_down_are_named() {
    if !has("clang-19") {
        return;
    }
    let project = Project::new();
    c_program(&project);
    for (option, said) in [("-frecord-command-line", true), ("-g", false)] {
        let script = format!("clang-19 -O2 {option} main.c twice.c -lm -o prog");
        let capture = project.capture(&["sh", "-ec", &script]);
        assert_eq!(!capture.warnings.is_empty(), said, "{:?}", capture.warnings);
        assert!(capture.warnings.iter().all(|one| one.contains(option)));
    }
}

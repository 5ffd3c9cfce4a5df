//! Builds by make, with the compilers and linkers that there are.

mod archives;
mod links;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::support::{Project, c_program, has};
use proofmark_capture::{Capture, LinkKind, RelinkCheck, Seen, ToolRole};
use proofmark_layout::LinkerKind;

const MAKEFILE: &str = "prog: main.o twice.o\n\t$(CC) $(LDFLAGS) -o $@ main.o twice.o -lm\n%.o: %.c\n\t$(CC) $(CFLAGS) -c -o $@ $<\nclean:\n\trm -f *.o prog\n";

fn project() -> Project {
    let project = Project::new();
    c_program(&project).file("Makefile", MAKEFILE);
    project
}

/// Function sections that an object has.
fn function_sections(object: &Path) -> usize {
    let output = Command::new("objdump")
        .arg("-h")
        .arg(object)
        .output()
        .unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .split_whitespace()
        .filter(|word| word.starts_with(".text.") && *word != ".text.startup")
        .count()
}

/// One executable, linked again to the same bytes, all of its objects seen.
fn assert_whole(capture: &Capture) {
    let link = capture.image(None).unwrap();
    assert_eq!(link.relink, RelinkCheck::Identical, "{capture:?}");
    assert_eq!(link.problems, [] as [String; 0]);
    assert_eq!(capture.warnings, [] as [String; 0]);
    assert_eq!(
        fs::read(&link.image).unwrap(),
        fs::read(&link.output).unwrap()
    );
    assert_eq!(
        fs::metadata(&link.image).unwrap().permissions().mode() & 0o777,
        0o555
    );
    assert!(!capture.objects.is_empty());
    assert_eq!(capture.unseen().count(), 0);
}

#[test]
fn a_build_with_gcc_is_captured_unchanged() {
    if !has("make") || !has("gcc") {
        return;
    }
    let project = project();
    let capture = project.capture(&["make", "CC=gcc", "CFLAGS=-O2 -g -DX=\"a\\ b\""]);
    assert_whole(&capture);
    let link = capture.image(None).unwrap();
    assert_eq!(link.output, project.root.join("prog"));
    assert_eq!(link.kind, LinkKind::Executable);
    assert_eq!(function_sections(&project.root.join("main.o")), 0);
    let second = capture.image(None).unwrap().recipe.inputs.iter();
    let mut second = second.filter(|input| input.given == Path::new("main.o"));
    assert!(function_sections(&second.next().unwrap().blob) >= 2);
    assert!(
        link.comments.iter().any(|text| text.starts_with("GCC: ")),
        "{:?}",
        link.comments
    );
    assert!(
        link.producers.iter().any(|text| text.starts_with("GNU C")),
        "{:?}",
        link.producers
    );
    let main = capture
        .objects
        .iter()
        .find(|object| object.file == Path::new("main.o"))
        .unwrap();
    assert_eq!(main.seen, Seen::Compiled);
    assert_eq!(main.source.as_deref(), Some(&*project.root.join("main.c")));
    assert!(
        main.flags.iter().any(|flag| flag == "-O2"),
        "{:?}",
        main.flags
    );
    assert!(main.compiler.as_ref().unwrap().ends_with("cc1"));
    for role in [
        ToolRole::Driver,
        ToolRole::Compiler,
        ToolRole::Assembler,
        ToolRole::Linker,
    ] {
        let tool = capture
            .toolchain
            .iter()
            .find(|tool| tool.role == role)
            .unwrap();
        assert_eq!(tool.hash.len(), 64);
        assert!(
            !tool.version.is_empty()
                && tool
                    .libraries
                    .iter()
                    .any(|library| library.path.to_string_lossy().contains("libc")),
            "{tool:?}"
        );
    }
    assert_eq!(capture.toolchain.len(), 4, "{:?}", capture.toolchain);
}

#[test]
fn a_build_with_clang_is_captured_unchanged() {
    if !has("make") || !has("clang-19") {
        return;
    }
    let project = project();
    let capture = project.capture(&["make", "CC=clang-19", "CFLAGS=-O1 -g -Werror"]);
    assert_whole(&capture);
    assert_eq!(function_sections(&project.root.join("main.o")), 0);
    let second = capture.image(None).unwrap().recipe.inputs.iter();
    let mut second = second.filter(|input| input.given == Path::new("main.o"));
    assert!(function_sections(&second.next().unwrap().blob) >= 2);
    let main = capture
        .objects
        .iter()
        .find(|object| object.file == Path::new("main.o"))
        .unwrap();
    assert_eq!(main.source.as_deref(), Some(&*project.root.join("main.c")));
    assert!(
        main.flags.iter().any(|flag| flag == "-O1"),
        "{:?}",
        main.flags
    );
    assert!(
        !main.flags.iter().any(|flag| flag == "-ffunction-sections"),
        "{:?}",
        main.flags
    );
    assert!(
        capture
            .image(None)
            .unwrap()
            .producers
            .iter()
            .any(|text| text.contains("clang version 19"))
    );
}

#[test]
fn linkers_named_by_the_build_are_used() {
    if !has("make") || !has("gcc") {
        return;
    }
    let cases = [
        ("gcc", "bfd", "ld.bfd", LinkerKind::GnuLd),
        ("gcc", "gold", "ld.gold", LinkerKind::Gold),
        ("clang-19", "lld", "ld.lld-19", LinkerKind::Lld),
        ("gcc", "mold", "ld.mold", LinkerKind::Mold),
    ];
    for (compiler, name, tool, kind) in cases {
        if !has(compiler) || !has(tool) {
            continue;
        }
        let project = project();
        let capture = project.capture(&[
            "make",
            &format!("CC={compiler}"),
            &format!("LDFLAGS=-fuse-ld={name}"),
        ]);
        assert_whole(&capture);
        assert_eq!(
            capture.image(None).unwrap().recipe.linker.kind,
            kind,
            "{name}"
        );
        let movability = &capture.image(None).unwrap().movability;
        assert_eq!(movability.is_ok(), kind != LinkerKind::Mold);
        if let Err(why) = movability {
            assert!(why.starts_with("layouts cannot be made with mold"), "{why}");
            assert!(why.contains("-fuse-ld=lld"), "{why}");
        }
    }
}

#[test]
fn a_linker_that_the_compiler_would_not_find_is_not_found() {
    if !has("gcc") || !has("clang-19") || crate::support::on_path("ld.lld") {
        return;
    }
    let project = project();
    project.file("probe.sh", "if gcc -fuse-ld=lld main.c twice.c -lm -o with_lld 2>probe.log; then echo yes; else echo no; fi > answer\ngcc -c main.c && gcc -c twice.c && gcc main.o twice.o -lm -o prog\n");
    let capture = project.capture(&["sh", "probe.sh"]);
    assert_whole(&capture);
    assert_eq!(
        fs::read_to_string(project.root.join("answer")).unwrap(),
        "no\n"
    );
    assert!(
        fs::read_to_string(project.root.join("probe.log"))
            .unwrap()
            .contains("cannot find")
    );
}

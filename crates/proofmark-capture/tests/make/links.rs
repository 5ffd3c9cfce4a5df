//! Links of all kinds, and what else a make file may hold.

use std::fs;
use std::path::Path;

use proofmark_capture::{LinkKind, RelinkCheck, Seen};
use proofmark_layout::InputKind;

use super::{assert_whole, project};
use crate::support::has;

#[test]
fn response_files_are_expanded() {
    if !has("gcc") {
        return;
    }
    let project = project();
    project
        .file("inner.rsp", "'twi ce.o' -lm\n")
        .file("link.rsp", "main.o @inner.rsp\n");
    let capture = project.capture(&[
        "sh",
        "-ec",
        "gcc -c main.c; gcc -c twice.c -o 'twi ce.o'; gcc @link.rsp -o prog",
    ]);
    assert_whole(&capture);
    let recipe = &capture.image(None).unwrap().recipe;
    assert!(
        recipe.argv.iter().any(|word| word == "twi ce.o"),
        "{:?}",
        recipe.argv
    );
    assert!(
        !recipe
            .argv
            .iter()
            .any(|word| word.to_string_lossy().starts_with('@')),
        "{:?}",
        recipe.argv
    );
}

#[test]
fn compiled_and_linked_in_one_go() {
    for compiler in ["gcc", "clang-19"] {
        if !has(compiler) {
            continue;
        }
        let project = project();
        let capture = project.capture(&[compiler, "-O2", "main.c", "twice.c", "-lm", "-o", "prog"]);
        assert_whole(&capture);
        assert_eq!(capture.objects.len(), 2);
        assert!(
            capture.objects.iter().all(|object| object.source.is_some()),
            "{:?}",
            capture.objects
        );
        let piped = project.capture(&[
            compiler, "-O2", "-pipe", "main.c", "twice.c", "-lm", "-o", "prog",
        ]);
        assert_whole(&piped);
    }
}

#[test]
fn static_and_assembly() {
    for (compiler, linker, tool) in [
        ("gcc", "-fuse-ld=bfd", "ld.bfd"),
        ("clang-19", "-fuse-ld=lld", "ld.lld-19"),
        ("clang-19", "-fuse-ld=lld-19", "ld.lld-19"),
    ] {
        if !has(compiler) || !has(tool) {
            continue;
        }
        let project = project();
        project.file("asm.s", ".globl twice\n.type twice,@function\n.text\ntwice: lea (%rdi,%rdi), %eax\n ret\n.section .note.GNU-stack,\"\",@progbits\n").file("pre.S", "#define N extra\n.globl N\n.text\nN: ret\n.section .note.GNU-stack,\"\",@progbits\n");
        let script = format!(
            "{compiler} -Werror -c main.c; {compiler} -Werror -c asm.s; {compiler} -Werror -c pre.S; {compiler} -static {linker} main.o asm.o pre.o -lm -o prog"
        );
        let capture = project.capture(&["sh", "-ec", &script]);
        assert_whole(&capture);
        let link = capture.image(None).unwrap();
        assert!(
            link.recipe
                .inputs
                .iter()
                .any(|input| input.given.to_string_lossy().contains("libm-")),
            "the archive behind libm.a"
        );
        assert_eq!(capture.objects.len(), 3);
    }
}

/// GNU ld lists such scripts as they were asked for, and not where it found them.
#[test]
fn scripts_that_stand_beside_libraries() {
    if !has("gcc") {
        return;
    }
    let project = project();
    let script = "SECTIONS { .mine : { *(.mine) } } INSERT AFTER .data;\n";
    project
        .file("sub/in/outer.ld", "INCLUDE inner.ld\n")
        .file("sub/inner.ld", script);
    let build = "gcc -c main.c twice.c; gcc main.o twice.o -lm -Wl,-Lsub,-T,in/outer.ld -o prog";
    let capture = project.capture(&["sh", "-ec", build]);
    assert_whole(&capture);
    assert_eq!(capture.image(None).unwrap().relink, RelinkCheck::Identical);
}

#[test]
fn inputs_that_stand_for_others_are_named() {
    if !has("clang-19") || !has("ld.lld-19") {
        return;
    }
    let project = project();
    let build = "clang-19 -c main.c twice.c; cp twice.o other.o; \
                 clang-19 -fuse-ld=lld main.o twice.o -lm -Wl,--remap-inputs=twice.o=other.o -o prog";
    let capture = project.capture(&["sh", "-ec", build]);
    match &capture.image(None).unwrap().relink {
        RelinkCheck::Failed { why } => assert!(why.contains("--remap-inputs"), "{why}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn shared_library_and_program() {
    if !has("gcc") {
        return;
    }
    let project = project();
    let script = "gcc -fPIC -O2 -c twice.c; gcc -shared -Wl,-soname,libtwice.so.1 twice.o -o libtwice.so.1; ln -sf libtwice.so.1 libtwice.so; gcc -c main.c; gcc main.o -L. -ltwice -lm -o prog";
    let capture = project.capture(&["sh", "-ec", script]);
    assert_eq!(capture.links.len(), 2);
    assert_whole(&capture);
    let library = capture.image(Some(Path::new("libtwice.so"))).unwrap();
    assert_eq!(library.kind, LinkKind::SharedLibrary);
    assert_eq!(library.relink, RelinkCheck::Identical);
}

#[test]
fn relocatable_links_are_kept_with_the_link_that_uses_them() {
    for compiler in ["gcc", "clang-19"] {
        if !has(compiler) {
            continue;
        }
        let project = project();
        let script = format!(
            "{compiler} -O2 -c main.c; {compiler} -O2 -c twice.c; {compiler} -r -nostdlib main.o twice.o -o all.o; {compiler} all.o -lm -o prog; rm all.o"
        );
        let capture = project.capture(&["sh", "-ec", &script]);
        assert_eq!(capture.links.len(), 2, "{capture:?}");
        assert_whole(&capture);
        let merged = capture
            .links
            .iter()
            .find(|link| link.kind == LinkKind::Relocatable)
            .unwrap();
        assert_eq!(merged.relink, RelinkCheck::Identical);
        assert!(
            capture
                .objects
                .iter()
                .any(|object| object.seen == Seen::Linked)
        );
    }
}

#[test]
fn several_links_and_a_version_script() {
    if !has("gcc") {
        return;
    }
    let project = project();
    project
        .file("map file", "{ global: twice; local: *; };\n")
        .file("two.c", "int main(void) { return 0; }\n");
    let script = "gcc -fPIC -c twice.c; gcc -shared -Wl,--version-script,'map file' -Wl,-Map=out.map twice.o -o libt.so; gcc two.c -o two; gcc main.c twice.c -lm -o prog; cp prog copy; strip -o stripped prog; gcc two.c -o gone; rm gone";
    let capture = project.capture(&["sh", "-ec", script]);
    assert_eq!(capture.links.len(), 3);
    assert_eq!(capture.chosen, None);
    assert!(
        capture
            .links
            .iter()
            .all(|link| link.relink == RelinkCheck::Identical),
        "{capture:?}"
    );
    assert!(
        capture
            .image(None)
            .is_err_and(|error| error.to_string().contains("--image"))
    );
    for name in ["prog", "copy", "stripped"] {
        assert_eq!(
            capture.image(Some(Path::new(name))).unwrap().output,
            project.root.join("prog"),
            "{name}"
        );
    }
    let library = capture.image(Some(Path::new("libt.so"))).unwrap();
    assert!(
        library
            .recipe
            .inputs
            .iter()
            .any(|input| input.given == Path::new("map file") && input.kind == InputKind::Script)
    );
}

#[test]
fn the_builds_own_dependency_file_is_left_to_it() {
    for (compiler, linker) in [("gcc", "bfd"), ("clang-19", "lld")] {
        if !has(compiler) {
            continue;
        }
        let project = project();
        let flags = format!("LDFLAGS=-fuse-ld={linker} -Wl,--dependency-file=own.d");
        let capture = project.capture(&["make", &format!("CC={compiler}"), &flags]);
        assert_whole(&capture);
        assert!(
            fs::read_to_string(project.root.join("own.d"))
                .unwrap()
                .contains("twice.o")
        );
    }
}

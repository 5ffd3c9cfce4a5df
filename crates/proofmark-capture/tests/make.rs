//! Builds by make, with the compilers and linkers that there are.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

#[cfg(test)]
mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use proofmark_capture::{Capture, LinkKind, RelinkCheck, Seen, ToolRole};
use proofmark_layout::{InputKind, LinkerKind};
use support::{Project, c_program, has};

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
    if !has("gcc") || !has("clang-19") || support::on_path("ld.lld") {
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

#[test]
fn archives_are_kept_with_their_members() {
    let linkers = [
        ("gcc", "bfd", "ld.bfd"),
        ("gcc", "gold", "ld.gold"),
        ("clang-19", "lld", "ld.lld-19"),
    ];
    for (compiler, linker, tool) in linkers {
        if !has("make") || !has(compiler) || !has(tool) {
            continue;
        }
        for (kind, flags) in [(InputKind::Archive, "rc"), (InputKind::ThinArchive, "rcT")] {
            archive_of(kind, flags, compiler, linker);
        }
    }
}

fn archive_of(kind: InputKind, flags: &str, compiler: &str, linker: &str) {
    let project = project();
    project.file(
        "Makefile",
        &format!(
            "prog: main.o lib/libtwice.a\n\t{compiler} -fuse-ld={linker} -o $@ main.o -Llib/../lib -ltwice -lm\nlib/libtwice.a: lib/twice.o\n\tar {flags} $@ $<\n\
             lib/twice.o: twice.c\n\tmkdir -p lib\n\t{compiler} -O2 -c -o $@ $<\nmain.o: main.c\n\t{compiler} -O2 -c $<\n"
        ),
    );
    let capture = project.capture(&["make"]);
    assert_whole(&capture);
    let recipe = &capture.image(None).unwrap().recipe;
    let archive = recipe
        .inputs
        .iter()
        .find(|input| input.given.ends_with("libtwice.a"))
        .unwrap();
    assert_eq!(
        archive.given,
        Path::new("lib/../lib/libtwice.a"),
        "as the linker opened it, with {linker}"
    );
    assert_eq!(archive.kind, kind);
    let members: Vec<_> = archive
        .members
        .iter()
        .map(|member| member.given.clone())
        .collect();
    assert_eq!(members.is_empty(), kind == InputKind::Archive);
    let member = capture
        .objects
        .iter()
        .find(|object| object.member.is_some())
        .unwrap();
    assert_eq!(member.seen, Seen::Compiled);
    assert!(
        member.source.as_ref().unwrap().ends_with("twice.c"),
        "{member:?}"
    );
}

#[test]
fn a_member_of_an_archive_made_by_clang_is_known_after_its_object_is_gone() {
    if !has("make") || !has("clang-19") {
        return;
    }
    let project = project();
    project.file("build.sh", "set -e\nclang-19 -c twice.c -o renamed.tmp\nmv renamed.tmp t.o\nar rc libt.a t.o\nrm t.o\nclang-19 -c main.c\nclang-19 main.o libt.a -lm -o prog\n");
    let capture = project.capture(&["sh", "build.sh"]);
    assert_whole(&capture);
    let member = capture
        .objects
        .iter()
        .find(|object| object.member.is_some())
        .unwrap();
    assert!(
        member.source.as_ref().unwrap().ends_with("twice.c"),
        "{member:?}"
    );
}

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

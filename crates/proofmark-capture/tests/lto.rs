//! Link-time optimisation: its objects are kept, so that nothing repeats it.

use std::fs;
use std::path::PathBuf;

use crate::support::{Project, c_program, has};
use proofmark_capture::{Capture, RelinkCheck, Seen, ToolRole};
use proofmark_layout::{InputKind, Lto};

fn project() -> Project {
    let project = Project::new();
    c_program(&project);
    project
}

fn lto_objects(capture: &Capture) -> Vec<PathBuf> {
    match capture.image(None).unwrap().recipe.lto.clone().unwrap() {
        Lto::Gcc { objects } | Lto::Clang { objects } => objects,
    }
}

fn function_sections(object: &PathBuf) -> usize {
    let output = std::process::Command::new("objdump")
        .arg("-h")
        .arg(object)
        .output()
        .unwrap();
    String::from_utf8(output.stdout)
        .unwrap()
        .matches(" .text.")
        .count()
}

#[test]
fn gcc_with_gnu_ld_and_gold() {
    if !has("gcc") {
        return;
    }
    for linker in ["bfd", "gold"] {
        if !has(&format!("ld.{linker}")) {
            continue;
        }
        let project = project();
        let script = format!(
            "gcc -O2 -flto -c main.c; gcc -O2 -flto -c twice.c; gcc -O2 -flto=2 -fuse-ld={linker} main.o twice.o -lm -o prog"
        );
        let capture = project.capture(&["sh", "-ec", &script]);
        let link = capture.image(None).unwrap();
        assert_eq!(
            link.relink,
            RelinkCheck::Identical,
            "{linker}: {:?}",
            link.relink
        );
        assert_eq!(link.problems, [] as [String; 0]);
        assert!(matches!(link.recipe.lto, Some(Lto::Gcc { .. })));
        let objects = lto_objects(&capture);
        assert!(objects.iter().all(|object| object.is_file()));
        assert!(
            objects.iter().map(function_sections).sum::<usize>() >= 1,
            "lto1 was asked for function sections"
        );
        assert!(
            link.recipe
                .inputs
                .iter()
                .any(|input| input.kind == InputKind::GccLto)
        );
        assert!(
            capture
                .objects
                .iter()
                .all(|object| object.seen == Seen::Compiled)
        );
        assert!(
            capture
                .toolchain
                .iter()
                .any(|tool| tool.role == ToolRole::LinkerPlugin)
        );
    }
}

#[test]
fn clang_with_lld_full_and_thin() {
    if !has("clang-19") || !has("ld.lld-19") {
        return;
    }
    for (kind, modules) in [("full", 1), ("thin", 2)] {
        let project = project();
        project.run(&["mkdir", "sub"]);
        let script = format!(
            "clang-19 -O2 -flto={kind} -c main.c; clang-19 -O2 -flto={kind} -c twice.c -o sub/twice.o; clang-19 -O2 -flto={kind} -fuse-ld=lld main.o sub/twice.o -lm -o prog"
        );
        project.run(&["sh", "-ec", &script]);
        let plain = fs::read(project.root.join("prog")).unwrap();
        let capture = project.capture(&["sh", "-ec", &script]);
        let link = capture.image(None).unwrap();
        assert!(
            !matches!(link.relink, RelinkCheck::Failed { .. }),
            "{:?}",
            link.relink
        );
        assert_eq!(link.problems, [] as [String; 0]);
        assert_eq!(
            fs::read(&link.image).unwrap(),
            plain,
            "keeping the objects leaves the image as it is"
        );
        assert!(matches!(link.recipe.lto, Some(Lto::Clang { .. })));
        assert_eq!(lto_objects(&capture).len(), modules, "{kind}");
        assert!(
            link.recipe
                .inputs
                .iter()
                .any(|input| input.kind == InputKind::Bitcode)
        );
        assert!(
            capture
                .objects
                .iter()
                .all(|object| object.seen == Seen::Compiled),
            "{:?}",
            capture.objects
        );
        for folder in [project.root.clone(), project.root.join("sub")] {
            let left = fs::read_dir(folder)
                .unwrap()
                .filter(|entry| {
                    entry
                        .as_ref()
                        .unwrap()
                        .file_name()
                        .to_string_lossy()
                        .contains(".lto.")
                })
                .count();
            assert_eq!(left, 0, "nothing is left beside the build's own files");
        }
    }
}

#[test]
fn clang_with_thin_members_of_an_archive() {
    if !has("clang-19") || !has("ld.lld-19") || !has("llvm-ar-19") {
        return;
    }
    let project = project();
    let script = "clang-19 -O2 -flto=thin -c main.c; clang-19 -O2 -flto=thin -c twice.c; llvm-ar-19 rc libt.a twice.o; clang-19 -O2 -flto=thin -fuse-ld=lld main.o -L. -lt -lm -o prog";
    let capture = project.capture(&["sh", "-ec", script]);
    assert_eq!(lto_objects(&capture).len(), 2);
    assert_eq!(capture.unseen().count(), 0, "{:?}", capture.objects);
}

#[test]
fn clang_with_llvms_plugin_for_gnu_ld() {
    if !has("clang-19") || !std::path::Path::new("/usr/lib/llvm-19/lib/LLVMgold.so").exists() {
        return;
    }
    let project = project();
    let script = "clang-19 -O2 -flto -c main.c; clang-19 -O2 -flto -c twice.c; clang-19 -O2 -flto -fuse-ld=bfd main.o twice.o -lm -o prog";
    let capture = project.capture(&["sh", "-ec", script]);
    assert!(!lto_objects(&capture).is_empty());
    let link = capture.image(None).unwrap();
    assert_eq!(link.problems, [] as [String; 0]);
    assert!(
        !matches!(link.relink, RelinkCheck::Failed { .. }),
        "{:?}",
        link.relink
    );
}

#[test]
fn objects_that_cannot_be_written_are_not_asked_for() {
    if !has("clang-19") || !has("ld.lld-19") {
        return;
    }
    let project = project();
    let script = "clang-19 -flto=thin -c main.c; mkdir -p a; clang-19 -flto=thin -c twice.c -o a/twice.o; chmod 555 a; clang-19 -flto=thin -fuse-ld=lld main.o a/twice.o -lm -o prog; chmod 755 a";
    let capture = project.capture(&["sh", "-ec", script]);
    let link = capture.image(None).unwrap();
    if rustix::process::getuid().is_root() {
        assert!(link.recipe.lto.is_some(), "root may write everywhere");
    } else {
        assert!(
            link.problems
                .iter()
                .any(|problem| problem.contains("cannot be written")),
            "{:?}",
            link.problems
        );
    }
}

/// Full optimisation makes one object of all modules, whatever their names are; thin optimisation
/// names an object after each.
#[test]
fn members_of_one_name() {
    if !has("clang-19") || !has("ld.lld-19") || !has("llvm-ar-19") {
        return;
    }
    let project = project();
    project
        .file("x/part.c", "int one(void) { return 1; }\n")
        .file("y/part.c", "int two(void) { return 2; }\n")
        .file(
            "m.c",
            "int one(void), two(void);\nint main(void) { return one() - two() + 1; }\n",
        );
    for (how, kept) in [("full", true), ("thin", false)] {
        let cc = format!("clang-19 -O2 -flto={how}");
        let script = format!(
            "{cc} -c m.c; for part in x y; do {cc} -c $part/part.c -o $part/part.o; done; \
             rm -f lib.a; llvm-ar-19 qc lib.a x/part.o; llvm-ar-19 qs lib.a y/part.o; \
             {cc} -fuse-ld=lld m.o lib.a -o prog"
        );
        match project.try_capture(&["sh", "-ec", &script]) {
            Ok(capture) => {
                assert!(kept, "{how}");
                let link = capture.image(None).unwrap();
                assert_eq!(link.relink, RelinkCheck::Identical, "{:?}", link.problems);
            }
            Err(error) => {
                let said = error.to_string();
                assert!(!kept && said.contains("link-time optimisation"), "{said}");
            }
        }
        let left = fs::read_dir(&project.root).unwrap().flatten();
        let left = left.filter(|file| file.file_name().to_string_lossy().contains(".lto."));
        assert_eq!(left.count(), 0, "{how}");
    }
}

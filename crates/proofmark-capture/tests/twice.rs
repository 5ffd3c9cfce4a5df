//! Each object is compiled a second time, with function sections, and the build is left with
//! exactly what it makes by itself.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

#[cfg(test)]
mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use proofmark_capture::{Capture, CapturedLink, Compile, RelinkCheck, capture};
use proofmark_layout::{InputKind, Recipe};
use support::{Project, c_program, has};

/// Where functions have sections of their own.
fn function_sections(object: &Path) -> usize {
    let output = Command::new("objdump")
        .arg("-h")
        .arg(object)
        .output()
        .unwrap();
    // Parts of code that the compiler sets apart by itself.
    let parts = [".text.startup", ".text.unlikely", ".text.hot", ".text.exit"];
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace()
        .filter(|word| word.starts_with(".text.") && !parts.contains(word))
        .count()
}

/// Function sections in all that a recipe links, but for the system's.
fn sections_of(recipe: &Recipe) -> usize {
    let own = recipe.inputs.iter().filter(|input| {
        let name = input.given.to_string_lossy();
        !name.starts_with("/usr") && !name.starts_with("/lib")
    });
    own.map(|input| match input.kind {
        InputKind::Object | InputKind::Archive => function_sections(&input.blob),
        _ => input
            .members
            .iter()
            .map(|member| function_sections(&member.blob))
            .sum(),
    })
    .sum()
}

fn link(capture: &Capture) -> &CapturedLink {
    capture.image(None).unwrap()
}

/// The build runs without a capture and with one in the same place; the files that it makes are the
/// same to the byte.
fn unchanged(script: &str, files: &[&str]) -> (Project, Capture) {
    let project = Project::new();
    c_program(&project);
    project.run(&["sh", "-ec", script]);
    let read = || -> Vec<Vec<u8>> {
        let all = files.iter();
        all.map(|file| fs::read(project.root.join(file)).unwrap())
            .collect()
    };
    let before = read();
    for file in files {
        fs::remove_file(project.root.join(file)).unwrap();
    }
    let capture = project.capture(&["sh", "-ec", script]);
    for ((file, before), after) in files.iter().zip(before).zip(read()) {
        assert!(before == after, "{script}: {file} is another file");
    }
    let link = link(&capture);
    assert_eq!(
        fs::read(&link.image).unwrap(),
        fs::read(&link.output).unwrap(),
        "as shipped"
    );
    assert_eq!(link.relink, RelinkCheck::Identical);
    assert!(!link.sections_added);
    assert_eq!(capture.warnings, [] as [String; 0]);
    (project, capture)
}

/// Layouts are made of second objects, all of them.
fn whole(capture: &Capture) {
    let link = link(capture);
    assert!(link.twice.is_some(), "{capture:?}");
    let twice = link.twice.as_ref().unwrap();
    assert!(
        twice.refused.is_none() && twice.lacking.is_empty(),
        "{capture:?}"
    );
    assert!(twice.own.is_some(), "{capture:?}");
    let own = twice.own.as_ref().unwrap();
    assert_eq!(sections_of(own), 0, "{:?} {capture:?}", own.inputs);
    let sections = sections_of(&link.recipe);
    assert!(
        sections >= 3,
        "{sections} {:?} {capture:?}",
        link.recipe.inputs
    );
}

const COMPILERS: [&str; 2] = ["gcc", "clang-19"];

#[test]
fn a_build_makes_what_it_makes_by_itself() {
    for cc in COMPILERS.into_iter().filter(|cc| has(cc)) {
        for options in [
            "-O2",
            "-O2 -g -MD -MF main.d -MT x",
            "-O1 -pipe -fstack-usage",
        ] {
            let script = format!(
                "{cc} {options} -c main.c; {cc} -O2 -c twice.c; {cc} main.o twice.o -lm -o prog"
            );
            let (_project, capture) = unchanged(&script, &["main.o", "twice.o", "prog"]);
            whole(&capture);
        }
    }
}

/// The object has no place that outlives the build.
#[test]
fn objects_that_only_an_archive_keeps() {
    if !has("ar") {
        return;
    }
    for cc in COMPILERS.into_iter().filter(|cc| has(cc)) {
        for (make, more) in [
            ("ar rcD libx.a twice.o; rm twice.o", ""),
            ("ar rcDT libx.a twice.o", "twice.o"),
            (
                "{cc} -nostdlib -r -o x.o twice.o; ar rcD libx.a x.o; rm x.o twice.o",
                "",
            ),
        ] {
            let make = make.replace("{cc}", cc);
            let script = format!("{cc} -O2 -c twice.c; {make}; {cc} -O2 main.c libx.a -lm -o prog");
            let files: Vec<&str> = ["libx.a", "prog", more]
                .into_iter()
                .filter(|file| !file.is_empty())
                .collect();
            let (_project, capture) = unchanged(&script, &files);
            whole(&capture);
        }
    }
}

/// As on a busy machine, where clang is held between its object and its note.
#[test]
fn objects_that_are_there_long_before_clang_s_note() {
    if !has("gcc") || !has("ar") || !has("clang-19") {
        return;
    }
    let project = Project::new();
    c_program(&project);
    project.file(
        "held.c",
        "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stdio.h>\n#include <unistd.h>\nint \
         rename(const char *a, const char *b) \
         { int done = renameat(AT_FDCWD, a, AT_FDCWD, b); usleep(100000); return done; }\n",
    );
    project.run(&["sh", "-ec", "gcc -O1 -shared -fPIC held.c -o held.so"]);
    let script = "LD_PRELOAD=$PWD/held.so clang-19 -O2 -c twice.c; ar rcDT libx.a twice.o; clang-19 -O2 main.c libx.a -lm -o prog";
    whole(&project.capture(&["sh", "-ec", script]));
}

#[test]
fn link_time_optimisation_by_gcc() {
    if !has("gcc") {
        return;
    }
    let script = "gcc -O2 -flto -frandom-seed=1 -c main.c; gcc -O2 -flto -frandom-seed=2 -c twice.c; gcc -O2 -flto main.o twice.o -lm -o prog";
    let (_project, capture) = unchanged(script, &["main.o", "twice.o", "prog"]);
    let twice = link(&capture).twice.clone().unwrap();
    assert!(
        twice.own.is_some() && twice.lacking.is_empty(),
        "{capture:?}"
    );
}

/// Another way to compile, and what becomes of it.
#[test]
fn what_is_not_compiled_twice_is_named() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    c_program(&project);
    let script = "gcc -O2 -c main.c; gcc -O2 --coverage -c twice.c; gcc --coverage main.o twice.o -lm -o prog";
    let captured = project.capture(&["sh", "-ec", script]);
    let twice = link(&captured).twice.clone().unwrap();
    assert_eq!(twice.lacking.len(), 1, "{captured:?}");
    assert_eq!(twice.lacking[0].object, "twice.o");
    assert!(twice.lacking[0].why.contains("coverage"), "{captured:?}");
}

/// What a shell hands over as `<(…)`: whoever reads it takes it from everybody else.
#[test]
fn what_can_be_read_only_once_is_left_to_the_build() {
    if !has("gcc") {
        return;
    }
    let once = "printf '#define ONE 7\\n' | gcc -O2 -c -include /dev/fd/3 one.c 3<&0";
    let text = "gcc -O2 -S two.c -o - | gcc -c -x assembler /dev/fd/3 -o two.o 3<&0";
    let link = "gcc main.o twice.o one.o two.o -lm -o prog";
    let project = Project::new();
    c_program(&project);
    project.file(
        "one.c",
        "#ifndef ONE\n#define ONE 1\n#endif\nint one(void) { return ONE; }\n",
    );
    project.file("two.c", "int two(void) { return 2; }\n");
    let script = format!("gcc -O2 -c main.c twice.c; {once}; {text}; {link}");
    let all = ["one.o", "two.o", "prog"];
    let read = || all.map(|file| fs::read(project.root.join(file)).unwrap());
    project.run(&["sh", "-ec", &script]);
    let before = read();
    for _ in 0..3 {
        let captured = project.capture(&["sh", "-ec", &script]);
        for ((file, before), after) in all.iter().zip(&before).zip(read()) {
            assert!(*before == after, "{file} is another file: {captured:?}");
        }
        let twice = captured.image(None).unwrap().twice.as_ref().unwrap();
        let mut lacking = twice.lacking.iter();
        assert!(
            lacking.any(|one| one.object == "one.o" && one.why.starts_with("it reads a pipe")),
            "{captured:?}"
        );
    }
}

/// The tool's own side outputs come from the first compilation alone.
#[test]
fn files_beside_objects_are_the_first_compilation_s() {
    for cc in COMPILERS.into_iter().filter(|cc| has(cc)) {
        // What clang makes of a text that it wrote itself is not known to be its own.
        let more = if cc == "gcc" { "-save-temps=obj" } else { "" };
        let script = format!(
            "{cc} -O2 -g -gsplit-dwarf {more} -MMD -c main.c; {cc} -O2 -c twice.c; {cc} main.o twice.o -lm -o prog"
        );
        let mut files = vec!["main.o", "main.dwo", "main.d", "prog"];
        files.extend(
            (cc == "gcc")
                .then_some(["main.i", "main.s"])
                .iter()
                .flatten(),
        );
        let (_project, capture) = unchanged(&script, &files);
        whole(&capture);
    }
}

/// A build that is up to date links objects that an earlier capture compiled twice.
#[test]
fn objects_of_an_earlier_capture_keep_their_second_ones() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    c_program(&project);
    let script = "[ -f main.o ] || gcc -O2 -c main.c twice.c; gcc main.o twice.o -lm -o prog";
    whole(&project.capture(&["sh", "-ec", script]));
    let again = capture(
        &project.builds(),
        &project.request("again", &["sh", "-ec", script]),
    );
    whole(&again.unwrap());
}

/// With sections of its own for each function a linker folds what it does not fold in the build.
/// Layouts then move whole objects.
#[test]
fn folding_that_sections_alone_make_possible_is_refused() {
    if !has("clang-19") || !has("ld.lld-19") {
        return;
    }
    let project = Project::new();
    let mut text = "int printf(const char*, ...);\n".to_owned();
    for number in 0..9 {
        text += &format!(
            "__attribute__((noinline)) static unsigned f{number}(unsigned x) {{ for (unsigned k = 0; k < 2; k++) {{ x ^= x * 7u; x += x >> 3; }} return x; }}\n"
        );
    }
    text += "static unsigned (*volatile h[9])(unsigned) = {f0,f1,f2,f3,f4,f5,f6,f7,f8};\nint main(void) { unsigned s = 1; for (int i = 0; i < 9; i++) s = h[i](s); printf(\"%u\\n\", s); }\n";
    project.file("main.c", &text);
    let mut ids = Vec::new();
    for (name, how) in [("none", "none"), ("all", "all")] {
        let script = format!(
            "clang-19 -O1 -c main.c -o main.o; clang-19 -fuse-ld=lld -Wl,--icf={how} -o prog main.o"
        );
        let request = project.request(name, &["sh", "-ec", &script]);
        let captured = capture(&project.builds(), &request).unwrap();
        let link = link(&captured);
        ids.push(link.image_hash.clone());
        let twice = link.twice.as_ref().unwrap();
        let refused = twice.refused.as_deref().unwrap_or_default();
        assert_eq!(twice.own.is_none(), how == "all", "{captured:?}");
        assert_eq!(refused.contains("--icf"), how == "all", "{captured:?}");
    }
    assert_eq!(ids[0], ids[1], "the build's own files are one file");
}

/// What a link does with sections it does to more of them in second objects. Where that is another
/// program it is refused by the name of what the link does.
#[test]
fn links_that_collect_order_or_have_a_script() {
    if !has("gcc") || !has("ld.lld-19") || !has("clang-19") {
        return;
    }
    let own_script = "ld -no-pie --verbose | sed '1,/^=====/d;/^=====/,$d' > own.ld;";
    for (prepare, options, refused) in [
        ("", "-Wl,--gc-sections", Some("--gc-sections")),
        (
            "printf 'twice\\nmain\\nunused\\n' > order;",
            "-fuse-ld=lld -Wl,--symbol-ordering-file=order",
            Some("order"),
        ),
        (own_script, "-no-pie -Wl,-T,own.ld", None),
        ("", "-falign-functions=64", None),
    ] {
        let cc = if options.contains("lld") {
            "clang-19"
        } else {
            "gcc"
        };
        let align = if refused.is_none() { options } else { "" };
        let align = align.trim_start_matches("-no-pie -Wl,-T,own.ld");
        let script = format!(
            "{prepare} {cc} -O1 -fno-pie {align} -c main.c twice.c; {cc} -no-pie {options} main.o twice.o -lm -o prog"
        );
        let (_project, capture) = unchanged(&script, &["main.o", "twice.o", "prog"]);
        let twice = link(&capture).twice.clone().unwrap();
        match refused {
            None => whole(&capture),
            Some(word) => {
                let said = twice.refused.unwrap_or_default();
                assert!(said.contains(word), "{options}: {said} {capture:?}");
                assert!(twice.own.is_none());
            }
        }
    }
}

/// On request function sections are the build's own, as they are where nothing is compiled twice.
#[test]
fn compiled_once_the_build_has_function_sections() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    c_program(&project);
    let script = "gcc -O2 -c main.c twice.c; gcc main.o twice.o -lm -o prog";
    let mut request = project.request("base", &["sh", "-ec", script]);
    request.compile = Compile::Once;
    let captured = capture(&project.builds(), &request).unwrap();
    let link = link(&captured);
    assert!(link.sections_added && link.twice.is_none());
    assert!(function_sections(&project.root.join("main.o")) >= 2);
}

#[test]
fn functions_do_not_leave_the_labels_that_stand_around_them() {
    let gcc = "gcc -O1 -fno-toplevel-reorder";
    for compiler in [gcc, "clang-19 -O1"] {
        if !has(compiler.split(' ').next().unwrap()) {
            continue;
        }
        let project = Project::new();
        c_program(&project);
        project.file(
            "hot.c",
            "asm(\".text; .globl start_hot; start_hot:\");\nint hot(int a) { return a * 3; }\n\
             asm(\".text; .globl end_hot; end_hot:\");\nint cold(int a) { return a * 5; }\n",
        );
        project.file(
            "plain.c",
            "int plain(int a) { return a * 7; }\nint other(void) { return 1; }\n",
        );
        project.file(
            "m.c",
            "int hot(int), plain(int);\nint main(void) { return hot(1) + plain(2); }\n",
        );
        for objects in ["hot.o", "libhot.a"] {
            let script = format!(
                "{compiler} -c m.c hot.c plain.c && ar rc libhot.a hot.o && {compiler} m.o plain.o \
                 {objects} -o p"
            );
            let capture = project.capture(&["sh", "-ec", &script]);
            let twice = link(&capture).twice.clone().unwrap();
            assert_eq!(twice.refused, None, "{script}");
            let [lacking] = twice.lacking.as_slice() else {
                panic!("{script}: {:?}", twice.lacking)
            };
            assert!(lacking.object.contains("hot.o"), "{lacking:?}");
            assert!(
                lacking.why.contains("labels among its functions, such as"),
                "{lacking:?}"
            );
            // The others move all the same.
            assert!(sections_of(&link(&capture).recipe) >= 3, "{script}");
        }
    }
}

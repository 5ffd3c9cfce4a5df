//! What is left to the build, or not compiled twice.

use std::fs;

use proofmark_capture::capture;

use super::{COMPILERS, link, sections_of, unchanged, whole};
use crate::support::{Project, c_program, has};

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

#[test]
fn assembly_goes_on_into_the_function_behind_it() {
    for compiler in COMPILERS.into_iter().filter(|cc| has(cc)) {
        let project = Project::new();
        c_program(&project);
        let source = |name: &str, end: &str| {
            let text = format!(
                "asm(\".text; .globl {name}; .type {name}, @function; {name}: addl $5, %edi; {end}\");\n\
                 int times_{name}(int a) {{ return a * 3; }}\nint one_{name}(void) {{ return 1; }}\n"
            );
            project.file(format!("{name}.c"), &text);
        };
        source("plus", "");
        source("done", "ret");
        project.file(
            "m.c",
            "int plus(int), done(int);\nint main(void) { return plus(1) + done(2); }\n",
        );
        let script =
            format!("{compiler} -O1 -c m.c plus.c done.c && {compiler} m.o plus.o done.o -o p");
        let capture = project.capture(&["sh", "-ec", &script]);
        let twice = link(&capture).twice.clone().unwrap();
        assert_eq!(twice.refused, None, "{script}");
        let [lacking] = twice.lacking.as_slice() else {
            panic!("{script}: {:?}", twice.lacking)
        };
        assert_eq!(lacking.object, "plus.o");
        let why = "assembly in it may go on from plus into";
        assert!(lacking.why.starts_with(why), "{lacking:?}");
    }
}

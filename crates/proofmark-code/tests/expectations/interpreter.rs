//! How a compiler lays out the dispatch of an interpreter, and who is blamed for it.

use std::path::{Path, PathBuf};

use proofmark_code::{Fact, Facts, Program};

use super::{breach, cause, expect, made, report, why};
use crate::support::{clangs, compile, has, run};

#[test]
fn clang_19_breaks_the_expectation_that_clang_with_tail_duplication_meets() {
    if !has("clang-19") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let text = "[let]\nopcodes = 41\n[[expect]]\nfunction = \"run\"\nholds = \"indirect_jumps >= opcodes\"\nbecause = \"threaded dispatch\"\n";
    let many = ["-O2", "-mllvm", "-tail-dup-pred-size=5000"];
    let good = compile("clang-19", &many, &["interpreter.c"], folder.path(), "good");
    assert!(report(&good, text).passes());
    let bad = compile(
        "clang-19",
        &["-O2", "-g"],
        &["interpreter.c"],
        folder.path(),
        "bad",
    );
    let report = report(&bad, text);
    assert!(!report.passes());
    let breach = breach(&report);
    assert!(breach.expected.contains("41"), "{breach:?}");
    assert!(
        breach
            .cause
            .as_ref()
            .is_some_and(|c| c.contains("clang version 19") && c.contains("-tail-dup-pred-size")),
        "{breach:?}"
    );
    assert!(
        breach
            .source
            .as_ref()
            .is_some_and(|s| s.file.ends_with("interpreter.c")),
        "{breach:?}"
    );
    assert!(
        breach.places.iter().all(|p| p.text.starts_with("jmp")) && !breach.places.is_empty(),
        "{breach:?}"
    );
}

#[test]
fn gcc_is_named_with_and_without_debug_information() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for debug in ["-g", "-g0"] {
        for (way, remedy) in [
            ("-DSWITCH", "labels as values"),
            ("-DGOTO", "-fno-crossjumping"),
        ] {
            let options = ["-O2", debug, way];
            let vm = compile("gcc", &options, &["interpreter.c"], folder.path(), "vm");
            let cause = cause(&vm).unwrap_or_default();
            assert!(
                cause.contains(remedy) && cause.contains("12") && !cause.contains("clang"),
                "{debug} {way}: {cause}"
            );
        }
    }
}

/// Links the interpreter with an object that another compiler made.
fn mixed(interpreter: &[&str], other: &[&str], folder: &Path) -> PathBuf {
    let source = folder.join("other.c");
    std::fs::write(&source, "int other(int x) { return x * 7; }\n").unwrap();
    let source = source.display().to_string();
    let make = |what: &[&str], source: &str, out: &str| {
        let options = [&what[1..], &["-O2", "-c"]].concat();
        let object = compile(what[0], &options, &[source], folder, out);
        object.display().to_string()
    };
    let vm = make(interpreter, "interpreter.c", "vm.o");
    let other = make(other, &source, "other.o");
    compile("gcc", &[], &[&vm, &other], folder, "mixed")
}

#[test]
fn the_compiler_that_is_blamed_is_that_of_the_function() {
    if !has("gcc") || !has("clang-19") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let cause_of = |interpreter: &[&str], other: &[&str]| {
        cause(&mixed(interpreter, other, folder.path())).unwrap_or_default()
    };
    let by_gcc = cause_of(&["gcc", "-g"], &["clang-19", "-g"]);
    assert!(by_gcc.contains("-fno-crossjumping"), "{by_gcc}");
    assert!(!by_gcc.contains("clang"), "{by_gcc}");
    let by_clang = cause_of(&["clang-19", "-g"], &["gcc", "-g"]);
    assert!(by_clang.contains("-tail-dup-pred-size"), "{by_clang}");
    assert!(!by_clang.contains("GNU"), "{by_clang}");
    // Nothing says which: both are named, and the cause is a condition.
    let unknown = cause_of(&["gcc"], &["clang-19"]);
    assert!(unknown.contains("if it was clang 19"), "{unknown}");
    assert!(unknown.contains("GCC 12"), "{unknown}");
}

#[test]
fn an_ordinary_switch_is_not_taken_for_a_threaded_interpreter() {
    if !has("clang-19") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("switches.c");
    let switch = |n: u32| {
        let cases: String = (0..6)
            .map(|i| format!("case {i}: v[{i}] += {}; v[{n}] ^= x; break;\n", i * n + 3))
            .collect();
        format!("switch (a[{n}]) {{ {cases} }}\n")
    };
    let switches: String = (1..4).map(switch).collect();
    let text = format!("void three(volatile int *v, const int *a, int x) {{ {switches} }}\n");
    std::fs::write(&source, text).unwrap();
    let place = source.display().to_string();
    let options = ["-O2", "-g", "-c"];
    let object = compile("clang-19", &options, &[&place], folder.path(), "three.o");
    assert!(report(&object, &expect("three", "jump_tables == 3")).passes());
    for holds in ["jump_tables >= 5", "indirect_jumps > 3"] {
        let report = report(&object, &expect("three", holds));
        assert_eq!(breach(&report).cause, None, "{holds}");
    }
}

#[test]
fn a_loop_around_a_small_switch_blames_no_compiler() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("small.c");
    let cases: String = (0..6)
        .map(|i| format!("case {i}: v[{i}] += {}; break;\n", i * i + 3))
        .collect();
    let text = format!(
        "void small(volatile int *v, const int *a, int n) {{ while (n--) switch (*a++) {{ {cases} }} }}\n"
    );
    std::fs::write(&source, text).unwrap();
    let place = source.display().to_string();
    let object = compile(
        "gcc",
        &["-O2", "-g", "-c"],
        &[&place],
        folder.path(),
        "small.o",
    );
    let report = report(&object, &expect("small", "indirect_jumps >= 6"));
    let breach = breach(&report);
    assert_eq!(breach.found, "indirect_jumps is 1");
    assert_eq!(breach.cause, None);
}

/// Indirect jumps of the interpreter, dispatched by labels as values and by a `switch`.
fn jumps(compiler: &str, options: &[&str], folder: &Path) -> [u64; 2] {
    ["-DGOTO", "-DSWITCH"].map(|way| {
        let options = [&["-O2", way], options].concat();
        let vm = compile(compiler, &options, &["interpreter.c"], folder, "vm");
        let program = Program::open(&vm).unwrap();
        let image = &program.images()[0];
        let mut functions = image.functions().iter();
        let run = functions.position(|f| f.name() == "run").unwrap();
        Facts::of(image, run).get(Fact::IndirectJumps)
    })
}

#[test]
fn clang_keeps_a_jump_for_each_opcode_but_for_19() {
    let folder = tempfile::tempdir().unwrap();
    for compiler in clangs() {
        let found = jumps(compiler, &[], folder.path());
        println!("{compiler}: {found:?}");
        // With labels as values the first jump of all stands apart, and so does that of the opcode
        // that jumps back.
        let expected = if compiler == "clang-19" {
            [3, 1]
        } else {
            [42, 42]
        };
        assert_eq!(found, expected, "{compiler}");
    }
    if has("clang-19") {
        let copied = ["-mllvm", "-tail-dup-pred-size=5000"];
        assert_eq!(jumps("clang-19", &copied, folder.path()), [42, 42]);
    }
}

/// gcc 12 gives a `switch` one jump. With labels as values it has three: the first of all, one that
/// 39 opcodes share, and that of the opcode that jumps back. The opcodes of this program end alike,
/// and -fcrossjumping, a part of -O2, lets them share that end. Afterwards gcc copies a jump with
/// what stands in front of it back to the places that lead there, but only up to --param
/// max-goto-duplication-insns, by default 8: here it takes 12.
#[test]
fn gcc_shares_the_jump_of_opcodes_that_end_alike() {
    if !has("gcc") {
        return;
    }
    if !run("gcc", &["-dumpversion"]).starts_with("12") {
        println!("skipped: the numbers are those of gcc 12");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (options, expected) in [
        (&[][..], [3, 1]),
        (&["-fno-crossjumping"], [42, 1]),
        (&["--param=max-goto-duplication-insns=11"], [3, 1]),
        (&["--param=max-goto-duplication-insns=12"], [42, 1]),
    ] {
        assert_eq!(
            jumps("gcc", options, folder.path()),
            expected,
            "{options:?}"
        );
    }
}

#[test]
fn causes_are_true_or_say_that_they_may_be() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = "#include <stdlib.h>\nint other(int);\n\
        void leave(int x) { if (x) exit(x); abort(); }\n\
        int behind(int x) { return other(x) + 1; }\n\
        int tail(int x) { return other(x); }\n\
        int none(int x) { return x; }\n\
        int indexed(int n, int at) { volatile int on[16]; for (int i = 0; i < n; i++) on[i & 15] = i; return on[at & 15]; }\n";
    let file = made("gcc", &["-O2", "-c"], source, folder.path(), "causes.o");
    for (function, holds, expected) in [
        ("leave", "tail_calls >= 1", "what it calls never returns"),
        ("behind", "tail_calls >= 1", "work may be left behind"),
        ("tail", "tail_calls >= 2", "no other calls than 1 tail call"),
        ("none", "tail_calls >= 1", "calls nothing at all"),
        ("indexed", "stack_stores == 0", "may stand arrays"),
    ] {
        let cause = why(&file, function, holds);
        assert!(cause.contains(expected), "{function}: {cause}");
    }
    let cause = why(&file, "indexed", "stack_stores == 0");
    assert!(!cause.contains("call"), "{cause}");
}

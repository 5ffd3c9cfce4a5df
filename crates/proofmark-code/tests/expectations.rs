//! Expectations on real code: what holds, what breaks, and what the message says.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected stops there"
)]

mod support;

use std::path::{Path, PathBuf};

use proofmark_code::expect::{Breach, Expectations, Report, Status, check, learn};
use proofmark_code::{Fact, Facts, Pattern, Program};
use support::{clangs, compile, has, has_file, run};

fn report(file: &Path, text: &str) -> Report {
    let program = Program::open(file).unwrap();
    check(
        &program,
        &Expectations::parse(Path::new("e.toml"), text).unwrap(),
        "build",
    )
}

fn breach(report: &Report) -> &Breach {
    let broken = report.outcomes.iter().find_map(|o| {
        if let Status::Broken(b) = &o.status {
            Some(b)
        } else {
            None
        }
    });
    broken.unwrap_or_else(|| panic!("{report:?}"))
}

fn expect(function: &str, holds: &str) -> String {
    format!("[[expect]]\nfunction = {function:?}\nholds = {holds:?}\n")
}

fn facts(folder: &Path) -> PathBuf {
    compile(
        "gcc",
        &["-O2", "-g", "-c", "-ffreestanding"],
        &["facts.c"],
        folder,
        "facts.o",
    )
}

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

/// The cause that is named when the interpreter has fewer indirect jumps than opcodes.
fn cause(file: &Path) -> Option<String> {
    let report = report(file, &expect("run", "indirect_jumps >= 41"));
    breach(&report).cause.clone()
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
fn every_operator_holds_and_breaks_where_it_should() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = facts(folder.path());
    for (function, holds, otherwise) in [
        (
            "allocate",
            "calls_to(\"malloc\") >= 1",
            "calls_to(\"malloc\") == 0",
        ),
        ("tail", "tail_calls == 1", "tail_calls != 1"),
        ("tail", "direct_calls < 1", "returns > 0"),
        (
            "indirect_tail",
            "indirect_tail_calls == 1",
            "indirect_tail_calls == 0",
        ),
        (
            "handler_add",
            "indirect_tail_calls == 1",
            "computed_gotos == 1",
        ),
        ("handler_double", "loops == 0", "indirect_tail_calls == 0"),
        ("indirect", "indirect_calls == 1", "indirect_calls == 0"),
        ("choose", "jump_tables == 1", "computed_gotos == 1"),
        ("loops", "loops == 2", "loops <= 1"),
        ("divide", "divisions == 1", "divisions == 0"),
        ("divide_float", "float_divisions == 1", "needs(\"avx\")"),
        ("add", "vector_bits >= 128", "vector_bits >= 256"),
        ("on_stack", "stack_stores >= 1", "stack_stores <= 0"),
        ("atomic_add", "atomics == 1", "atomics == 0"),
        ("direct", "bytes <= 4096", "bytes <= 3"),
        ("direct", "exists", "inlined"),
        ("divide*", "functions == 2", "functions == 3"),
        ("vanished", "gone", "exists"),
    ] {
        let good = report(&file, &expect(function, holds));
        assert!(good.passes(), "{function}: {holds}: {good:?}");
        let bad = report(&file, &expect(function, otherwise));
        assert_eq!(
            (bad.passes(), bad.broken()),
            (false, 1),
            "{function}: {otherwise}: {bad:?}"
        );
    }
}

#[test]
fn a_pattern_that_matches_nothing_fails_and_names_what_is_near() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = facts(folder.path());
    let report = report(&file, &expect("divde", "divisions == 0"));
    assert!(!report.passes());
    assert!(
        breach(&report)
            .cause
            .as_ref()
            .is_some_and(|c| c.contains("divide")),
        "{report:?}"
    );
}

#[test]
fn inlined_is_told_from_a_wrong_name_by_debug_information() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("i.c");
    std::fs::write(&source, "static inline int helper(int x) { return x * 7; }\nint user(int x) { return helper(x) + 1; }\n").unwrap();
    let place = source.display().to_string();
    let debug = compile(
        "gcc",
        &["-O2", "-g", "-c"],
        &[&place],
        folder.path(),
        "debug.o",
    );
    let plain = compile("gcc", &["-O2", "-c"], &[&place], folder.path(), "plain.o");
    assert!(report(&debug, &expect("helper", "inlined")).passes());
    assert!(!report(&debug, &expect("helpre", "inlined")).passes());
    assert!(report(&plain, &expect("helper", "inlined")).passes());
    assert!(!report(&debug, &expect("user", "inlined")).passes());
}

#[test]
fn rules_for_another_architecture_or_build_assert_nothing_and_do_not_pass() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = facts(folder.path());
    let only = |line: &str| format!("{}{line}\n", expect("direct", "exists"));
    let skipped = report(&file, &only("architecture = \"aarch64\""));
    assert!(!skipped.passes() && skipped.broken() == 0 && skipped.held() == 0);
    assert!(report(&file, &only("architecture = [\"x86-64\", \"aarch64\"]")).passes());
    assert!(report(&file, &only("build = \"bui*\"")).passes());
    assert!(!report(&file, &only("build = \"release\"")).passes());
}

#[test]
fn what_is_learnt_holds_for_the_build_it_was_learnt_from() {
    if !has("gcc") || !has("clang-19") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let good = compile(
        "clang-19",
        &["-O2", "-mllvm", "-tail-dup-pred-size=5000"],
        &["interpreter.c"],
        folder.path(),
        "good",
    );
    let bad = compile(
        "clang-19",
        &["-O2"],
        &["interpreter.c"],
        folder.path(),
        "bad",
    );
    let text = learn(&Program::open(&good).unwrap(), &[], "good").unwrap();
    assert!(text.contains("# Learnt from good, built by "), "{text}");
    assert!(report(&good, &text).passes(), "{text}");
    assert!(!report(&bad, &text).passes());
}

/// What is said of conditions that hold.
fn said(report: &Report) -> Vec<&str> {
    let outcomes = report.outcomes.iter();
    let held = outcomes.filter_map(|o| match &o.status {
        Status::Held(text) => Some(text.as_str()),
        _ => None,
    });
    held.collect()
}

/// A source of the test's own, compiled by g++ or gcc.
fn made(compiler: &str, options: &[&str], text: &str, folder: &Path, out: &str) -> PathBuf {
    let ending = if compiler.contains("++") { "cc" } else { "c" };
    let source = folder.join(format!("{out}.{ending}"));
    std::fs::write(&source, text).unwrap();
    compile(
        compiler,
        options,
        &[&source.display().to_string()],
        folder,
        out,
    )
}

#[test]
fn a_callee_is_named_as_a_function_is() {
    if !has("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = "#include <new>\n#define APART __attribute__((noinline, noclone))\n\
        namespace app { APART void *slow_alloc(int n) { return operator new(n); }\n\
        template <class T> APART T twice(T x) { asm volatile(\"\"); return x + x; }\n\
        APART int hot(int n) { return slow_alloc(n) != nullptr && twice<int>(n); } }\n\
        extern \"C\" APART int whole(int n) { asm volatile(\"\"); return n; }\n\
        extern \"C\" int other_name(int n) __attribute__((alias(\"whole\")));\n\
        int main(int c, char **) { return app::hot(c) + whole(c); }\n";
    for options in [&["-O2", "-c"][..], &["-O2"], &["-O2", "-fno-plt"]] {
        let file = made("g++", options, source, folder.path(), "callees");
        for (function, callee) in [
            ("app::hot", "app::slow_alloc"),
            ("app::hot", "app::slow_alloc(int)"),
            ("app::hot", "_ZN3app10slow_allocEi"),
            ("app::hot", "app::slow_*"),
            ("app::hot", "/^app::slow/"),
            ("app::hot", "int app::twice<int>"),
            ("app::slow_alloc", "operator new"),
            ("app::slow_alloc", "_Znwm"),
            ("main", "whole"),
            ("main", "other_name"),
        ] {
            let holds = format!("calls_to({callee:?}) == 1");
            let report = report(&file, &expect(function, &holds));
            assert!(report.passes(), "{options:?} {function}: {report:?}");
        }
        // What is misspelt is called by nobody: the text says that nothing has the name.
        let none = |callee: &str| {
            let holds = format!("calls_to({callee:?}) == 0");
            let report = report(&file, &expect("app::hot", &holds));
            assert!(report.passes(), "{report:?}");
            said(&report)[0].contains("no function of that name")
        };
        assert_eq!(
            ["app::slo_alloc", "alloc", "whole"].map(none),
            [true, true, false]
        );
    }
}

#[test]
fn a_callee_goes_by_its_name_without_the_version() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("versions.map");
    std::fs::write(&script, "ONE { local: *; };\nTWO { global: use; } ONE;\n").unwrap();
    let source = "__attribute__((noinline, noclone)) int old(int x) { asm volatile(\"\"); return x; }\n\
        asm(\".symver old,twice@ONE\");\n\
        int use(int x) { return old(x) + 1; }\n";
    let script = format!("-Wl,--version-script={}", script.display());
    let options = ["-O2", "-fPIC", "-shared", &script];
    let file = made("gcc", &options, source, folder.path(), "versions");
    for callee in ["twice", "twice@ONE", "old"] {
        let holds = format!("calls_to({callee:?}) == 1");
        let report = report(&file, &expect("use", &holds));
        assert!(report.passes(), "{report:?}");
    }
}

#[test]
fn what_another_file_defines_is_not_inlined() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let library = made(
        "gcc",
        &["-O2", "-g", "-shared", "-fPIC"],
        "int helper(int x) { return x * 3 + 1; }\n",
        folder.path(),
        "libhelper.so",
    );
    let library = library.display().to_string();
    let source = "extern int helper(int), unused(int);\nvoid *malloc(unsigned long);\n\
        int main(int c, char **v) { return helper(c) + helper(c + 1) + (malloc(c) == 0) + __builtin_strlen(v[0]); }\n";
    let text = folder.path().join("user.c");
    std::fs::write(&text, source).unwrap();
    let text = text.display().to_string();
    for options in [&["-g"][..], &["-g0"], &["-g", "-fno-plt"], &["-g", "-c"]] {
        let options = [&["-O2"], options].concat();
        let sources = if options.contains(&"-c") {
            vec![text.as_str()]
        } else {
            vec![text.as_str(), library.as_str()]
        };
        let file = compile("gcc", &options, &sources, folder.path(), "user");
        for name in ["helper", "malloc"] {
            let report = report(&file, &expect(name, "inlined"));
            assert!(!report.passes(), "{options:?} {name}: {report:?}");
            assert!(breach(&report).found.contains(name), "{report:?}");
        }
    }
    // What has no more than a declaration is not called here, and what is defined outside of its
    // class has its name inside of it.
    let source = "int seen, declared(int), absent(int);\nint (*volatile p)(int);\nint main(void) { return sizeof declared(1); }\n\
        struct S { int apart(int); static int kept(int); };\n\
        inline int S::apart(int x) { seen = x; return x * 7; }\nint user(int x) { S s; return s.apart(x) + S::kept(x) + absent(x); }\n\
        int S::kept(int x) { return x; }\n";
    for compiler in ["g++", "clang++-19"].into_iter().filter(|c| has(c)) {
        let file = made(
            compiler,
            &["-O2", "-g", "-c"],
            source,
            folder.path(),
            "methods",
        );
        let passes = |name: &str| report(&file, &expect(name, "inlined")).passes();
        assert_eq!(
            ["S::apart", "S::kept", "absent", "S::apart_"].map(passes),
            [true, false, false, false],
            "{compiler}"
        );
        let apart = report(&file, &expect("S::apart", "inlined"));
        assert_eq!(said(&apart), ["the source has it, the code does not"]);
    }
}

/// The conditions that hold where no function is.
const NO_FUNCTION: [&str; 3] = ["gone", "inlined", "functions == 0"];

#[test]
fn nothing_is_gone_from_what_has_no_machine_code() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = "int helper(int x) { return x * 3; }\n";
    let open = |path: &Path| Program::open(path).map_err(|e| e.to_string());
    let slim = made(
        "gcc",
        &["-O2", "-flto", "-fno-fat-lto-objects", "-c"],
        source,
        folder.path(),
        "slim.o",
    );
    let said = open(&slim).unwrap_err();
    assert!(
        said.contains("GCC's intermediate code") && said.contains("-flto"),
        "{said}"
    );
    let fat = made(
        "gcc",
        &["-O2", "-flto", "-ffat-lto-objects", "-c"],
        source,
        folder.path(),
        "fat.o",
    );
    assert!(report(&fat, &expect("helper", "exists")).passes());
    let empty = made("gcc", &["-c"], "int datum = 3;\n", folder.path(), "data.o");
    for holds in NO_FUNCTION {
        let report = report(&empty, &expect("helper", holds));
        assert!(!report.passes(), "{report:?}");
    }
}

#[test]
fn nothing_is_gone_from_an_archive_that_is_read_in_part() {
    if !has("gcc") || !has("clang-19") || !has("ar") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let other = "int other(int x) { return x * 5; }\n";
    let elf = made("gcc", &["-O2", "-g", "-c"], other, folder.path(), "other.o");
    let text = path("notes.txt");
    std::fs::write(&text, "nothing\n").unwrap();
    let archive = |name: &str, members: &[&str]| {
        run("ar", &[&["rcS", &path(name)][..], members].concat());
        folder.path().join(name)
    };
    let whole = archive("whole.a", &[&elf.display().to_string(), &text]);
    assert!(report(&whole, &expect("helper", "gone")).passes());
    for compiler in ["gcc", "clang-19"] {
        let options = ["-O2", "-flto", "-c"];
        let helper = "int helper(int x) { return x * 3; }\n";
        let out = format!("{compiler}.o");
        let lto = made(compiler, &options, helper, folder.path(), &out);
        let lto = lto.display().to_string();
        let part = archive(
            &format!("{compiler}.a"),
            &[&lto, &elf.display().to_string()],
        );
        for holds in NO_FUNCTION {
            let report = report(&part, &expect("helper", holds));
            assert!(!report.passes(), "{compiler}: {report:?}");
            assert!(breach(&report).found.contains(&out), "{report:?}");
        }
        assert!(report(&part, &expect("other", "exists")).passes());
        let missing = report(&part, &expect("helper", "exists"));
        let cause = breach(&missing).cause.as_deref().unwrap_or_default();
        assert!(cause.contains(&out), "{missing:?}");
        let alone = Program::open(&archive(&format!("{compiler}-alone.a"), &[&lto]));
        let said = alone.unwrap_err().to_string();
        assert!(
            said.contains(&out) && said.contains("not machine code"),
            "{said}"
        );
    }
}

/// The cause that is named when a condition on a function is broken.
fn why(file: &Path, function: &str, holds: &str) -> String {
    let report = report(file, &expect(function, holds));
    breach(&report).cause.clone().unwrap_or_default()
}

#[test]
fn a_missing_extension_is_told_from_one_that_others_use() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let add = "void NAME(int *to, const int *from, int n) { for (int i = 0; i < n; i++) to[i] += from[i]; }\n";
    let plain = add.replace("NAME", "plain");
    let wide = add.replace("NAME", "wide");
    let options = ["-O3", "-c"];
    let none = made("gcc", &options, &plain, folder.path(), "none.o");
    for (holds, expected) in [
        ("needs(\"avx2\")", "no function of this file uses avx2"),
        ("needs(\"avx2\")", "-mavx2"),
        ("needs(\"AVX_VNNI\")", "(-mavxvnni)"),
        ("needs(\"sve\")", "AArch64"),
        ("needs(\"mmx\")", "every machine has them"),
        ("vector_bits >= 256", "-march=x86-64-v3"),
        ("vector_bits >= 512", "-mavx512f"),
        ("vector_bits > 512", "more than 512 bits"),
    ] {
        let cause = why(&none, "plain", holds);
        assert!(cause.contains(expected), "{holds}: {cause}");
        assert!(!cause.contains("other functions"), "{holds}: {cause}");
    }
    let both = format!("{plain}__attribute__((target(\"avx2\"))) {wide}");
    let both = made("gcc", &options, &both, folder.path(), "both.o");
    for holds in ["needs(\"avx2\")", "vector_bits >= 256"] {
        let cause = why(&both, "plain", holds);
        assert!(cause.contains("wide for one"), "{holds}: {cause}");
    }
    let cause = why(&both, "wide", "vector_bits >= 512");
    assert!(cause.contains("no function of this file"), "{cause}");
}

#[test]
fn functions_together_go_by_the_pattern() {
    if !has("gcc") || !has("ar") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let one = "int outer(int);\nint part_one(int x) { return outer(x) * 3; }\n";
    let options = ["-O2", "-g", "-c"];
    let first = made("gcc", &options, one, folder.path(), "one.o");
    let two = one.replace("part_one", "part_two");
    let two = format!(
        "int before(int x) {{ return x; }}\nint other(int);\nint part_three(int x) {{ return other(x) + 1; }}\n{two}"
    );
    let second = made("gcc", &options, &two, folder.path(), "two.o");
    let archive = folder.path().join("parts.a").display().to_string();
    let [first, second] = [first, second].map(|p| p.display().to_string());
    run("ar", &["rcs", &archive, &first, &second]);
    let file = Path::new(&archive);
    let together = |holds: &str| format!("{}together = true\n", expect("part_*", holds));
    for holds in [
        "direct_calls == 3",
        "calls_to('outer') == 2",
        "functions == 3",
    ] {
        let report = report(file, &together(holds));
        assert!(report.passes(), "{report:?}");
    }
    let broken = report(file, &together("direct_calls <= 1"));
    let outcome = &broken.outcomes[0];
    assert_eq!(
        (outcome.function.as_deref(), broken.outcomes.len()),
        (None, 1)
    );
    let breach = breach(&broken);
    assert_eq!(breach.found, "direct_calls is 3 in 3 functions together");
    assert_eq!((breach.address, &breach.cause), (None, &None));
    assert_eq!((breach.places.len(), breach.all_places), (3, 3));
}

/// Learns from a file, and checks what was learnt on it.
fn learnt_and_checked(file: &Path, functions: &[&str]) -> Report {
    let program = Program::open(file).unwrap();
    let patterns = functions.iter().map(|f| Pattern::parse(f).unwrap());
    let patterns: Vec<Pattern> = patterns.collect();
    let text = learn(&program, &patterns, "build").unwrap();
    let file = Expectations::parse(Path::new("e.toml"), &text).unwrap();
    check(&program, &file, "build")
}

#[test]
fn what_is_learnt_holds_for_every_function_of_its_name() {
    if !has("gcc") || !has("ar") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let step = |body: &str, user: &str| {
        format!(
            "static __attribute__((noinline)) int step(int x, int y) {{ {body} }}\nint {user}(int x) {{ return step(x, x + 3) + step(x + 1, 5); }}\n"
        )
    };
    let first = step("return x / y;", "use_one");
    let second = step(
        "volatile int on[9]; for (int i = 0; i < 9; i++) on[i] = x + i; return on[x & 7] + y;",
        "use_two",
    );
    let options = ["-O2", "-c"];
    let first = made("gcc", &options, &first, folder.path(), "first.o");
    let second = made("gcc", &options, &second, folder.path(), "second.o");
    let [first, second] = [first, second].map(|p| p.display().to_string());
    let library = compile(
        "gcc",
        &["-shared"],
        &[&first, &second],
        folder.path(),
        "both.so",
    );
    let archive = folder.path().join("both.a");
    run(
        "ar",
        &["rcs", &archive.display().to_string(), &first, &second],
    );
    for file in [&library, &archive] {
        for functions in [&["step"][..], &["*"], &["use_*", "step", "step"]] {
            let report = learnt_and_checked(file, functions);
            assert!(report.passes(), "{functions:?}: {report:?}");
        }
    }
}

#[test]
fn what_is_learnt_from_large_programs_holds_for_them() {
    let own = std::env::current_exe().unwrap();
    let report = learnt_and_checked(&own, &["main", "alloc::string::String::push*"]);
    assert!(report.passes(), "{report:?}");
    let libc = "/usr/lib/x86_64-linux-gnu/libc.so.6";
    if !has_file(libc) {
        return;
    }
    let report = learnt_and_checked(Path::new(libc), &["/^[q-z]/"]);
    let broken = report.outcomes.iter();
    let broken: Vec<_> = broken
        .filter(|o| matches!(o.status, Status::Broken(_)))
        .collect();
    assert!(broken.is_empty() && report.held() > 1000, "{broken:?}");
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

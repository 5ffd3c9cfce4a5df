//! Functions, callees and extensions that are not there: told from wrong names.

use std::path::Path;

use proofmark_code::Program;

use super::{breach, expect, facts, made, report, said, why};
use crate::support::{compile, has, run};

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
fn nothing_is_gone_from_a_file_that_lost_its_names() {
    if !has("gcc") || !has("strip") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = "__attribute__((noinline)) static int helper(int x) { return x * 3 + 1; }\n\
                  int main(int n, char **v) { (void)v; return helper(n) + helper(n + 1); }\n";
    let whole = made("gcc", &["-O1"], source, folder.path(), "whole");
    let stripped = folder.path().join("stripped");
    let [from, to] = [&whole, &stripped].map(|path| path.display().to_string());
    run("strip", &["-o", &to, &from]);
    for holds in NO_FUNCTION {
        assert!(!report(&whole, &expect("helper", holds)).passes());
        let report = report(&stripped, &expect("helper", holds));
        assert!(!report.passes(), "{report:?}");
    }
    assert!(report(&whole, &expect("other", "gone")).passes());
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

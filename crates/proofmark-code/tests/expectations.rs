//! Expectations on real code: what holds, what breaks, and what the message says.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected stops there"
)]

mod support;

use std::path::{Path, PathBuf};

use proofmark_code::Program;
use proofmark_code::expect::{Breach, Expectations, Report, Status, check, learn};
use support::{compile, has};

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

#[test]
fn every_other_clang_meets_the_expectation_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let text = expect("run", "indirect_jumps >= 41");
    for compiler in ["clang-16", "clang-17", "clang-18", "clang-20"] {
        let here = std::process::Command::new(compiler)
            .arg("--version")
            .output();
        if !here.is_ok_and(|o| o.status.success()) {
            println!("skipped: needs {compiler}");
            continue;
        }
        for way in ["-DGOTO", "-DSWITCH"] {
            let options = ["-O2", way];
            let vm = compile(compiler, &options, &["interpreter.c"], folder.path(), "vm");
            assert!(report(&vm, &text).passes(), "{compiler} {way}");
        }
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

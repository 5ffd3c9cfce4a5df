//! Expectations on real code: what holds, what breaks, and what the message says.

mod absent;
mod callees;
mod interpreter;
mod learnt;

use std::path::{Path, PathBuf};

use crate::support::{compile, has};
use proofmark_code::Program;
use proofmark_code::expect::{Breach, Expectations, Report, Status, check};

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

/// The cause that is named when the interpreter has fewer indirect jumps than opcodes.
fn cause(file: &Path) -> Option<String> {
    let report = report(file, &expect("run", "indirect_jumps >= 41"));
    breach(&report).cause.clone()
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

/// The cause that is named when a condition on a function is broken.
fn why(file: &Path, function: &str, holds: &str) -> String {
    let report = report(file, &expect(function, holds));
    breach(&report).cause.clone().unwrap_or_default()
}

//! What is learnt from a build holds for it.

use std::path::Path;

use proofmark_code::expect::{Expectations, Report, Status, check, learn};
use proofmark_code::{Pattern, Program};

use super::{made, report};
use crate::support::{compile, has, has_file, run};

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

//! Lua and a Rust program against objdump, by the oracle of `proofmark-code`.

#![expect(
    clippy::print_stdout,
    reason = "a test that meets the unexpected should stop there and then"
)]

#[path = "../../proofmark-code/tests/oracle/compare.rs"]
mod compare;
#[path = "../../proofmark-code/tests/oracle/counted.rs"]
mod counted;
#[path = "../../proofmark-code/tests/oracle/objdump.rs"]
mod objdump;

use std::process::Command;

use crate::support::{Project, has, lua};

#[test]
fn lua_by_gcc_and_clang() {
    for compiler in ["gcc", "clang-19"] {
        if !has(&[compiler, "make", "objdump"]) {
            continue;
        }
        let project = lua::project();
        let made = Command::new("make")
            .args(["--silent", "-j2", &format!("CC={compiler}"), "FLAGS=-O2"])
            .current_dir(project.path("."))
            .status();
        assert!(made.unwrap().success());
        assert!(compare::agree("objdump", &project.path("lua")) > 500);
    }
}

#[test]
fn a_rust_program() {
    if !has(&["objdump", "rustc"]) {
        return;
    }
    let project = Project::new();
    project.write(
        "main.rs",
        "fn main() { println!(\"{:?}\", std::env::args()); }",
    );
    // Nothing that is dead is left out, so that most of the standard library is there.
    let made = Command::new("rustc")
        .args(["-O", "-C", "link-dead-code", "main.rs"])
        .current_dir(project.path("."))
        .status();
    assert!(made.unwrap().success());
    assert!(compare::agree("objdump", &project.path("main")) > 1_500);
}

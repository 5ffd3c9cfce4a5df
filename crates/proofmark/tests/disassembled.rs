//! Lua and proofmark itself against objdump, by the oracle of `proofmark-code`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that meets the unexpected should stop there and then"
)]

#[path = "../../proofmark-code/tests/oracle/compare.rs"]
mod compare;
#[path = "../../proofmark-code/tests/oracle/counted.rs"]
mod counted;
#[path = "../../proofmark-code/tests/oracle/objdump.rs"]
mod objdump;
mod support;

use std::path::Path;
use std::process::Command;

use support::{has, lua};

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
fn proofmark_itself() {
    if has(&["objdump"]) {
        let own = Path::new(env!("CARGO_BIN_EXE_proofmark"));
        assert!(compare::agree("objdump", own) > 10_000);
    }
}

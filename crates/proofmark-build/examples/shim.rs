//! A program that is nothing but the shims: what the tests put in front of compilers, and the smallest use of `shim_main`.

use std::process::ExitCode;

fn main() -> ExitCode {
    proofmark_build::shim_main().unwrap_or(ExitCode::FAILURE)
}

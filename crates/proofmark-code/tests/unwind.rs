//! Functions and pieces of functions that only the unwind table knows.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected stops there"
)]

mod support;

use proofmark_code::Program;
use support::{compile, has, run};

/// An entry that begins with a frame in place is a piece, and belongs to the function that it jumps into the middle of.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_piece_is_told_from_a_function_by_the_frame_that_it_begins_with() {
    if !["gcc", "strip"].into_iter().all(has) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let options = ["-shared", "-nostdlib"];
    let path = compile("gcc", &options, &["pieces.s"], folder.path(), "pieces.so");
    let named = Program::open(&path).unwrap();
    let address = |name: &str| {
        let functions = named.images()[0].functions();
        functions
            .iter()
            .find(|f| f.symbol() == name)
            .map(proofmark_code::Function::address)
    };
    run("strip", &[path.to_str().unwrap()]);
    let stripped = Program::open(&path).unwrap();
    let functions = stripped.images()[0].functions();
    let whole = functions.iter().position(|f| f.symbol() == "whole");
    assert!(whole.is_some());
    for (name, parent) in [
        ("offset", whole),
        ("saved", whole),
        ("register", whole),
        ("plain", None),
        ("later", None),
        ("same", None),
        ("saving", None),
        ("bare", whole),
        ("called", None),
        ("again", None),
    ] {
        let found = functions
            .iter()
            .find(|f| Some(f.address()) == address(name));
        assert_eq!(
            found.map(proofmark_code::Function::parent),
            Some(parent),
            "{name}"
        );
    }
}

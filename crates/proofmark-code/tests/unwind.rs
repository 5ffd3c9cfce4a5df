//! Functions and pieces of functions that only the unwind table knows.

use std::collections::HashMap;

use crate::support::{compile, has, run};
use proofmark_code::{Address, Program};

/// An entry that begins with a frame in place is a piece, and belongs to the function that it jumps
/// into the middle of.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_piece_is_told_from_a_function_by_the_frame_that_it_begins_with() {
    if !["gcc", "strip"].into_iter().all(has) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let options = ["-shared", "-nostdlib"];
    let path = compile("gcc", &options, &["pieces.s"], folder.path(), "pieces.so");
    // Names are left in the file, which is about to be written over.
    let named: HashMap<String, Address> = {
        let program = Program::open(&path).unwrap();
        let functions = program.images()[0].functions().iter();
        functions.map(|f| (f.symbol(), f.address())).collect()
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
        ("behind", None),
    ] {
        let found = functions.iter().find(|f| f.address() == named[name]);
        assert_eq!(
            found.map(proofmark_code::Function::parent),
            Some(parent),
            "{name}"
        );
    }
    let inside = named["covering"].get() + 1;
    assert!(functions.iter().all(|f| f.address().get() != inside));
    assert!(functions.is_sorted_by_key(proofmark_code::Function::address));
}

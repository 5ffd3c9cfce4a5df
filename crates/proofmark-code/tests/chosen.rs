//! Calls of functions that are chosen when a program is loaded (`IFUNC`): a static executable has
//! stubs for them, and no dynamic symbols.

use crate::support::{compile, has};
use proofmark_code::{Fact, Facts, Program};

#[test]
fn calls_of_chosen_functions_are_known_by_name() {
    let folder = tempfile::tempdir().unwrap();
    for (compiler, linker, kind) in [
        ("gcc", "bfd", "-static"),
        ("gcc", "bfd", "-static-pie"),
        ("gcc", "gold", "-static"),
        ("clang-19", "lld", "-static"),
    ] {
        if !has(compiler) {
            continue;
        }
        let with = format!("-fuse-ld={linker}");
        let options = ["-O2", "-fno-builtin", kind, &with];
        let path = compile(compiler, &options, &["chosen.c"], folder.path(), "chosen");
        let program = Program::open(&path).unwrap();
        let image = &program.images()[0];
        let index = image.functions().iter().position(|f| f.name() == "copied");
        let facts = Facts::of(image, index.unwrap());
        let callees = facts.callees(image);
        let callees: Vec<&str> = callees.keys().map(String::as_str).collect();
        assert_eq!(callees, ["memcpy", "strlen"], "{linker} {kind}");
        assert_eq!(facts.get(Fact::PltCalls), 2, "{linker} {kind}");
    }
}

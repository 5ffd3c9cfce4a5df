//! Code that is padded within its function is the same code, and tables that lead into it are the
//! same where they lead to the same instructions.

use std::path::Path;

use crate::support::{compile, has};
use proofmark_code::Program;
use proofmark_code::diff::unlike;

/// Jumps by a table of addresses and one of distances.
fn program(padding: u32, addresses: [&str; 3], distances: [&str; 3]) -> String {
    format!(
        ".text\n.globl run\n.type run, @function\nrun:\n\
         lea table(%rip), %rax\nlea distances(%rip), %rcx\nmovslq (%rcx,%rdi,4), %rdx\n\
         jmp *(%rax,%rdi,8)\n.nops {padding}\n\
         .La: add $7, %rdi\n.Lb: sub $9, %rdi\njne .La\n.nops {}\n.Lc: ret\n.size run, .-run\n\
         .section .data.rel.ro,\"aw\"\n.balign 8\n.type table, @object\ntable:\n.quad {}\n\
         .size table, .-table\n.section .rodata\n.balign 4\n.type distances, @object\n\
         distances:\n.long {}\n.size distances, .-distances\n",
        2 * padding + 1,
        addresses.join(", "),
        distances.map(|to| format!("{to} - .La")).join(", "),
    )
}

/// What differs between two of them, in words.
fn differs(folder: &Path, base: &str, new: &str) -> Vec<String> {
    let linked = |name: &str, text: &str| {
        std::fs::write(folder.join(format!("{name}.s")), text).unwrap();
        let source = folder.join(format!("{name}.s")).display().to_string();
        let options = ["-shared", "-nostdlib"];
        Program::open(&compile("gcc", &options, &[&source], folder, name)).unwrap()
    };
    let (base, new) = (linked("base.so", base), linked("new.so", new));
    let found = unlike(&base.images()[0], &new.images()[0]);
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn tables_are_the_same_where_they_lead_to_the_same_instructions() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let order = [".La", ".Lb", ".Lc"];
    let base = program(3, order, order);
    for padding in [0, 3, 8] {
        let padded = program(padding, order, order);
        assert_eq!(differs(folder, &base, &padded), [""; 0], "{padding}");
    }
    let other = [".La", ".Lc", ".Lb"];
    for padding in [0, 3, 8] {
        let said = differs(folder, &base, &program(padding, other, order));
        assert_eq!(said, ["the datum table has another content"], "{padding}");
        let said = differs(folder, &base, &program(padding, order, other));
        assert_eq!(
            said,
            ["the datum distances has another content"],
            "{padding}"
        );
    }
    // The same distance in bytes, and in the midst of an instruction.
    let shifted = [".La", ".Lb + 1", ".Lc"];
    let said = differs(folder, &base, &program(8, shifted, order));
    assert_eq!(said, ["the datum table has another content"]);
}

/// Two functions with handles as layouts give them, and a table of both.
fn handled(table: [&str; 2]) -> String {
    format!(
        ".text\n.globl one\n.type one, @function\none:\npm.1: mov $1, %eax\nret\n\
         .size one, .-one\n.globl two\n.type two, @function\ntwo:\npm.2: mov $2, %eax\nret\n\
         .size two, .-two\n.type pm.1, @function\n.size pm.1, 6\n.type pm.2, @function\n\
         .size pm.2, 6\n.section .data.rel.ro,\"aw\"\n.balign 8\n.type table, @object\ntable:\n\
         .quad {}\n.size table, .-table\n",
        table.join(", ")
    )
}

#[test]
fn handles_of_layouts_do_not_make_one_function_of_two() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (base, other) = (handled(["one", "two"]), handled(["two", "one"]));
    assert_eq!(differs(folder.path(), &base, &base), [""; 0]);
    let said = differs(folder.path(), &base, &other);
    assert_eq!(said, ["the datum table has another content"]);
}

//! Where indirect jumps lead, on machine code written for the purpose.

use crate::support::{compile, has, run};
use proofmark_code::{Fact, Facts, Program};

/// The register held another table in between, so that only the place on the stack tells.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_table_that_was_kept_on_the_stack_is_known() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let options = ["-shared", "-nostdlib"];
    let path = compile("gcc", &options, &["kept.s"], folder.path(), "kept.so");
    let program = Program::open(&path).unwrap();
    let image = &program.images()[0];
    let run = image.functions().iter().position(|f| f.name() == "run");
    let facts = Facts::of(image, run.unwrap());
    let got = [
        Fact::IndirectJumps,
        Fact::ComputedGotos,
        Fact::IndirectTailCalls,
        Fact::Blocks,
        Fact::Loops,
    ]
    .map(|fact| facts.get(fact));
    // Entry and the two labels; the first label leads to itself as well.
    assert_eq!(got, [2, 2, 0, 3, 1]);
}

/// Where the table is not known, an unchecked jump with the frame up counts as one through labels;
/// through the table of functions that the register held before, it would be a tail call.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_register_that_was_overwritten_holds_its_table_no_more() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let options = ["-shared", "-nostdlib"];
    let name = "overwritten.so";
    let path = compile("gcc", &options, &["overwritten.s"], folder.path(), name);
    let program = Program::open(&path).unwrap();
    let image = &program.images()[0];
    let counted = [Fact::ComputedGotos, Fact::IndirectTailCalls, Fact::Blocks];
    // The labels are read where their table is known: entry, way out, jump and the second label.
    for (name, expected) in [
        ("copied", [0, 1, 1]),
        ("loaded", [1, 0, 1]),
        ("reloaded", [0, 1, 1]),
        ("itself", [0, 1, 1]),
        ("added", [1, 0, 1]),
        ("called", [1, 0, 1]),
        ("twice", [0, 1, 1]),
        ("aborted", [0, 1, 3]),
        ("left", [1, 0, 4]),
        ("no_frame", [1, 0, 1]),
    ] {
        let index = image.functions().iter().position(|f| f.name() == name);
        let facts = Facts::of(image, index.unwrap());
        assert_eq!(counted.map(|fact| facts.get(fact)), expected, "{name}");
    }
}

/// In code that can be loaded anywhere, compilers write distances for a `switch`: pointers are the
/// program's.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_table_of_pointers_that_are_relocated_is_the_programs() {
    let folder = tempfile::tempdir().unwrap();
    for compiler in ["gcc", "clang-16", "clang-19"] {
        if !has(compiler) {
            continue;
        }
        let options = ["-O2", "-fPIC", "-shared", "-nostdlib"];
        let name = format!("local-{compiler}.so");
        let path = compile(compiler, &options, &["local.c"], folder.path(), &name);
        let program = Program::open(&path).unwrap();
        let image = &program.images()[0];
        let sites = |name: &str| {
            let index = image.functions().iter().position(|f| f.name() == name);
            let facts = Facts::of(image, index.unwrap());
            [Fact::ComputedGotos, Fact::JumpTables].map(|fact| facts.get(fact) > 0)
        };
        assert_eq!(sites("goto_local"), [true, false], "{compiler}");
        assert_eq!(sites("switch_dense"), [false, true], "{compiler}");
    }
}

/// One decoder reads a section: what lies behind the end of a function must not become part of its
/// last instruction, nor be lost for the function that begins there.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_function_that_ends_inside_an_instruction_is_read_as_if_it_stood_alone() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = compile("gcc", &["-c"], &["cut.s"], folder.path(), "cut.o");
    let program = Program::open(&path).unwrap();
    let image = &program.images()[0];
    let index = |name: &str| image.functions().iter().position(|f| f.name() == name);
    let all = Facts::all(image);
    for name in ["first", "second"] {
        let (here, alone) = (
            index(name).unwrap(),
            index(&format!("{name}_alone")).unwrap(),
        );
        assert_eq!(all[here], all[alone], "{name}");
        assert_eq!(Facts::of(image, here), all[alone], "{name}");
    }
    let first = &all[index("first").unwrap()];
    let counted = [Fact::Bytes, Fact::Instructions, Fact::Undecoded];
    assert_eq!(counted.map(|fact| first.get(fact)), [4, 2, 1]);
    assert_eq!(all[index("second").unwrap()].get(Fact::Instructions), 5);
}

/// No compiler for x86-64 lets the offsets of a `switch` count from elsewhere than the table.
#[test]
#[cfg(target_arch = "x86_64")]
fn distances_between_labels_are_the_programs_own() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let options = ["-shared", "-nostdlib"];
    let name = "distances.so";
    let path = compile("gcc", &options, &["distances.s"], folder.path(), name);
    let program = Program::open(&path).unwrap();
    let image = &program.images()[0];
    let counted = [
        Fact::JumpTables,
        Fact::ComputedGotos,
        Fact::Blocks,
        Fact::Loops,
    ];
    for (name, expected) in [
        ("switch", [1, 0, 3, 0]),
        ("hardened", [1, 0, 4, 1]),
        ("trapped", [0, 0, 6, 0]),
        ("goto", [0, 1, 3, 0]),
    ] {
        let index = image.functions().iter().position(|f| f.name() == name);
        let facts = Facts::of(image, index.unwrap());
        assert_eq!(counted.map(|fact| facts.get(fact)), expected, "{name}");
    }
}

/// The large code model has distances of 64 bits in its tables, and makes their addresses by
/// adding.
#[test]
#[cfg(target_arch = "x86_64")]
fn a_table_of_the_large_code_model_is_a_switch_s() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("large.s");
    // As clang 19 writes it with -mcmodel=large -fPIC.
    let text = ".text\n.globl large\n.type large, @function\nlarge:\n\
        .Lhere: lea .Lhere(%rip), %rcx\nmovabs $_GLOBAL_OFFSET_TABLE_-.Lhere, %rax\n\
        add %rcx, %rax\ncmp $1, %edi\nja .Lc\nmov %edi, %ecx\n\
        movabs $.Ltable@GOTOFF, %rdx\nadd %rax, %rdx\nadd (%rdx,%rcx,8), %rdx\njmp *%rdx\n\
        .La: mov $1, %eax\nret\n.Lb: mov $2, %eax\nret\n.Lc: xor %eax, %eax\nret\n\
        .size large, .-large\n.section .rodata\n.balign 8\n\
        .Ltable: .quad .La-.Ltable, .Lb-.Ltable\n";
    std::fs::write(&source, text).unwrap();
    let options = ["-shared", "-nostdlib"];
    let source = source.display().to_string();
    let path = compile("gcc", &options, &[&source], folder.path(), "large.so");
    let program = Program::open(&path).unwrap();
    let facts = Facts::of(&program.images()[0], 0);
    let counted = [Fact::JumpTables, Fact::IndirectTailCalls, Fact::Blocks];
    assert_eq!(counted.map(|fact| facts.get(fact)), [1, 0, 5]);
}

/// What gcc and clang write for AArch64, shortened: tables put away on the stack, registers that
/// are used again, jumps to functions.
#[test]
fn tables_of_aarch64_are_followed_as_far_as_they_are_sure() {
    let tools = ["aarch64-linux-gnu-as", "aarch64-linux-gnu-ld"];
    if !tools.into_iter().all(has) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let object = compile(
        tools[0],
        &[],
        &["jumps_aarch64.s"],
        folder.path(),
        "jumps.o",
    );
    let library = folder.path().join("jumps.so");
    let [object, linked] = [&object, &library].map(|path| path.to_str().unwrap());
    run(tools[1], &["-shared", object, "-o", linked]);
    let program = Program::open(&library).unwrap();
    let image = &program.images()[0];
    let counted = [
        Fact::ComputedGotos,
        Fact::IndirectTailCalls,
        Fact::UnknownJumps,
        Fact::Blocks,
    ];
    // Where the table of labels is known, blocks begin at the labels.
    for (name, expected) in [
        ("kept", [2, 0, 0, 4]),
        ("left", [1, 0, 0, 5]),
        ("unnamed", [1, 0, 0, 4]),
        ("loaded", [1, 0, 0, 1]),
        ("moved", [1, 0, 0, 1]),
        ("called", [1, 0, 0, 1]),
        ("elsewhere", [1, 0, 0, 2]),
        ("between", [0, 1, 0, 3]),
        ("itself", [0, 0, 1, 2]),
        ("straight", [0, 1, 0, 1]),
        ("inside", [1, 0, 0, 2]),
        ("odd", [0, 0, 0, 1]),
    ] {
        let index = image.functions().iter().position(|f| f.name() == name);
        let facts = Facts::of(image, index.unwrap());
        assert_eq!(counted.map(|fact| facts.get(fact)), expected, "{name}");
    }
}

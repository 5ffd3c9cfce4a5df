//! Every function, every fact that a disassembler's output shows as well: ours against objdump's.

mod compare;
mod counted;
mod jumps;
pub(crate) mod objdump;

use std::path::Path;

use crate::support::{clangs, compile, go, has, has_file, has_go, run, skipped};
use compare::agree;
use proofmark_code::Program;

/// Options of our own programs: without optimisation, with wide vectors, and with calls through
/// slots.
const OPTIONS: [[&str; 2]; 4] = [
    ["-O0", "-g0"],
    ["-O2", "-mavx2"],
    ["-O3", "-mavx512f"],
    ["-Os", "-fno-plt"],
];

fn our_own_programs(compiler: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for (i, [level, more]) in OPTIONS.into_iter().enumerate() {
        for (source, fewest) in [("facts.c", 14), ("interpreter.c", 2)] {
            let name = format!("{source}{i}.o");
            let options = [level, more, "-c"];
            let object = compile(compiler, &options, &[source], folder.path(), &name);
            let functions = agree("objdump", &object);
            assert!(functions >= fewest, "{compiler} {source}: {functions}");
            compared += functions;
        }
        // Linked, so that calls have names, and stubs and slots lead to them.
        let options = [level, more, "-shared", "-fPIC", "-nostdlib"];
        let library = compile(compiler, &options, &["facts.c"], folder.path(), "facts.so");
        compared += agree("objdump", &library);
    }
    println!("{compiler}: {compared} functions");
}

#[test]
fn our_own_programs_with_gcc() {
    if has("gcc") && has("objdump") {
        our_own_programs("gcc");
    }
}

#[test]
fn our_own_programs_with_clang() {
    if has("objdump") {
        clangs().into_iter().for_each(our_own_programs);
    }
}

#[test]
fn our_own_programs_for_aarch64() {
    if !has("llvm-objdump-19") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for compiler in clangs() {
        let mut compared = 0;
        for level in ["-O0", "-O2", "-O3", "-Os"] {
            let options = [
                "-target",
                "aarch64-linux-gnu",
                "-ffreestanding",
                level,
                "-c",
            ];
            let name = format!("{compiler}{level}.o");
            let facts = compile(compiler, &options, &["facts.c"], folder.path(), &name);
            let functions = agree("llvm-objdump-19", &facts);
            assert!(functions >= 14, "{compiler}: {functions}");
            compared += functions;
        }
        println!("{compiler} for AArch64: {compared} functions");
    }
}

/// Real programs for AArch64, by gcc: Debian's C and C++ libraries, as they stand where a cross
/// compiler finds them.
#[test]
fn libraries_for_aarch64() {
    let tool = "aarch64-linux-gnu-objdump";
    if !has(tool) {
        return;
    }
    // Of the C library `setcontext` jumps to a saved place, through `x16`.
    for (name, strays, fewest) in [
        ("libc.so.6", 1, [30, 80, 30]),
        ("libstdc++.so.6", 0, [10, 250, 0]),
    ] {
        let path = format!("/usr/aarch64-linux-gnu/lib/{name}");
        if has_file(&path) {
            let path = Path::new(&path);
            assert!(agree(tool, path) > 3000);
            let found = jumps::by_gcc(tool, path, strays);
            assert!(found.iter().zip(fewest).all(|(n, f)| *n >= f), "{found:?}");
        }
    }
}

#[test]
fn instructions_of_aarch64_that_are_seldom_written() {
    let [assembler, tool] = ["aarch64-linux-gnu-as", "aarch64-linux-gnu-objdump"];
    if has(assembler) && has(tool) {
        let folder = tempfile::tempdir().unwrap();
        let sources = ["seldom_aarch64.s"];
        let object = compile(assembler, &[], &sources, folder.path(), "seldom.o");
        assert!(agree(tool, &object) > 60);
    }
}

/// With and without the names of the tables.
#[test]
fn jumps_of_aarch64_are_what_the_source_says() {
    let [linker, strip] = ["aarch64-linux-gnu-ld", "aarch64-linux-gnu-strip"];
    if !has(linker) || !has(strip) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let target = "--target=aarch64-linux-gnu";
    for compiler in clangs() {
        for (level, guarded, most) in [
            // Without optimisation the target of a computed goto is kept on the stack, and one jump
            // does for all.
            ("-O0", "none", 4),
            ("-O1", "none", 0),
            ("-O2", "none", 0),
            ("-O3", "standard", 0),
            ("-Os", "standard", 0),
        ] {
            let guarded = format!("-mbranch-protection={guarded}");
            let options = [target, "-ffreestanding", "-fPIC", &guarded, level, "-c"];
            let object = compile(compiler, &options, &["jumps.c"], folder.path(), "jumps.o");
            let linked = folder.path().join("jumps.so");
            let [object, library] = [&object, &linked].map(|path| path.to_str().unwrap());
            run(linker, &["-shared", object, "-o", library]);
            let [unknown, jumps] = jumps::by_name(&linked);
            assert!(unknown <= most && jumps >= 6, "{unknown} of {jumps}");
            run(strip, &[library]);
            let [unknown, jumps] = jumps::by_name(&linked);
            assert!(unknown <= most && jumps >= 6, "{unknown} of {jumps}");
        }
    }
}

#[test]
fn the_systems_own_files() {
    if !has("objdump") {
        return;
    }
    for path in [
        "/usr/bin/python3",
        "/usr/lib/x86_64-linux-gnu/libc.so.6",
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
    ] {
        if has_file(path) {
            assert!(agree("objdump", Path::new(path)) > 1000);
        }
    }
}

#[test]
fn rusts_standard_library() {
    if !has("objdump") || !has("rustc") {
        return;
    }
    let root = run("rustc", &["--print", "target-libdir"]);
    let library = std::fs::read_dir(root.trim())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("libstd-") && path.extension().is_some_and(|e| e == "so")
        });
    let Some(library) = library else {
        skipped("Rust's standard library as a shared one");
        return;
    };
    // Stripped of its symbols but for the exported ones: the unwind table names the places of the
    // rest.
    assert!(agree("objdump", &library) > 1000);
}

#[test]
fn this_tests_own_executable() {
    if has("objdump") {
        let own = std::env::current_exe().unwrap();
        assert!(agree("objdump", &own) > 5000);
    }
}

#[test]
fn a_go_program() {
    if !has_go() || !has("objdump") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (machine, tool) in [("amd64", "objdump"), ("arm64", "llvm-objdump-19")] {
        if !has(tool) {
            continue;
        }
        let program = go("shapes.go", machine, folder.path());
        assert!(agree(tool, &program) > 1000);
        let program = Program::open(&program).unwrap();
        let image = &program.images()[0];
        let named = |name: &str| image.functions().iter().any(|f| f.name() == name);
        for name in ["main.main", "main.(*circle).area", "runtime.mallocgc"] {
            assert!(named(name), "{machine}: {name}");
        }
    }
}

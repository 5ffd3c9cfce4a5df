//! Hazards of machine code: at known addresses, and held against what objdump shows.

use std::path::Path;

use crate::oracle::objdump::{self, Line};
use crate::support::{compile, has};
use proofmark_code::hazards::{Hazards, JumpAt, SharedCode, Touch};
use proofmark_code::{Arch, Image, Program};
use proofmark_terms::CacheShape;

fn named(image: &Image, name: &str) -> usize {
    let mut functions = image.functions().iter();
    functions.position(|f| f.name() == name).unwrap()
}

fn assembled(compiler: &str, text: &str, options: &[&str], folder: &Path) -> Program {
    let source = folder.join("source.s");
    std::fs::write(&source, text).unwrap();
    let source = source.display().to_string();
    Program::open(&compile(compiler, options, &[&source], folder, "out")).unwrap()
}

const FIXED: [&str; 5] = [
    "-static",
    "-nostdlib",
    "-no-pie",
    "-Wl,-Ttext=0x400000",
    "-Wl,--build-id=none",
];

/// A function begins at 0x400000; each `.org` is an offset in it.
const PLACED: &str = ".text\n.globl run\n.type run, @function\nrun:\n\
    .org 0x1f, 0x90\n1: nopw 0(%rax,%rax,1)\n2: dec %rdi\n.org 0x5b, 0x90\ndec %rsi\njne 2b\n\
    .org 0x7e, 0x90\njmp 1b\n\
    .org 0x9d, 0x90\ncmp %rax, %rdx\nje 3f\n\
    .org 0xbe, 0x90\ncmp %rax, %rdx\njo 3f\n\
    .org 0xe0, 0x90\ntest %rax, %rax\njne 3f\n\
    .org 0x13d, 0x90\ncmp %rax, %rdx\nje 3f\n\
    3: ret\n.size run, . - run\n";

#[test]
fn loops_and_jumps_stand_where_they_were_put() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = assembled("gcc", PLACED, &FIXED, folder.path());
    let image = &program.images()[0];
    let hazards = Hazards::of(image, named(image, "run"));
    let loops: Vec<[u64; 7]> = hazards
        .loops
        .iter()
        .map(|l| {
            let (across32, across64) = (l.begins_across(32), l.begins_across(64));
            let across = u64::from(across32) + 2 * u64::from(across64);
            let lines = [l.lines(32), l.lines(64)];
            let [from, to] = [l.head, l.end].map(|at| at.get() - 0x40_0000);
            [
                from,
                to,
                across,
                lines[0],
                lines[1],
                l.fewest_lines(32),
                l.fewest_lines(64),
            ]
        })
        .collect();
    // From 0x1f to 0x80: two lines of 64 hold what takes a line and a half. The inner one begins
    // behind the no-operation of five bytes.
    let expected = [[0x1f, 0x80, 1, 4, 2, 4, 2], [0x24, 0x60, 0, 2, 2, 2, 1]];
    assert_eq!(loops, expected);
    assert_eq!((hazards.loops_across(32), hazards.loops_across(64)), (1, 0));
    assert_eq!((hazards.lines_beyond(32), hazards.lines_beyond(64)), (0, 1));
    let at = |offset: u64, bytes, fused, touch, in_loop| JumpAt {
        address: proofmark_code::Address::new(0x40_0000 + offset),
        bytes,
        fused,
        touch,
        in_loop,
    };
    let expected = [
        at(0x5b, 5, true, Touch::EndsOn, true),
        at(0x7e, 2, false, Touch::EndsOn, true),
        // Fused, for lines of 64 hold it; and not with `jo`, which begins behind the line.
        at(0x9d, 9, true, Touch::Crosses, false),
    ];
    assert_eq!(hazards.jumps, expected);
}

/// What objdump's text says of a pair: the manual's rule, by mnemonics and operands.
fn fused(first: &Line, jump: &Line) -> bool {
    let stem = |list: &[&str]| {
        list.iter().any(|name| {
            let suffix = first.mnemonic.strip_prefix(name);
            suffix.is_some_and(|suffix| ["", "b", "w", "l", "q"].contains(&suffix))
        })
    };
    let signed = ["je", "jne", "jl", "jge", "jle", "jg"].contains(&&*jump.mnemonic);
    let unsigned = ["jb", "jae", "jbe", "ja"].contains(&&*jump.mnemonic);
    let flags = if stem(&["test", "and"]) {
        jump.mnemonic != "jrcxz" && jump.mnemonic != "jecxz"
    } else if stem(&["cmp", "add", "sub"]) {
        signed || unsigned
    } else {
        stem(&["inc", "dec"]) && signed
    };
    let memory = first.operands.contains('(') || first.operands.contains("%fs:");
    let writes = first.operands.ends_with(')') && !stem(&["cmp", "test"]);
    let single = !first.operands.contains(",%") && !first.operands.contains(",(");
    let counts = stem(&["inc", "dec"]) && single;
    let number = first.operands.starts_with('$');
    let relative = first.operands.contains("(%rip)");
    let allowed = !(relative || number || writes || counts);
    flags && (!memory || allowed) && !jump.address.is_multiple_of(64)
}

/// Where a jump begins and ends.
type Jump = (u64, u64);
/// Where a loop begins, how long its first instruction is, and where it ends.
type Loop = (u64, u64, u64);

/// Jumps at the ends of lines and loop heads across lines, as objdump shows them.
fn shown(lines: &[Line], (start, end): (u64, u64)) -> (Vec<Jump>, Vec<Loop>) {
    let (mut jumps, mut loops) = (Vec::new(), std::collections::BTreeMap::new());
    let inside = |at: u64| (start..end).contains(&at);
    let own: Vec<&Line> = lines.iter().filter(|l| inside(l.address)).collect();
    let behind = |i: usize| own.get(i + 1).map_or(end, |l| l.address);
    for (i, line) in own.iter().enumerate() {
        let name = &*line.mnemonic;
        let jumps_away = name.starts_with('j') && !name.starts_with("jmp");
        if !(name.starts_with('j') || name.starts_with("call") || name.starts_with("ret")) {
            continue;
        }
        let pair = i
            .checked_sub(1)
            .filter(|before| jumps_away && fused(own[*before], line));
        let from = own[pair.unwrap_or(i)].address;
        if from / 32 != behind(i) / 32 {
            jumps.push((from, behind(i)));
        }
        let back = line
            .target()
            .filter(|_| name.starts_with('j') && !line.operands.contains('*'));
        let back = back.filter(|(to, _)| (start..=line.address).contains(to));
        if let Some((to, _)) = back
            && let Some(head) = own.iter().position(|l| l.address == to)
        {
            loops.insert(to, (behind(head) - to, behind(i)));
        }
    }
    let loops = loops
        .into_iter()
        .map(|(head, (bytes, end))| (head, bytes, end));
    (jumps, loops.collect())
}

#[test]
fn hazards_are_those_that_objdump_shows() {
    if !has("gcc") || !has("clang-19") || !has("objdump") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (mut jumps, mut pairs, mut loops) = (0, 0, 0);
    for (compiler, level) in [
        ("gcc", "-O2"),
        ("gcc", "-O0"),
        ("gcc", "-Os"),
        ("clang-19", "-O0"),
        ("clang-19", "-O3"),
    ] {
        let options = [level, "-g0", "-shared", "-fPIC", "-nostdlib"];
        let sources = ["facts.c", "interpreter.c", "jumps.c"];
        let file = compile(compiler, &options, &sources, folder.path(), "it.so");
        let program = Program::open(&file).unwrap();
        let image = &program.images()[0];
        let sections = objdump::disassemble("objdump", &file);
        for (index, function) in image.functions().iter().enumerate() {
            let start = function.address().get();
            let place = (start, start + function.size());
            let Some(lines) = sections.get(image.section_of(function)) else {
                continue;
            };
            let (expected_jumps, expected_loops) = shown(lines, place);
            let found = Hazards::of(image, index);
            let told = |j: &JumpAt| (j.address.get(), j.address.get() + j.bytes);
            let name = function.name();
            let got: Vec<Jump> = found.jumps.iter().map(told).collect();
            assert_eq!(got, expected_jumps, "{compiler} {level} {name}");
            let got: Vec<Loop> = found
                .loops
                .iter()
                .map(|l| (l.head.get(), l.head_bytes, l.end.get()))
                .collect();
            assert_eq!(got, expected_loops, "{compiler} {level} {name}");
            jumps += found.jumps.len();
            pairs += found.jumps.iter().filter(|j| j.fused).count();
            loops += found.loops.len();
        }
    }
    println!("{jumps} jumps, {pairs} of them pairs, {loops} loops");
    assert!(
        jumps > 50 && pairs > 5 && loops > 25,
        "{jumps} {pairs} {loops}"
    );
}

/// Calls of another file are far from a program, and near from a library.
#[test]
fn calls_of_other_files_are_far() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let text = ".text\n.globl main\n.type main, @function\nmain:\n1: call puts@PLT\n\
        call own\ndec %rdi\njne 1b\ncall *getpid@GOTPCREL(%rip)\nret\n.size main, . - main\n\
        .globl own\n.type own, @function\nown: ret\n.size own, . - own\n\
        .section .note.GNU-stack,\"\",@progbits\n";
    let program = assembled("gcc", text, &["-pie"], folder.path());
    let image = &program.images()[0];
    let main = image.functions()[named(image, "main")].address().get();
    let told: Vec<(u64, String, bool)> = Hazards::of(image, named(image, "main"))
        .far_calls
        .into_iter()
        .map(|call| {
            let callee = call.callee.split('@').next().unwrap().to_owned();
            (call.address.get() - main, callee, call.in_loop)
        })
        .collect();
    let expected = [
        (0, "puts".to_owned(), true),
        (15, "getpid".to_owned(), false),
    ];
    assert_eq!(told, expected);
    let library = assembled("gcc", text, &["-shared"], folder.path());
    let image = &library.images()[0];
    assert_eq!(Hazards::of(image, named(image, "main")).far_calls, []);
}

/// Functions of 64 bytes, each at the same offset of a page of its own, and one beside.
#[test]
fn functions_of_one_offset_share_a_set() {
    if !has("gcc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from(".text\n");
    for n in 0..10 {
        text += &format!(
            ".balign 4096\n.skip 0x{:x}\n.globl f{n}\n.type f{n}, @function\nf{n}: .nops 64\n\
             .size f{n}, . - f{n}\n",
            // The last one starts in the midst of a line.
            if n == 9 { 0x120 } else { 0x100 }
        );
    }
    let program = assembled("gcc", &text, &FIXED, folder.path());
    let image = &program.images()[0];
    let hot: Vec<usize> = (0..10).map(|n| named(image, &format!("f{n}"))).collect();
    let shape = |bytes, ways| CacheShape::new(bytes, ways, 64).unwrap();
    let shared = SharedCode::of_functions(image, &hot, shape(32 << 10, 8));
    assert_eq!((shared.lines, shared.pages.len()), (11, 10));
    let sets: Vec<(u64, u64, u64)> = shared
        .sets
        .iter()
        .map(|s| (s.set, s.lines, s.room))
        .collect();
    assert_eq!(sets, [(4, 10, 8), (5, 1, 8)]);
    assert_eq!(shared.overfull().count(), 1);
    assert_eq!(
        (shared.lines_beyond(), shared.in_overfull()),
        (2, hot.clone())
    );
    // What 16 ways hold conflicts in none.
    let roomy = SharedCode::of_functions(image, &hot, shape(64 << 10, 16));
    assert_eq!((roomy.overfull().count(), roomy.sets[0].room), (0, 16));
    // Where a way is larger than a page, the loader decides among the sets of a group.
    let wide = SharedCode::of_functions(image, &hot, shape(192 << 10, 6));
    assert_eq!((wide.sets.len(), wide.sets[0].room), (2, 48));
    // Executed lines alone.
    let one = image.functions()[hot[9]].address();
    let some = SharedCode::of_addresses(image, [one, one], shape(32 << 10, 8));
    assert_eq!(
        (some.lines, some.sets[0].functions.clone()),
        (1, vec![hot[9]])
    );
}

#[test]
fn loops_of_aarch64_have_lines_and_no_erratum() {
    let compiler = "aarch64-linux-gnu-gcc";
    if !has(compiler) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let text = ".text\n.globl run\n.type run, @function\nrun:\n.space 0x3c\n1: subs x0, x0, #1\n\
        b.ne 1b\nret\n.size run, . - run\n";
    let options = [
        "-static",
        "-nostdlib",
        "-Wl,-Ttext=0x400000",
        "-Wl,--build-id=none",
    ];
    let program = assembled(compiler, text, &options, folder.path());
    let image = &program.images()[0];
    assert_eq!(image.arch(), Arch::Aarch64);
    let hazards = Hazards::of(image, named(image, "run"));
    let one = hazards.loops[0];
    assert_eq!(
        (one.lines(64), one.fewest_lines(64), one.bytes()),
        (2, 1, 8)
    );
    assert!(!one.begins_across(64));
    assert_eq!(hazards.jumps, []);
}

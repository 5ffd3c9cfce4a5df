//! Every function, every fact that a disassembler's output shows as well: ours against objdump's.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected stops there"
)]

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use proofmark_code::{Arch, Fact, Facts, Image, Program};
use support::{compile, has, has_file, run};

/// One instruction as the disassembler prints it.
struct Line {
    address: u64,
    mnemonic: String,
    operands: String,
}

/// The instructions of each section by address; objects have several sections that all start at 0.
fn disassemble(tool: &str, path: &Path) -> BTreeMap<String, Vec<Line>> {
    let place = path.display().to_string();
    let text = run(tool, &["-d", "--no-show-raw-insn", &place]);
    let mut sections: BTreeMap<String, Vec<Line>> = BTreeMap::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("Disassembly of section ") {
            section = name.trim_end_matches(':').to_string();
            continue;
        }
        let Some((address, rest)) = line.split_once(':') else {
            continue;
        };
        let Ok(address) = u64::from_str_radix(address.trim(), 16) else {
            continue;
        };
        if !line.starts_with(' ') && !line.starts_with('\t') {
            continue;
        }
        let rest = rest
            .split("# ")
            .next()
            .unwrap_or("")
            .split("//")
            .next()
            .unwrap_or("")
            .trim();
        let mut words = rest.split_whitespace();
        let mut mnemonic = words.next().unwrap_or("").to_string();
        // Prefixes stand in front of the mnemonic.
        while matches!(
            mnemonic.as_str(),
            "lock"
                | "rep"
                | "repz"
                | "repnz"
                | "notrack"
                | "bnd"
                | "data16"
                | "cs"
                | "ds"
                | "es"
                | "addr32"
                | "rex.W"
        ) {
            let next = words.next().unwrap_or("");
            if mnemonic == "lock" {
                mnemonic = format!("lock-{next}");
                break;
            }
            if next.is_empty() {
                break;
            }
            mnemonic = next.to_string();
        }
        let operands = words.collect::<Vec<_>>().join(" ");
        sections.entry(section.clone()).or_default().push(Line {
            address,
            mnemonic,
            operands,
        });
    }
    sections
}

fn facts_of(arch: Arch, lines: &[Line], end: u64) -> BTreeMap<Fact, u64> {
    let mut facts = BTreeMap::new();
    let mut add = |fact, n: u64| *facts.entry(fact).or_insert(0) += n;
    add(Fact::Instructions, lines.len() as u64);
    let mut widest = 0;
    for (i, line) in lines.iter().enumerate() {
        let next = lines.get(i + 1).map_or(end, |l| l.address);
        let len = next - line.address;
        let (kinds, bits) = match arch {
            Arch::X86_64 => x86(line),
            Arch::Aarch64 => aarch64(line),
        };
        widest = widest.max(bits);
        for fact in kinds {
            add(fact, if fact == Fact::Padding { len } else { 1 });
            let branch = matches!(
                fact,
                Fact::IndirectJumps
                    | Fact::IndirectCalls
                    | Fact::DirectCalls
                    | Fact::Returns
                    | Fact::ConditionalBranches
                    | Fact::Bytes
            );
            if branch && line.address / 32 != next / 32 {
                add(Fact::Branches32, 1);
                if line.address / 64 != next / 64 {
                    add(Fact::Branches64, 1);
                }
            }
        }
    }
    // `Bytes` only marked direct jumps above.
    facts.insert(Fact::Bytes, 0);
    facts.insert(Fact::VectorBits, widest);
    facts
}

fn x86(line: &Line) -> (Vec<Fact>, u64) {
    let m = line.mnemonic.as_str();
    let o = line.operands.as_str();
    let mut facts = Vec::new();
    let star = o.starts_with('*');
    let plain = m.strip_prefix("lock-").unwrap_or(m);
    match plain.split(',').next().unwrap_or(plain) {
        "jmp" | "jmpq" if star => facts.push(Fact::IndirectJumps),
        "jmp" | "jmpq" => facts.push(Fact::Bytes),
        "call" | "callq" if star => facts.push(Fact::IndirectCalls),
        "call" | "callq" => facts.push(Fact::DirectCalls),
        "ret" | "retq" => facts.push(Fact::Returns),
        m if m.starts_with('j') || m.starts_with("loop") => facts.push(Fact::ConditionalBranches),
        m if m.starts_with("nop") => facts.push(Fact::Padding),
        "xchg" if o == "%ax,%ax" => facts.push(Fact::Padding),
        m if m.starts_with("push") => facts.push(Fact::Pushes),
        m if m.starts_with("pop") && !m.starts_with("popcnt") => facts.push(Fact::Pops),
        "leave" | "leaveq" => facts.push(Fact::Pops),
        "mfence" | "lfence" | "sfence" => facts.push(Fact::Fences),
        m if m.starts_with("div") && !m[3..].starts_with(['s', 'p']) => facts.push(Fact::Divisions),
        m if m.starts_with("idiv") => facts.push(Fact::Divisions),
        m if m.starts_with("fdiv")
            || m.starts_with("fidiv")
            || m.starts_with("vdivs")
            || m.starts_with("vdivp") =>
        {
            facts.push(Fact::FloatDivisions);
        }
        m if m.starts_with("divs") || m.starts_with("divp") => facts.push(Fact::FloatDivisions),
        m if m.starts_with("xchg") && o.contains(['(', ':']) => facts.push(Fact::Atomics),
        _ => {}
    }
    if m.starts_with("lock-") && !plain.starts_with("xchg") {
        facts.push(Fact::Atomics);
    }
    let bits = if o.contains("%zmm") {
        512
    } else if o.contains("%ymm") {
        256
    } else if o.contains("%xmm") {
        128
    } else if o.contains("%mm") {
        64
    } else {
        0
    };
    (facts, bits)
}

fn aarch64(line: &Line) -> (Vec<Fact>, u64) {
    let m = line.mnemonic.as_str();
    let o = line.operands.as_str();
    let mut facts = Vec::new();
    match m {
        "br" => facts.push(Fact::IndirectJumps),
        "b" => facts.push(Fact::Bytes),
        "blr" => facts.push(Fact::IndirectCalls),
        "bl" => facts.push(Fact::DirectCalls),
        "ret" => facts.push(Fact::Returns),
        "cbz" | "cbnz" | "tbz" | "tbnz" => facts.push(Fact::ConditionalBranches),
        "nop" => facts.push(Fact::Padding),
        "udiv" | "sdiv" => facts.push(Fact::Divisions),
        "fdiv" => facts.push(Fact::FloatDivisions),
        "dmb" | "dsb" | "isb" => facts.push(Fact::Fences),
        m if m.starts_with("b.") => facts.push(Fact::ConditionalBranches),
        m if [
            "ldxr", "stxr", "ldaxr", "stlxr", "ldadd", "cas", "swp", "ldar", "stlr", "ldapr",
        ]
        .iter()
        .any(|p| m.starts_with(p)) =>
        {
            facts.push(Fact::Atomics);
        }
        m if m.starts_with("st") && o.contains("[sp, #-") && o.ends_with("]!") => {
            facts.push(Fact::Pushes);
        }
        m if m.starts_with("ld") && o.contains("[sp], #") => facts.push(Fact::Pops),
        _ => {}
    }
    (facts, 0)
}

/// The facts that both sides count, on every function of a file; gives the number of functions compared.
fn agree(tool: &str, path: &Path) -> usize {
    let program = Program::open(path).unwrap();
    let mut sections = disassemble(tool, path);
    let mut compared = 0;
    let mut wrong = Vec::new();
    for image in program.images() {
        let all = Facts::all(image);
        for (function, ours) in image.functions().iter().zip(&all) {
            let Some(lines) = sections.get_mut(image.section_of(function)) else {
                continue;
            };
            let start = image.shown(function.address()).get();
            let end = start + function.size();
            let from = lines.partition_point(|l| l.address < start);
            let to = lines.partition_point(|l| l.address < end);
            // What neither decoder knows is data among code: no comparison can be had.
            let unknown = lines[from..to]
                .iter()
                .any(|l| l.mnemonic.contains("(bad)") || l.mnemonic.starts_with('.'));
            // glibc's unwind entry of `__restore_rt` begins a byte early, for unwinders' sake: inside an instruction, for objdump.
            let inside = lines.get(from).is_none_or(|l| l.address != start);
            if unknown || inside || ours.get(Fact::Undecoded) > 0 {
                continue;
            }
            compared += 1;
            let theirs = facts_of(image.arch(), &lines[from..to], end);
            wrong.extend(differences(image, &function.name(), ours, &theirs));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}: {} differences, such as\n{}",
        path.display(),
        wrong.len(),
        wrong[..wrong.len().min(12)].join("\n")
    );
    compared
}

fn differences(
    image: &Image,
    name: &str,
    ours: &Facts,
    theirs: &BTreeMap<Fact, u64>,
) -> Vec<String> {
    let mut shared = vec![
        Fact::Instructions,
        Fact::IndirectJumps,
        Fact::IndirectCalls,
        Fact::DirectCalls,
        Fact::Returns,
        Fact::ConditionalBranches,
        Fact::Branches32,
        Fact::Branches64,
        Fact::Pushes,
        Fact::Pops,
        Fact::Atomics,
        Fact::Fences,
        Fact::Divisions,
        Fact::FloatDivisions,
        Fact::Padding,
    ];
    if image.arch() == Arch::X86_64 {
        shared.push(Fact::VectorBits);
    }
    shared
        .into_iter()
        .map(|f| (f, ours.get(f), theirs.get(&f).copied().unwrap_or(0)))
        .filter(|(_, a, b)| a != b)
        .map(|(f, a, b)| format!("{name}: {f} {a}, objdump {b}"))
        .collect()
}

#[test]
fn our_own_programs_with_gcc() {
    if !has("gcc") || !has("objdump") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (i, options) in [
        ["-O0", "-g0"],
        ["-O2", "-mavx2"],
        ["-O3", "-mavx512f"],
        ["-Os", "-fno-plt"],
    ]
    .into_iter()
    .enumerate()
    {
        let facts = compile(
            "gcc",
            &[options[0], options[1], "-c"],
            &["facts.c"],
            folder.path(),
            &format!("f{i}.o"),
        );
        assert!(agree("objdump", &facts) >= 14);
        let vm = compile(
            "gcc",
            &options,
            &["interpreter.c"],
            folder.path(),
            &format!("vm{i}"),
        );
        assert!(agree("objdump", &vm) >= 5);
    }
}

#[test]
fn our_own_programs_with_clang() {
    if !has("clang-19") || !has("objdump") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (i, options) in [
        ["-O0", "-g0"],
        ["-O2", "-mavx2"],
        ["-O3", "-mavx512f"],
        ["-Os", "-fno-plt"],
    ]
    .into_iter()
    .enumerate()
    {
        let facts = compile(
            "clang-19",
            &[options[0], options[1], "-c"],
            &["facts.c"],
            folder.path(),
            &format!("f{i}.o"),
        );
        assert!(agree("objdump", &facts) >= 14);
        let vm = compile(
            "clang-19",
            &options,
            &["interpreter.c"],
            folder.path(),
            &format!("vm{i}"),
        );
        assert!(agree("objdump", &vm) >= 5);
    }
}

#[test]
fn our_own_programs_for_aarch64() {
    if !has("clang-19") || !has("llvm-objdump-19") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for (i, level) in ["-O0", "-O2", "-O3", "-Os"].into_iter().enumerate() {
        let options = ["--target=aarch64-linux-gnu", "-ffreestanding", level, "-c"];
        let facts = compile(
            "clang-19",
            &options,
            &["facts.c"],
            folder.path(),
            &format!("f{i}.o"),
        );
        assert!(agree("llvm-objdump-19", &facts) >= 14);
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

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
    let text = run(tool, &["-d", "-z", "--no-show-raw-insn", &place]);
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
            "ldxr", "stxr", "ldaxr", "stlxr", "ldadd", "ldset", "ldclr", "ldeor", "cas", "swp",
            "ldar", "stlr", "ldapr",
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
            // Go marks places in the code of AArch64 with functions of one byte, which is no instruction.
            let mark = image.arch() == Arch::Aarch64 && function.size() < 4;
            if unknown || inside || mark || ours.get(Fact::Undecoded) > 0 {
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

/// Options of our own programs: without optimisation, with wide vectors, and with calls through slots.
const OPTIONS: [[&str; 2]; 4] = [
    ["-O0", "-g0"],
    ["-O2", "-mavx2"],
    ["-O3", "-mavx512f"],
    ["-Os", "-fno-plt"],
];

/// Versions of clang that are compared where they are here; one of them has to be.
const CLANGS: [&str; 5] = ["clang-16", "clang-17", "clang-18", "clang-19", "clang-20"];

/// The versions of clang that are here.
fn clangs() -> Vec<&'static str> {
    let there = |name: &str| {
        let version = std::process::Command::new(name).arg("--version").output();
        version.is_ok_and(|o| o.status.success())
    };
    let others = CLANGS.into_iter().filter(|c| *c != "clang-19" && there(c));
    let main = has("clang-19").then_some("clang-19");
    main.into_iter().chain(others).collect()
}

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
            let compared = agree("objdump", Path::new(path));
            assert!(compared > 1000);
            println!("{path}: {compared} functions");
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
        println!("skipped: needs Rust's standard library as a shared one");
        return;
    };
    // Stripped of its symbols but for the exported ones: the unwind table names the places of the rest.
    assert!(agree("objdump", &library) > 1000);
}

#[test]
fn this_very_test() {
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
        let program = go(machine, folder.path());
        assert!(agree(tool, &program) > 1000);
        let program = Program::open(&program).unwrap();
        let image = &program.images()[0];
        let named = |name: &str| image.functions().iter().any(|f| f.name() == name);
        for name in ["main.main", "main.(*circle).area", "runtime.mallocgc"] {
            assert!(named(name), "{machine}: {name}");
        }
    }
}

/// Go's tool has no `--version`.
fn has_go() -> bool {
    let found = std::process::Command::new("go").arg("version").output();
    let found = found.is_ok_and(|o| o.status.success());
    if !found {
        assert!(
            std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_none(),
            "needs go"
        );
        println!("skipped: needs go");
    }
    found
}

/// Builds the test program in Go for a machine.
fn go(machine: &str, folder: &Path) -> std::path::PathBuf {
    let out = folder.join(machine);
    let status = std::process::Command::new("go")
        .args(["build", "-o"])
        .arg(&out)
        .arg("shapes.go")
        .current_dir(support::programs())
        .env("GOARCH", machine)
        .env("GOOS", "linux")
        .env("GOFLAGS", "-mod=mod -buildvcs=false")
        .env("CGO_ENABLED", "0")
        .status()
        .unwrap();
    assert!(status.success());
    out
}

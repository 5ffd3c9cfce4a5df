//! Facts as they can be counted in a disassembler's output, instruction by instruction.

use std::collections::BTreeMap;

use proofmark_code::{Arch, Fact};

use super::objdump::Line;

pub(crate) fn count(arch: Arch, lines: &[Line], end: u64) -> BTreeMap<Fact, u64> {
    let mut facts = BTreeMap::new();
    let mut add = |fact, n: u64| *facts.entry(fact).or_insert(0) += n;
    add(Fact::Instructions, lines.len() as u64);
    let mut widest = 0;
    let has_frame = lines.iter().any(sets_frame);
    for (i, line) in lines.iter().enumerate() {
        let next = lines.get(i + 1).map_or(end, |l| l.address);
        let len = next - line.address;
        let (kinds, bits) = match arch {
            Arch::X86_64 => x86(line),
            Arch::Aarch64 => aarch64(line, has_frame),
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

/// Whether an instruction makes `x29` the frame pointer.
fn sets_frame(line: &Line) -> bool {
    let [to, from] = [0, 1].map(|n| line.operands.split(", ").nth(n).unwrap_or(""));
    ["mov", "add"].contains(&line.mnemonic.as_str()) && to == "x29" && from == "sp"
}

fn aarch64(line: &Line, has_frame: bool) -> (Vec<Fact>, u64) {
    let m = line.mnemonic.as_str();
    let o = line.operands.as_str();
    let mut facts = Vec::new();
    match m {
        "br" | "braa" | "braaz" | "brab" | "brabz" => facts.push(Fact::IndirectJumps),
        "b" => facts.push(Fact::Bytes),
        "blr" | "blraa" | "blraaz" | "blrab" | "blrabz" => facts.push(Fact::IndirectCalls),
        "bl" => facts.push(Fact::DirectCalls),
        "ret" | "retaa" | "retab" => facts.push(Fact::Returns),
        "cbz" | "cbnz" | "tbz" | "tbnz" => facts.push(Fact::ConditionalBranches),
        "nop" => facts.push(Fact::Padding),
        "udiv" | "sdiv" => facts.push(Fact::Divisions),
        "fdiv" => facts.push(Fact::FloatDivisions),
        "dmb" | "dsb" | "isb" | "sb" | "ssbb" | "pssbb" => facts.push(Fact::Fences),
        m if m.starts_with("b.") || m.starts_with("bc.") => facts.push(Fact::ConditionalBranches),
        _ => {}
    }
    let starts = |names: &[&str]| names.iter().any(|p| m.starts_with(p));
    let both = starts(&[
        "ldadd", "ldset", "ldclr", "ldeor", "ldsm", "ldum", "stadd", "stset", "stclr", "steor",
        "stsm", "stum", "cas", "swp",
    ]);
    let one = starts(&[
        "ldxr", "stxr", "ldaxr", "stlxr", "ldxp", "stxp", "ldaxp", "stlxp", "ldar", "stlr",
        "ldlar", "stllr", "ldapr", "ldapur", "stlur",
    ]);
    if both || one {
        facts.push(Fact::Atomics);
    }
    if m.starts_with("st") && o.contains("[sp, #-") && o.ends_with("]!") {
        facts.push(Fact::Pushes);
    } else if m.starts_with("ld") && o.contains("[sp], #") && !o.contains("[sp], #-") {
        facts.push(Fact::Pops);
    } else if o.contains("[sp") || (has_frame && o.contains("[x29")) {
        if m.starts_with("ld") || both {
            facts.push(Fact::StackLoads);
        }
        if m.starts_with("st") || both {
            facts.push(Fact::StackStores);
        }
    }
    (facts, widest(o))
}

/// The widest vector register among the operands of an instruction of AArch64: `d0`, `v0.4s`,
/// `{v0.16b, v1.16b}`, `v0.s[1]`.
fn widest(operands: &str) -> u64 {
    // An address could pass for a register: `b d4 <name>`.
    let named = operands.split_once(" <").map_or(operands, |(before, _)| {
        before
            .rsplit_once([' ', ','])
            .map_or("", |(before, _)| before)
    });
    let words = named.split([',', ' ', '{', '}', '-']);
    let bits = words.map(|word| {
        let (name, elements) = word.split_once('.').unwrap_or((word, ""));
        if name.len() < 2 || !name[1..].bytes().all(|b| b.is_ascii_digit()) {
            return 0;
        }
        match (name.as_bytes()[0], elements) {
            (b'b', _) => 8,
            (b'h', _) => 16,
            (b's', _) => 32,
            (b'd', _) | (b'v', "8b" | "4h" | "2s" | "1d") => 64,
            (b'q' | b'v', _) => 128,
            _ => 0,
        }
    });
    bits.max().unwrap_or(0)
}

//! What indirect jumps of AArch64 are, as a disassembler's output shows it for code by gcc, or as
//! the source's names say.

use std::collections::BTreeSet;
use std::path::Path;

use proofmark_code::{Fact, Facts, Program, facts};

use super::objdump::{self, Line};

/// Instructions before a jump that its address calculation stands among.
const NEAR: usize = 16;

/// In a file by gcc: each `switch` puts the address behind its jump into a register, and each tail
/// call goes through `x16` or `x17`. What is neither, the program's own `goto` or a jump in
/// assembler, must not be taken for a `switch`. Gives the number of jumps of each sort; `strays` is
/// how many of those through `x16` and `x17` may be unknown, being in assembler.
pub(crate) fn by_gcc(tool: &str, path: &Path, strays: usize) -> [usize; 3] {
    let sections = objdump::disassemble(tool, path);
    let (mut switches, mut calls, mut others) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for lines in sections.values() {
        for (i, line) in lines.iter().enumerate().filter(|(_, l)| l.mnemonic == "br") {
            let behind = format!("{:x} ", line.address + 4);
            let label = |l: &Line| {
                l.mnemonic == "adr" && l.operands.split(", ").any(|o| o.starts_with(&behind))
            };
            if lines[i.saturating_sub(NEAR)..i].iter().any(label) {
                switches.insert(line.address);
            } else if ["x16", "x17"].contains(&line.operands.as_str()) {
                calls.insert(line.address);
            } else {
                others.insert(line.address);
            }
        }
    }
    let program = Program::open(path).unwrap();
    let image = &program.images()[0];
    let counted = Facts::all(image);
    let sites = |fact| -> BTreeSet<u64> {
        let some = counted.iter().enumerate().filter(|(_, f)| f.get(fact) > 0);
        let all = some.flat_map(|(i, _)| facts::sites(image, i, fact));
        all.map(|s| s.address.get()).collect()
    };
    // The stubs of the linkage table, which jump through `x17`, are no functions.
    let jumps = sites(Fact::IndirectJumps);
    calls.retain(|at| jumps.contains(at));
    let shown = path.display();
    assert_eq!(sites(Fact::JumpTables), switches, "{shown}");
    let gotos = sites(Fact::ComputedGotos);
    assert!(gotos.is_subset(&others), "{shown}: {gotos:x?}");
    let unknown = sites(Fact::UnknownJumps);
    assert!(calls.intersection(&unknown).count() <= strays, "{shown}");
    [switches.len(), calls.len(), gotos.len()]
}

/// In the test program: `goto_`, `switch_` and `tail_` say what the jumps of a function are. Gives
/// how many are unknown, and how many there are in all.
pub(crate) fn by_name(path: &Path) -> [u64; 2] {
    let program = Program::open(path).unwrap();
    let image = &program.images()[0];
    let kinds = [
        ("goto_", Fact::ComputedGotos),
        ("switch_", Fact::JumpTables),
        ("tail_", Fact::IndirectTailCalls),
    ];
    let mut sums = [0, 0];
    for (index, function) in image.functions().iter().enumerate() {
        let name = function.name();
        let Some((_, kind)) = kinds.iter().find(|(start, _)| name.starts_with(start)) else {
            continue;
        };
        let facts = Facts::of(image, index);
        for (_, other) in kinds.iter().filter(|(_, other)| other != kind) {
            assert_eq!(facts.get(*other), 0, "{}: {name}: {other}", path.display());
        }
        sums[0] += facts.get(Fact::UnknownJumps);
        sums[1] += facts.get(Fact::IndirectJumps);
    }
    sums
}

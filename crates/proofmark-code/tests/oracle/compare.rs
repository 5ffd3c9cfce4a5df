//! Everything that a file's disassembly and ours both show, held against each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proofmark_code::{
    Arch, Fact, Facts, Function, Image, Kind, Origin, Pattern, Program, Via, facts,
};

use super::counted;
use super::objdump::{self, Line, Symbol};

/// One function in so many may be left out, for bytes that one of both sides cannot decode.
const LEFT_OUT: usize = 100;

/// The instructions of a file's sections.
type Sections = BTreeMap<String, Vec<Line>>;

/// The facts that both sides count, on every function of a file, and the list of its functions;
/// gives the number of functions compared.
pub(crate) fn agree(tool: &str, path: &Path) -> usize {
    let program = Program::open(path).unwrap();
    let sections = objdump::disassemble(tool, path);
    let symbols = objdump::symbols(tool, path);
    let (mut compared, mut left_out) = (0, Vec::new());
    let mut wrong = Vec::new();
    for image in program.images() {
        wrong.extend(listed(image, &sections, &symbols));
        let places = image.functions().iter().enumerate();
        let places: BTreeMap<u64, usize> = places.map(|(i, f)| (shown(image, f), i)).collect();
        for (index, ours) in Facts::all(image).iter().enumerate() {
            let function = &image.functions()[index];
            let Some(lines) = lines(image, &sections, function) else {
                continue;
            };
            if let Some(why) = undecided(image, function, lines, ours) {
                left_out.push(format!("{}: {why}", function.name()));
                continue;
            }
            compared += 1;
            let end = shown(image, function) + function.size();
            let theirs = counted::count(image.arch(), lines, end);
            wrong.extend(differences(image, &function.name(), ours, &theirs));
            if image.kind() != Kind::Object {
                wrong.extend(calls(image, index, &places, ours, lines));
            }
        }
    }
    say(path, "differences", &wrong, 0);
    say(path, "left out", &left_out, compared / LEFT_OUT);
    println!(
        "{}: {compared} functions, {} left out",
        path.display(),
        left_out.len()
    );
    compared
}

fn say(path: &Path, what: &str, list: &[String], most: usize) {
    assert!(
        list.len() <= most,
        "{}: {} {what}, such as\n{}",
        path.display(),
        list.len(),
        list[..list.len().min(12)].join("\n")
    );
}

fn shown(image: &Image, function: &Function) -> u64 {
    image.shown(function.address()).get()
}

/// The instructions of a function; `None` for what is no code to the disassembler, and for the
/// marks that Go puts into the code of AArch64, functions of one byte.
fn lines<'a>(image: &Image, sections: &'a Sections, function: &Function) -> Option<&'a [Line]> {
    if image.arch() == Arch::Aarch64 && function.size() < 4 {
        return None;
    }
    let all = sections.get(image.section_of(function))?;
    let start = shown(image, function);
    let from = all.partition_point(|l| l.address < start);
    let to = all.partition_point(|l| l.address < start + function.size());
    Some(&all[from..to])
}

/// Why no comparison can be had.
fn undecided(
    image: &Image,
    function: &Function,
    lines: &[Line],
    ours: &Facts,
) -> Option<&'static str> {
    let bad = |l: &Line| l.mnemonic.contains("(bad)") || l.mnemonic.starts_with('.');
    // glibc's unwind entry of `__restore_rt` begins a byte early, for unwinders' sake: inside an
    // instruction, for objdump.
    if lines
        .first()
        .is_none_or(|l| l.address != shown(image, function))
    {
        return Some("begins inside an instruction");
    }
    match (ours.get(Fact::Undecoded) > 0, lines.iter().any(bad)) {
        (true, true) => Some("neither side can decode it"),
        (true, false) => Some("only the disassembler can decode it"),
        (false, true) => Some("only proofmark can decode it"),
        (false, false) => None,
    }
}

/// The functions of the symbol table and ours: the same places, with the same sizes.
fn listed(image: &Image, sections: &Sections, symbols: &[Symbol]) -> Vec<String> {
    let mut ours = BTreeMap::new();
    for function in image.functions() {
        let place = (image.section_of(function), shown(image, function));
        ours.insert(place, function);
    }
    // Where the file was stripped, objdump lists what is exported, and ours may be from its
    // separate debug file.
    let table = if symbols.iter().any(|s| s.is_exported) {
        Origin::DynamicSymbols
    } else {
        Origin::Symbols
    };
    let mut wrong = Vec::new();
    let mut sizes: BTreeMap<(&str, u64), BTreeSet<u64>> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for symbol in symbols.iter().filter(|s| sections.contains_key(&s.section)) {
        let place = (symbol.section.as_str(), symbol.address);
        known.insert(place);
        if symbol.is_function && symbol.size > 0 && !symbol.name.starts_with(".L") {
            // Several names of one place are one function.
            sizes.entry(place).or_default().insert(symbol.size);
            if !ours.contains_key(&place) {
                wrong.push(format!("{}: not among ours", symbol.name));
            }
        }
    }
    for (place, function) in ours {
        let size = function.size();
        let named = function.origin() == table;
        match sizes.get(&place) {
            Some(theirs) if !theirs.contains(&size) => {
                wrong.push(format!(
                    "{}: {size} bytes, objdump {theirs:?}",
                    function.name()
                ));
            }
            None if named && !known.contains(&place) => {
                wrong.push(format!("{}: no symbol of objdump's", function.name()));
            }
            _ => {}
        }
    }
    wrong
}

/// Direct branches out of a function: whom it calls, by name, through which stubs, and where it
/// jumps instead of calling.
fn calls(
    image: &Image,
    index: usize,
    places: &BTreeMap<u64, usize>,
    ours: &Facts,
    lines: &[Line],
) -> Vec<String> {
    let function = &image.functions()[index];
    let own = shown(image, function)..shown(image, function) + function.size();
    let mut theirs: BTreeMap<(u64, bool), (&str, u64)> = BTreeMap::new();
    let mut stubs = 0;
    for line in lines {
        let call = ["call", "callq", "bl"].contains(&line.mnemonic.as_str());
        let jump = line.mnemonic.starts_with(['j', 'b']) && line.mnemonic != "bl";
        let Some((target, Some(name))) = line.target().filter(|_| call || jump) else {
            continue;
        };
        stubs += u64::from(call && name.ends_with("@plt"));
        let piece = places
            .get(&target)
            .is_some_and(|to| is_piece(image, *to, index));
        if call || !(own.contains(&target) || piece) {
            theirs.entry((target, jump)).or_insert((name, 0)).1 += 1;
        }
    }
    let mut wrong = Vec::new();
    if stubs != ours.get(Fact::PltCalls) {
        wrong.push(format!(
            "plt_calls {}, objdump {stubs}",
            ours.get(Fact::PltCalls)
        ));
    }
    for ((target, jump), (name, sites)) in theirs {
        let here = ours.calls().iter().filter(|c| c.target.get() == target);
        let here = here.filter(|c| (c.via == Via::TailCall) == jump);
        let counted: u64 = here.clone().map(|c| u64::from(c.sites)).sum();
        let plain = name.strip_suffix("@plt").unwrap_or(name);
        let names = [plain, plain.split('@').next().unwrap_or(plain)];
        let names = names.map(|name| Pattern::parse(name).unwrap());
        let called = |c: &proofmark_code::Call| {
            plain.starts_with("*ABS*")
                || names
                    .iter()
                    .any(|name| facts::is_called(image, c.target, name))
        };
        if counted != sites || !here.clone().all(called) {
            let how = if jump { "jumps to" } else { "calls of" };
            wrong.push(format!("{counted} {how} {name}, objdump {sites}"));
        }
    }
    wrong
        .iter()
        .map(|w| format!("{}: {w}", function.name()))
        .collect()
}

/// Whether one function is a piece of the other, or of one that is not there.
fn is_piece(image: &Image, to: usize, from: usize) -> bool {
    let function = &image.functions()[to];
    let stray = function.symbol().contains(".cold") && function.parent().is_none();
    stray || image.whole(to) == image.whole(from)
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
        Fact::VectorBits,
    ];
    if image.arch() == Arch::Aarch64 {
        shared.extend([Fact::StackLoads, Fact::StackStores]);
    }
    shared
        .into_iter()
        .map(|f| (f, ours.get(f), theirs.get(&f).copied().unwrap_or(0)))
        .filter(|(_, a, b)| a != b)
        .map(|(f, a, b)| format!("{name}: {f} {a}, objdump {b}"))
        .collect()
}

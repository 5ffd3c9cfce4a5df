//! Ways out of an image: slots that the dynamic linker fills, the stubs that jump through them, and
//! pointers that it relocates.

use object::elf;
use object::read::elf::{Rel, Rela, SectionHeader, Sym, SymbolTable};
use object::{LittleEndian, SymbolIndex};

use super::names::Names;
use super::sizes::LONGEST;
use super::{File, Placement};
use crate::decode::{self, Flow};
use crate::image::{Function, Image, Link, LinkKind, Name, Stretch};
use crate::{Arch, names};

/// Functions that never return, by the name that a program calls them by.
const NEVER: [&str; 26] = [
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "__stack_chk_fail",
    "__assert_fail",
    "__assert_perror_fail",
    "__fortify_fail",
    "__chk_fail",
    "__libc_fatal",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_throw_bad_array_new_length",
    "__cxa_bad_cast",
    "__cxa_pure_virtual",
    "_Unwind_Resume",
    "__clang_call_terminate",
    "pthread_exit",
    "_ZSt9terminatev",
    "_ZSt17__throw_bad_allocv",
    "rust_begin_unwind",
];
/// Rust's ways to panic, and libstdc++'s to throw, by the beginning of their mangled names.
const NEVER_BEGINS: [&str; 5] = [
    "_ZN4core9panicking",
    "_ZN4core6option13expect_failed",
    "_ZN4core6result13unwrap_failed",
    "_ZSt20__throw_",
    "_ZSt19__throw_",
];

/// What a pointer takes where the dynamic linker writes it, in bytes.
const SLOT: usize = 8;
/// Room for so many links is made beforehand.
const ROOM: usize = 1 << 16;
/// Sections with relative relocations that are left in the file: linkers write one, and each is
/// looked through for every slot.
const RUNS: usize = 4;

/// A slot that the dynamic linker fills. Sorted like this, for links are longer.
struct Filled {
    slot: u64,
    with: With,
}

/// What a slot is filled with.
#[derive(Clone, Copy)]
enum With {
    /// The address of a symbol, by its number, and what is added to it.
    Symbol(u32, u64),
    /// What a function returns that stands at this address (`IRELATIVE`).
    Choice(u64),
}

/// Reads the dynamic relocations and the stubs of a linked image, which is all of `whole`.
pub(super) fn read(file: &File<'_>, whole: &Stretch, image: &mut Image) {
    let (relative, mut filled) = relocations(file, whole, image);
    // Relative ones come in order, these by symbol.
    filled.sort_by_key(|f| f.slot);
    let mut symbols = Symbols::of(file, whole);
    let mut pointers = Vec::with_capacity(filled.len());
    // A stub for each may come behind, and a landing pad. Room that is not used costs nothing,
    // growing does.
    let mut links: Vec<Link> = Vec::with_capacity(filled.len().saturating_mul(3).min(ROOM));
    for Filled { slot, with } in filled {
        let symbol = match with {
            With::Symbol(number, addend) => symbols.at(number, addend),
            With::Choice(at) => {
                let function = image.function_at(at);
                function.map(|f| Symbol::of(&image.functions[f]))
            }
        };
        let Some(symbol) = symbol else { continue };
        pointers.extend(symbol.address.map(|address| (slot, address)));
        let Some(name) = symbol.name else { continue };
        // What is filled twice has what it is filled with last.
        if links.last().is_some_and(|last| last.address == slot) {
            links.pop();
        }
        links.push(Link {
            address: slot,
            name,
            kind: LinkKind::Slot,
            slot,
            never_returns: symbol.never_returns,
        });
    }
    for run in [relative, pointers, relr(file, image)] {
        image.pointers.add(run);
    }
    let stubs = stubs(image, &links);
    links.extend(stubs);
    // Of a stub and a slot in one place the slot stays.
    fn place(link: &Link) -> (&str, bool) {
        (&link.name, link.kind == LinkKind::Stub)
    }
    links.sort_by(|a, b| {
        let by_address = a.address.cmp(&b.address);
        by_address.then_with(|| place(a).cmp(&place(b)))
    });
    links.dedup_by_key(|l| l.address);
    image.links = links;
}

/// A symbol, as far as slots need it.
#[derive(Clone, Default)]
struct Symbol {
    name: Option<Name>,
    /// Where this image itself has it.
    address: Option<u64>,
    never_returns: bool,
}

impl Symbol {
    /// Of the function that chooses: by the name that programs call it by, which is the plainest.
    fn of(function: &Function) -> Symbol {
        let names = function.symbol.iter().chain(&function.aliases);
        let underscores = |name: &Name| name.bytes().iter().take_while(|b| **b == b'_').count();
        let plainest = names.min_by_key(|name| (underscores(name), name.bytes().len()));
        let name = plainest
            .cloned()
            .unwrap_or_else(|| Name::from(&*function.symbol()));
        Symbol {
            never_returns: never(&name),
            name: Some(name),
            address: None,
        }
    }
}

/// The dynamic symbols, each read once: many slots have the same.
struct Symbols<'a> {
    table: &'a SymbolTable<'a, elf::FileHeader64<LittleEndian>>,
    names: Names<'a>,
    known: Vec<Option<Symbol>>,
}

impl<'a> Symbols<'a> {
    fn of(file: &'a File<'a>, whole: &Stretch) -> Self {
        let table = file.elf_dynamic_symbol_table();
        Symbols {
            table,
            names: Names::of(file, whole, table),
            known: vec![None; table.len()],
        }
    }

    /// A symbol with something added to its address: then it is not known by its name.
    fn at(&mut self, number: u32, addend: u64) -> Option<Symbol> {
        let index = SymbolIndex(number as usize);
        let found = self.table.symbol(index).ok()?;
        let known = self.known.get_mut(index.0)?;
        let symbol = known.get_or_insert_with(|| {
            let name = self.names.read(found);
            let name = name.filter(|n| !n.is_empty() && std::str::from_utf8(n).is_ok());
            let name = name.filter(|name| self.names.count(name).is_some());
            let name = name.map(|name| self.names.name(found, name));
            let defined = found.is_definition(LittleEndian, self.table.strings());
            Symbol {
                never_returns: name.as_ref().is_some_and(never),
                name,
                address: defined.then(|| found.st_value(LittleEndian)),
            }
        });
        if addend == 0 {
            return Some(symbol.clone());
        }
        Some(Symbol {
            address: symbol.address.map(|at| at.wrapping_add(addend)),
            ..Symbol::default()
        })
    }
}

/// The relocations that are made when the image is loaded, of all sections that have some: slots
/// that are filled with an address, and others. A static executable makes its own, without symbols.
/// As many relative ones as a section has in order at its beginning, where linkers put them, are
/// left where they are and the image told of them.
fn relocations(
    file: &File<'_>,
    whole: &Stretch,
    image: &mut Image,
) -> (Vec<(u64, u64)>, Vec<Filled>) {
    let (data, arch) = (file.data(), image.arch);
    let dynamic = file.elf_dynamic_symbol_table().section();
    let sections = file.elf_section_table().iter().skip(1);
    // Many sections may name the same bytes: no more entries are read than the file has room for
    // slots that they fill.
    let mut left = data.len() / SLOT;
    let mut runs = 0;
    let (mut relative, mut filled) = (Vec::new(), Vec::new());
    let loaded =
        |s: &&elf::SectionHeader64<LittleEndian>| s.sh_flags(LittleEndian).contains(elf::SHF_ALLOC);
    for section in sections.filter(|s| s.link(LittleEndian) == dynamic || loaded(s)) {
        let rela = section.rela(LittleEndian, data).ok().flatten();
        let rela = rela.map_or(&[][..], |r| r.0);
        let mut in_order = in_order(&rela[..rela.len().min(left)], arch);
        let len = in_order * size_of::<elf::Rela64<LittleEndian>>();
        match part(section, whole, len) {
            Some(entries) if in_order > 0 && runs < RUNS => {
                image.pointers.add_in_file(entries, addend);
                runs += 1;
            }
            _ => in_order = 0,
        }
        left -= in_order;
        let rela = rela[in_order..].iter().map(|r| Relocation {
            slot: r.r_offset(LittleEndian),
            kind: r.r_type(LittleEndian, false),
            symbol: r.r_sym(LittleEndian, false),
            addend: r.r_addend(LittleEndian).cast_unsigned(),
        });
        let rel = section.rel(LittleEndian, data).ok().flatten();
        let rel = rel.map_or(&[][..], |r| r.0).iter().map(|r| Relocation {
            slot: r.r_offset(LittleEndian),
            kind: r.r_type(LittleEndian),
            symbol: r.r_sym(LittleEndian),
            addend: 0,
        });
        let rest = rela.chain(rel).take(left);
        filled.reserve(rest.size_hint().0);
        for entry in rest {
            left -= 1;
            let Relocation { slot, addend, .. } = entry;
            if is_relative(arch, entry.kind) {
                relative.push((slot, addend));
                continue;
            }
            let with = match (arch, entry.kind) {
                (Arch::X86_64, elf::R_X86_64_IRELATIVE)
                | (Arch::Aarch64, elf::R_AARCH64_IRELATIVE) => With::Choice(addend),
                _ if section.link(LittleEndian) == dynamic => With::Symbol(entry.symbol, addend),
                _ => continue,
            };
            filled.push(Filled { slot, with });
        }
    }
    (relative, filled)
}

/// What the dynamic linker is asked to write.
struct Relocation {
    slot: u64,
    kind: elf::RelocationType,
    symbol: u32,
    /// As a number added to an address.
    addend: u64,
}

/// Whether the value is the addend, and where the image was loaded.
fn is_relative(arch: Arch, kind: elf::RelocationType) -> bool {
    kind == match arch {
        Arch::X86_64 => elf::R_X86_64_RELATIVE,
        Arch::Aarch64 => elf::R_AARCH64_RELATIVE,
    }
}

/// So many entries at the beginning are relative and in order of slots, no two of the same.
fn in_order(entries: &[elf::Rela64<LittleEndian>], arch: Arch) -> usize {
    let mut last = None;
    let next = |entry: &&elf::Rela64<LittleEndian>| {
        let before = last.replace(entry.r_offset(LittleEndian));
        is_relative(arch, entry.r_type(LittleEndian, false)) && before < last
    };
    entries.iter().take_while(next).count()
}

/// The addend for a slot, of entries that are in order.
fn addend(entries: &[u8], slot: u64) -> Option<u64> {
    type Entry = elf::Rela64<LittleEndian>;
    let count = entries.len() / size_of::<Entry>();
    let (entries, _) = object::slice_from_bytes::<Entry>(entries, count).ok()?;
    let found = entries.binary_search_by_key(&slot, |e| e.r_offset(LittleEndian));
    Some(entries[found.ok()?].r_addend(LittleEndian).cast_unsigned())
}

/// So many bytes at the beginning of a section, where the file has them.
fn part(
    section: &elf::SectionHeader64<LittleEndian>,
    whole: &Stretch,
    len: usize,
) -> Option<Stretch> {
    let (start, _) = section.file_range(LittleEndian)?;
    let start = usize::try_from(start).ok()?;
    whole.part(start..start.checked_add(len)?)
}

/// Compressed relative relocations: the slot itself holds the value. Many sections may name the
/// same bytes: no more of them are read than the file has, nor more slots than it has room for.
fn relr(file: &File<'_>, image: &Image) -> Vec<(u64, u64)> {
    let mut pointers = Vec::new();
    let mut bytes_left = file.data().len() as u64;
    let mut slots_left = file.data().len() / SLOT;
    for header in file.elf_section_table().iter() {
        let Ok(Some(places)) = header.relr(LittleEndian, file.data()) else {
            continue;
        };
        let Some(left) = bytes_left.checked_sub(header.sh_size(LittleEndian)) else {
            return pointers;
        };
        bytes_left = left;
        for place in places {
            let Some(left) = slots_left.checked_sub(1) else {
                return pointers;
            };
            slots_left = left;
            if let Ok(bytes) = image.bytes_at(place, 8).try_into() {
                pointers.push((place, u64::from_le_bytes(bytes)));
            }
        }
    }
    pointers
}

/// The stubs: in each, the jump through a slot gives the name, and the stub begins where the one
/// before ended. `slots` in order of address.
fn stubs(image: &Image, slots: &[Link]) -> Vec<Link> {
    let mut links = Vec::new();
    // Of real files, all stubs together are not as long as one function may be.
    let sections = image.sections.iter();
    for section in sections.filter(|s| s.stubs && s.size <= LONGEST) {
        let mut landing = None;
        let mut first = None;
        decode::for_each(image, section.address, section.size, |op| {
            if op.traits.is_landing_pad() {
                landing = Some(op.address);
            }
            if op.traits.is_page() {
                first = Some(op.address);
            }
            if op.flow != Flow::IndirectJump {
                return;
            }
            if let Ok(slot) = slots.binary_search_by_key(&op.target, |s| s.address) {
                let jump = op.address;
                let body = first.unwrap_or(jump);
                let landing = landing.filter(|l| body.checked_sub(*l).is_some_and(|by| by <= 8));
                links.extend(landing.into_iter().chain([body]).map(|address| Link {
                    address,
                    kind: LinkKind::Stub,
                    ..slots[slot].clone()
                }));
            }
            (landing, first) = (None, None);
        });
    }
    links
}

/// The undefined functions of an object file and the slots of all its symbols.
pub(super) fn undefined(
    file: &File<'_>,
    whole: &Stretch,
    placement: &Placement,
    image: &mut Image,
) {
    let table = file.elf_symbol_table();
    let mut names = Names::of(file, whole, table);
    let mut pointers = Vec::new();
    for (index, symbol) in table.enumerate() {
        let Some(name) = names.read(symbol).filter(|name| !name.is_empty()) else {
            continue;
        };
        if names.count(name).is_none() {
            break;
        }
        let name = names.name(symbol, name);
        let never_returns = never(&name);
        let section = symbol.st_shndx(LittleEndian);
        if section == elf::SHN_UNDEF || section == elf::SHN_COMMON {
            image.links.push(Link {
                address: placement.undefined(index),
                name: name.clone(),
                kind: LinkKind::Undefined,
                slot: 0,
                never_returns,
            });
        } else if let Some(address) = placement.symbol(file, index) {
            pointers.push((placement.slot(index), address));
        }
        image.links.push(Link {
            address: placement.slot(index),
            name,
            kind: LinkKind::Slot,
            slot: placement.slot(index),
            never_returns,
        });
    }
    image.links.sort_by_key(|l| l.address);
    image.pointers.add(pointers);
}

/// One bit for the first two bytes of each name of a function that never returns, and for others
/// that look alike: most names need not be looked at further.
const BEGINNINGS: u128 = {
    let mut beginnings = 0;
    let mut i = 0;
    while i < NEVER.len() + NEVER_BEGINS.len() {
        let name = if i < NEVER.len() {
            NEVER[i]
        } else {
            NEVER_BEGINS[i - NEVER.len()]
        };
        beginnings |= beginning(name.as_bytes());
        i += 1;
    }
    beginnings
};

/// The bit of [`BEGINNINGS`] for a name.
const fn beginning(name: &[u8]) -> u128 {
    match name {
        [first, second, ..] => 1 << ((*first as u32 * 5 + *second as u32) % 128),
        _ => 0,
    }
}

/// Whether a function of this name never returns.
fn never(name: &Name) -> bool {
    if BEGINNINGS & beginning(name.bytes()) == 0 {
        return false;
    }
    let name: &str = name;
    NEVER.contains(&names::base(name)) || NEVER_BEGINS.iter().any(|b| name.starts_with(b))
}

/// Addresses of all functions and stubs that never return.
pub(super) fn noreturn(image: &Image) -> Vec<u64> {
    let functions = image.functions.iter();
    let functions = functions.filter(|f| f.symbol.iter().chain(&f.aliases).any(never));
    let links = image.links.iter().filter(|l| l.never_returns);
    functions
        .map(|f| f.address)
        .chain(links.map(|l| l.address))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_relocations_are_left_in_the_file_as_far_as_they_are_in_order() {
        let entry = |(slot, kind): &(u64, u32)| {
            let words = [*slot, u64::from(*kind), 0].map(u64::to_le_bytes).concat();
            *object::from_bytes::<elf::Rela64<LittleEndian>>(&words)
                .unwrap()
                .0
        };
        let count = |entries: &[(u64, u32)]| {
            let entries: Vec<_> = entries.iter().map(entry).collect();
            in_order(&entries, Arch::X86_64)
        };
        let (relative, glob_dat) = (elf::R_X86_64_RELATIVE.0, elf::R_X86_64_GLOB_DAT.0);
        assert_eq!(count(&[(0, relative), (8, relative), (40, relative)]), 3);
        assert_eq!(count(&[(0, relative), (8, relative), (8, relative)]), 2);
        assert_eq!(count(&[(16, relative), (8, relative), (24, relative)]), 1);
        assert_eq!(count(&[(8, relative), (16, glob_dat), (24, relative)]), 1);
        assert_eq!(count(&[(8, glob_dat), (16, relative)]), 0);
        let entries = [(16, 100), (24, 200), (48, 300)];
        let entries =
            entries.map(|(slot, addend)| [slot, 8, addend].map(u64::to_le_bytes).concat());
        let found = [8, 16, 24, 40, 48].map(|slot| addend(&entries.concat(), slot));
        assert_eq!(found, [None, Some(100), Some(200), None, Some(300)]);
        assert_eq!(count(&[]), 0);
    }
}

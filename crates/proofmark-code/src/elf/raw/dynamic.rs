//! Slots that the dynamic linker fills, and pointers that it relocates.

use object::elf;
use object::read::elf::{Rel, Rela, SectionHeader, Sym, SymbolTable};
use object::{LittleEndian, SymbolIndex};

use super::File;
use super::names::Names;
use crate::arch::Arch;
use crate::elf::never::never;
use crate::image::Name;
use crate::space::{Pointers, Space, Stretch};

/// What a pointer takes where the dynamic linker writes it, in bytes.
const SLOT: usize = 8;
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

/// A slot that the dynamic linker fills, and with what.
pub(in crate::elf) struct Slot {
    pub(in crate::elf) address: u64,
    pub(in crate::elf) holds: Holds,
}

/// What a slot holds once it is filled.
pub(in crate::elf) enum Holds {
    /// The address of a symbol.
    Symbol { name: Name, never_returns: bool },
    /// What a function returns that stands at this address (`IRELATIVE`).
    Choice(u64),
}

/// Reads the dynamic relocations of a linked image, which is all of `whole`: the slots that have a
/// name, in order of address, and the pointers.
pub(super) fn read(file: &File<'_>, whole: &Stretch, space: &Space) -> (Vec<Slot>, Pointers) {
    let mut pointers = Pointers::default();
    let (relative, mut filled) = relocations(file, whole, space.arch, &mut pointers);
    // Relative ones come in order, these by symbol.
    filled.sort_by_key(|f| f.slot);
    let mut symbols = Symbols::of(file, whole);
    let mut known = Vec::with_capacity(filled.len());
    let mut slots = Vec::with_capacity(filled.len());
    for Filled { slot, with } in filled {
        let holds = match with {
            With::Choice(at) => Holds::Choice(at),
            With::Symbol(number, addend) => {
                let Some(symbol) = symbols.at(number, addend) else {
                    continue;
                };
                known.extend(symbol.address.map(|address| (slot, address)));
                let Some(name) = symbol.name else { continue };
                Holds::Symbol {
                    name,
                    never_returns: symbol.never_returns,
                }
            }
        };
        slots.push(Slot {
            address: slot,
            holds,
        });
    }
    for run in [relative, known, relr(file, space)] {
        pointers.add(run);
    }
    (slots, pointers)
}

/// A symbol, as far as slots need it.
#[derive(Clone, Default)]
struct Symbol {
    name: Option<Name>,
    /// Where this image itself has it.
    address: Option<u64>,
    never_returns: bool,
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
/// left where they are, which `pointers` is told.
fn relocations(
    file: &File<'_>,
    whole: &Stretch,
    arch: Arch,
    pointers: &mut Pointers,
) -> (Vec<(u64, u64)>, Vec<Filled>) {
    let data = file.data();
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
                pointers.add_in_file(entries, addend);
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
fn relr(file: &File<'_>, space: &Space) -> Vec<(u64, u64)> {
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
            if let Ok(bytes) = space.bytes_at(place, 8).try_into() {
                pointers.push((place, u64::from_le_bytes(bytes)));
            }
        }
    }
    pointers
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

//! Functions and named data from the symbol tables.

use std::cmp::Ordering;

use object::elf;
use object::read::elf::{FileHeader, Sym, SymbolTable};
use object::{LittleEndian, SymbolIndex};

use super::copied::Names;
use super::{File, Placement};
use crate::image::{Datum, Function, Image, Kind, Origin};

/// More symbols than this are not believed: the largest browsers have some three million.
const MOST: usize = 1 << 26;

/// What the symbol tables hold.
#[derive(Default)]
pub(super) struct Symbols {
    pub(super) functions: Vec<Function>,
    pub(super) data: Vec<Datum>,
    pub(super) data_in_code: Vec<(u64, u64)>,
    /// Whether `.symtab` is there, and not only what is exported.
    pub(super) complete: bool,
}

/// A function symbol on its way to becoming a [`Function`].
struct Candidate {
    name: Box<str>,
    address: u64,
    size: u64,
    section: usize,
    group: Option<u32>,
    /// Lower is better when several stand at one address.
    rank: (bool, bool, u8, usize),
}

/// Reads `.symtab`, or `.dynsym` where the other was stripped.
pub(super) fn read(
    file: &File<'_>,
    placement: Option<&Placement>,
    image: &Image,
) -> Result<Symbols, (u64, String)> {
    let full = file.elf_symbol_table();
    let complete = !full.is_empty();
    let table = if complete {
        full
    } else {
        file.elf_dynamic_symbol_table()
    };
    if table.len() > MOST {
        let at = file.elf_header().e_shoff(LittleEndian);
        return Err((at, format!("{} symbols cannot be", table.len())));
    }
    let origin = if complete {
        Origin::Symbols
    } else {
        Origin::DynamicSymbols
    };
    let mut reader = Reader {
        file,
        placement,
        image,
        names: Names::of(file),
        group: 0,
        code: Vec::new(),
        labels: Vec::new(),
        marks: Vec::new(),
        data: Vec::new(),
    };
    for (index, symbol) in table.enumerate() {
        reader.take(table, index, symbol);
    }
    if reader.names.spent {
        let at = file.elf_header().e_shoff(LittleEndian);
        let what = "the names of the symbols are many times as long as the file";
        return Err((at, what.to_owned()));
    }
    Ok(reader.finish(origin, complete))
}

struct Reader<'a> {
    file: &'a File<'a>,
    placement: Option<&'a Placement>,
    image: &'a Image,
    names: Names,
    group: u32,
    code: Vec<Candidate>,
    /// Symbols without a type that stand in code: functions of assembly, if nothing else covers them.
    labels: Vec<Candidate>,
    /// AArch64's mapping symbols: (address, data follows).
    marks: Vec<(u64, bool)>,
    data: Vec<Datum>,
}

impl Reader<'_> {
    fn take(
        &mut self,
        table: &SymbolTable<'_, elf::FileHeader64<LittleEndian>>,
        index: SymbolIndex,
        symbol: &elf::Sym64<LittleEndian>,
    ) {
        let kind = symbol.st_type();
        if kind == elf::STT_FILE {
            self.group += 1;
            return;
        }
        let section = symbol.st_shndx(LittleEndian);
        if section == elf::SHN_UNDEF || section == elf::SHN_ABS || section == elf::SHN_COMMON {
            return;
        }
        if !matches!(
            kind,
            elf::STT_FUNC | elf::STT_GNU_IFUNC | elf::STT_NOTYPE | elf::STT_OBJECT
        ) {
            return;
        }
        let Ok(name) = table.symbol_name(LittleEndian, symbol) else {
            return;
        };
        let address = match self.placement {
            Some(placement) => placement.symbol(self.file, index),
            None => Some(symbol.st_value(LittleEndian)),
        };
        let Some(address) = address else { return };
        let Some(section) = self.image.section_index_at(address) else {
            return;
        };
        let place = &self.image.sections[section];
        if kind == elf::STT_NOTYPE && place.executable && name.first() == Some(&b'$') {
            self.marks.push((address, name.get(1) == Some(&b'd')));
            return;
        }
        if name.is_empty() || name.starts_with(b".L") {
            return;
        }
        let Some(name) = self.names.copy(name) else {
            return;
        };
        let size = symbol
            .st_size(LittleEndian)
            .min(place.size - (address - place.address));
        if !place.executable || kind == elf::STT_OBJECT {
            if kind != elf::STT_NOTYPE {
                self.data.push(Datum {
                    address,
                    size,
                    name,
                });
            }
            return;
        }
        if place.stubs {
            return;
        }
        self.code(symbol, name, (address, size, section));
    }

    /// A symbol in code, by its address, size and section.
    fn code(
        &mut self,
        symbol: &elf::Sym64<LittleEndian>,
        name: Box<str>,
        (address, size, section): (u64, u64, usize),
    ) {
        let untyped = symbol.st_type() == elf::STT_NOTYPE;
        let binding = match symbol.st_bind() {
            elf::STB_GLOBAL => 0,
            elf::STB_WEAK => 1,
            _ => 2,
        };
        let group = (binding == 2).then_some(self.group);
        let underscores = name.bytes().take_while(|b| *b == b'_').count();
        // Sections of an object begin one after the other, so a symbol is never outside of its own.
        let rank = (untyped, size == 0, binding, underscores);
        let candidate = Candidate {
            name,
            address,
            size,
            section,
            group,
            rank,
        };
        if untyped {
            self.labels.push(candidate);
        } else {
            self.code.push(candidate);
        }
    }

    fn finish(mut self, origin: Origin, complete: bool) -> Symbols {
        let mut covered: Vec<(u64, u64)> = self
            .code
            .iter()
            .map(|c| (c.address, c.address + c.size))
            .collect();
        covered.sort_unstable();
        let inside = |at: u64| {
            let after = covered.partition_point(|c| c.0 <= at);
            covered[..after]
                .iter()
                .rev()
                .take(8)
                .any(|c| at > c.0 && at < c.1)
        };
        let mut code = self.code;
        code.extend(self.labels.into_iter().filter(|l| !inside(l.address)));
        self.data = sorted(
            self.data,
            |d| d.address,
            |a, b| (b.size, &a.name).cmp(&(a.size, &b.name)),
        );
        self.data.dedup_by_key(|d| d.address);
        Symbols {
            functions: merge(code, origin),
            data: self.data,
            data_in_code: ranges(self.marks, self.image),
            complete,
        }
    }
}

/// In order of address, and of `order` where several have one. Sorts places in the list, for the entries themselves are
/// large and in a linked file few share an address.
fn sorted<T>(
    list: Vec<T>,
    address: impl Fn(&T) -> u64,
    order: impl Fn(&T, &T) -> Ordering,
) -> Vec<T> {
    let mut places: Vec<(u64, usize)> = list.iter().map(&address).zip(0..).collect();
    places.sort_unstable();
    let mut list: Vec<Option<T>> = list.into_iter().map(Some).collect();
    let mut sorted: Vec<T> = places
        .into_iter()
        .filter_map(|(_, place)| list[place].take())
        .collect();
    for same in sorted.chunk_by_mut(|a, b| address(a) == address(b)) {
        same.sort_by(&order);
    }
    sorted
}

/// One function for each address; the others' names become aliases.
fn merge(code: Vec<Candidate>, origin: Origin) -> Vec<Function> {
    let code = sorted(
        code,
        |c| c.address,
        |a, b| (a.rank, a.name.len(), &a.name).cmp(&(b.rank, b.name.len(), &b.name)),
    );
    let mut functions: Vec<Function> = Vec::new();
    for c in code {
        if let Some(last) = functions
            .last_mut()
            .filter(|last| last.address == c.address)
        {
            last.size = last.size.max(c.size);
            if last.symbol.as_deref() != Some(&*c.name) {
                last.aliases.push(c.name);
            }
            continue;
        }
        functions.push(Function {
            symbol: Some(c.name),
            aliases: Vec::new(),
            address: c.address,
            size: c.size,
            section: c.section,
            origin,
            group: c.group,
            parent: None,
            split: None,
        });
    }
    functions
}

/// From a `$d` to the next mark, or to the end of its section.
fn ranges(mut marks: Vec<(u64, bool)>, image: &Image) -> Vec<(u64, u64)> {
    if image.kind == Kind::Object {
        // Sections are laid out without gaps to speak of; a mark of one never reaches into the next.
        marks.extend(image.sections.iter().map(|s| (s.address + s.size, false)));
    }
    marks.sort_unstable();
    let mut ranges = Vec::new();
    for (i, (start, data)) in marks.iter().enumerate() {
        if *data {
            let end = marks.get(i + 1).map_or_else(
                || {
                    image
                        .section_at(*start)
                        .map_or(*start, |s| s.address + s.size)
                },
                |m| m.0,
            );
            ranges.push((*start, end));
        }
    }
    ranges
}

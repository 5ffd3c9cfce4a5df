//! Functions and named data from the symbol tables.

use object::elf;
use object::read::elf::{FileHeader, Sym, SymbolTable};
use object::{LittleEndian, SymbolIndex};

use super::names::Names;
use super::{File, Placement};
use crate::image::{Datum, Function, Origin};
use crate::kind::Kind;
use crate::space::{Nearby, Section, Stretch, index_at};

type Sym64 = elf::Sym64<LittleEndian>;

/// More symbols than this are not believed: the largest browsers have some three million.
const MOST: usize = 1 << 26;
/// Room for so many symbols of data is made beforehand.
const ROOM: usize = 1 << 16;

/// What the symbol tables hold.
#[derive(Default)]
pub(in crate::elf) struct Symbols {
    pub(in crate::elf) functions: Vec<Function>,
    pub(in crate::elf) data: Vec<Datum>,
    pub(in crate::elf) data_in_code: Vec<(u64, u64)>,
    /// Whether `.symtab` is there, and not only what is exported.
    pub(in crate::elf) complete: bool,
}

/// Where a symbol stands, in the order of addresses and then of the table. Symbols are sorted as
/// these, for what they become is many times as long.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    address: u64,
    /// Its number in the table.
    symbol: u32,
    /// The number of its section among those of the image.
    section: u32,
    /// Which source file's group of symbols it is in.
    group: u32,
}

/// A symbol of a function.
struct Candidate<'a> {
    name: &'a [u8],
    symbol: &'a Sym64,
    place: Place,
    size: u64,
    /// Lower is better when several stand at one address.
    rank: (bool, bool, u8, usize),
}

/// Reads `.symtab`, or `.dynsym` where the other was stripped, of a file that is all of `whole`.
pub(super) fn read(
    file: &File<'_>,
    whole: &Stretch,
    placement: Option<&Placement>,
    sections: &[Section],
    kind: Kind,
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
        table,
        placement,
        all: sections,
        kind,
        sections: Nearby::of(sections),
        names: Names::of(file, whole, table),
        group: 0,
        code: Vec::with_capacity(table.len()),
        labels: Vec::new(),
        marks: Vec::new(),
        data: Vec::with_capacity(table.len().min(ROOM)),
    };
    for (index, symbol) in table.enumerate() {
        reader.take(index, symbol);
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
    table: &'a SymbolTable<'a, elf::FileHeader64<LittleEndian>>,
    placement: Option<&'a Placement>,
    all: &'a [Section],
    kind: Kind,
    sections: Nearby<'a>,
    names: Names<'a>,
    group: u32,
    code: Vec<Place>,
    /// Symbols without a type that stand in code: functions of assembly, if nothing else covers
    /// them.
    labels: Vec<Place>,
    /// AArch64's mapping symbols: (address, data follows).
    marks: Vec<(u64, bool)>,
    data: Vec<Place>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, index: SymbolIndex, symbol: &Sym64) {
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
        let Some(name) = self.names.read(symbol) else {
            return;
        };
        let address = match self.placement {
            Some(placement) => placement.symbol(self.file, index),
            None => Some(symbol.st_value(LittleEndian)),
        };
        let Some(address) = address else { return };
        let Some(number) = self.sections.index_at(address) else {
            return;
        };
        let section = &self.all[number];
        if kind == elf::STT_NOTYPE && section.executable && name.first() == Some(&b'$') {
            self.marks.push((address, name.get(1) == Some(&b'd')));
            return;
        }
        if name.is_empty() || name.starts_with(b".L") || self.names.count(name).is_none() {
            return;
        }
        let (Ok(symbol), Ok(number)) = (u32::try_from(index.0), u32::try_from(number)) else {
            return;
        };
        let place = Place {
            address,
            symbol,
            section: number,
            group: self.group,
        };
        if !section.executable || kind == elf::STT_OBJECT {
            if kind != elf::STT_NOTYPE {
                self.data.push(place);
            }
        } else if section.stubs {
            // Stubs are links.
        } else if kind == elf::STT_NOTYPE {
            self.labels.push(place);
        } else {
            self.code.push(place);
        }
    }

    /// The symbol at a place, its name and its size.
    fn at(&self, place: Place) -> Option<(&'a Sym64, &'a [u8], u64)> {
        let symbol = self.table.symbol(SymbolIndex(place.symbol as usize)).ok()?;
        let section = &self.all[place.section as usize];
        let room = section.size - (place.address - section.address);
        let size = symbol.st_size(LittleEndian).min(room);
        Some((symbol, self.names.read(symbol)?, size))
    }

    fn finish(mut self, origin: Origin, complete: bool) -> Symbols {
        self.code.sort_unstable();
        self.add_labels();
        self.data.sort_unstable();
        Symbols {
            functions: self.functions(origin),
            data: self.data(),
            data_in_code: ranges(std::mem::take(&mut self.marks), self.all, self.kind),
            complete,
        }
    }

    /// Labels that no function covers are functions too.
    fn add_labels(&mut self) {
        if self.labels.is_empty() {
            return;
        }
        let mut covered: Vec<(u64, u64)> = Vec::with_capacity(self.code.len());
        covered.extend(self.code.iter().filter_map(|c| {
            let (_, _, size) = self.at(*c)?;
            Some((c.address, c.address + size))
        }));
        // In order but for those of one address, as the functions are but for the labels.
        covered.sort();
        let inside = |at: u64| {
            let after = covered.partition_point(|c| c.0 <= at);
            covered[..after]
                .iter()
                .rev()
                .take(8)
                .any(|c| at > c.0 && at < c.1)
        };
        let labels = self.labels.iter().filter(|l| !inside(l.address));
        self.code.extend(labels);
        self.code.sort();
    }

    /// One function for each address; the others' names become aliases.
    fn functions(&self, origin: Origin) -> Vec<Function> {
        let same = self.code.chunk_by(|a, b| a.address == b.address);
        let mut functions = Vec::with_capacity(same.clone().count());
        let mut all: Vec<Candidate<'_>> = Vec::new();
        for places in same {
            all.clear();
            all.extend(places.iter().filter_map(|p| self.candidate(*p)));
            all.sort_by(|a, b| (a.rank, a.name.len(), a.name).cmp(&(b.rank, b.name.len(), b.name)));
            let Some((best, others)) = all.split_first() else {
                continue;
            };
            let local =
                best.symbol.st_bind() != elf::STB_GLOBAL && best.symbol.st_bind() != elf::STB_WEAK;
            let aliases = others.iter().filter(|other| other.name != best.name);
            functions.push(Function {
                symbol: Some(self.names.name(best.symbol, best.name)),
                aliases: aliases.map(|a| self.names.name(a.symbol, a.name)).collect(),
                address: best.place.address,
                size: all.iter().map(|c| c.size).max().unwrap_or(0),
                section: best.place.section,
                origin,
                group: local.then_some(best.place.group),
                parent: None,
                split: None,
            });
        }
        functions
    }

    fn candidate(&self, place: Place) -> Option<Candidate<'a>> {
        let (symbol, name, size) = self.at(place)?;
        let untyped = symbol.st_type() == elf::STT_NOTYPE;
        let binding = match symbol.st_bind() {
            elf::STB_GLOBAL => 0,
            elf::STB_WEAK => 1,
            _ => 2,
        };
        let underscores = name.iter().take_while(|b| **b == b'_').count();
        Some(Candidate {
            name,
            symbol,
            place,
            size,
            // Sections of an object begin one after the other, so a symbol is never outside of its
            // own.
            rank: (untyped, size == 0, binding, underscores),
        })
    }

    /// One datum for each address: the longest, and the first by name of several.
    fn data(&self) -> Vec<Datum> {
        let same = self.data.chunk_by(|a, b| a.address == b.address);
        let mut data = Vec::with_capacity(same.clone().count());
        data.extend(same.filter_map(|places| {
            let all = places.iter().filter_map(|p| self.at(*p));
            let (symbol, name, size) =
                all.min_by_key(|(_, name, size)| (std::cmp::Reverse(*size), *name))?;
            Some(Datum {
                address: places[0].address,
                size,
                name: self.names.name(symbol, name),
            })
        }));
        data
    }
}

/// From a `$d` to the next mark, or to the end of its section.
fn ranges(mut marks: Vec<(u64, bool)>, sections: &[Section], kind: Kind) -> Vec<(u64, u64)> {
    if kind == Kind::Object {
        // Sections are laid out without gaps to speak of; a mark of one never reaches into the
        // next.
        marks.extend(sections.iter().map(|s| (s.address + s.size, false)));
    }
    marks.sort_unstable();
    let mut ranges = Vec::new();
    for (i, (start, data)) in marks.iter().enumerate() {
        if *data {
            let end = marks.get(i + 1).map_or_else(
                || {
                    index_at(sections, *start)
                        .map_or(*start, |i| sections[i].address + sections[i].size)
                },
                |m| m.0,
            );
            ranges.push((*start, end));
        }
    }
    ranges
}

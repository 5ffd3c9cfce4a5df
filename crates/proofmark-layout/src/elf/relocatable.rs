//! A relocatable object read as units: the sections that a layout may move or has to keep in step.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use object::elf;
use object::read::elf::{FileHeader, SectionHeader, SectionTable, Sym, SymbolTable};
use object::{LittleEndian as LE, SectionIndex, SymbolIndex};

use super::Machine;
use super::block::{Block, is_of_linkers};
use super::own::OwnSections;

/// Where common symbols of the medium code model are (x86-64 psABI, 4.3: `SHN_X86_64_LCOMMON`).
const LARGE_COMMON: elf::SymbolSection = elf::SymbolSection(0xff02);

type Header = elf::FileHeader64<LE>;

/// A parsed relocatable object.
pub(crate) struct Object<'d> {
    pub(crate) data: &'d [u8],
    pub(crate) sections: SectionTable<'d, Header>,
    pub(crate) symbols: SymbolTable<'d, Header>,
    pub(crate) machine: Option<Machine>,
    /// Holds gcc's intermediate code.
    pub(crate) gcc_lto: bool,
}

/// A section that is moved as one piece, or whose place is kept in step with other builds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Section {
    /// Its index in the object: names are not unique.
    pub(crate) index: u32,
    /// Its name.
    pub(crate) name: String,
    /// What it holds.
    pub(crate) block: Block,
    /// The symbol at its lowest offset; the longest-bound one where several are there.
    pub(crate) symbol: Option<String>,
    /// Functions at different offsets in it; 0 for data.
    pub(crate) functions: u32,
    /// Bytes.
    pub(crate) size: u64,
    /// Bytes; at least 1.
    pub(crate) alignment: u64,
    /// What it says, wherever it lies; of data that has bytes in the file.
    pub(crate) content: Option<blake3::Hash>,
    /// A linker merges it with others of its kind: texts and constants.
    pub(crate) merged: bool,
}

/// A section of constants that the linker merges with others of its kind.
pub(crate) struct Mergeable {
    pub(crate) index: u32,
    /// The name under which all of its kind are merged in an output section of their own.
    pub(crate) common_name: String,
}

/// What a section with a name of its own takes up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnExtent {
    pub(crate) kind: OwnSections,
    pub(crate) name: String,
    /// Bytes.
    pub(crate) size: u64,
    /// Functions and data in it.
    pub(crate) symbols: usize,
}

/// A place that a symbol names, and not something of a size.
struct Label {
    code: bool,
    /// Nothing of its section stands behind it.
    ends: bool,
}

/// Global symbols by name.
#[derive(Default)]
pub(crate) struct Symbols {
    /// Those that are referred to and are elsewhere.
    pub(crate) wanted: HashSet<Vec<u8>>,
    /// Those that are here.
    pub(crate) defined: HashSet<Vec<u8>>,
    /// Of those, names among data that have no size, as assembly sets them.
    pub(crate) labels: HashSet<Vec<u8>>,
    /// The same among code, without a type: some are functions that assembly did not call so.
    pub(crate) code_labels: HashSet<Vec<u8>>,
    /// Of both, those at the end of their section: nothing of it stands behind them.
    pub(crate) ends: HashSet<Vec<u8>>,
    /// Zeroed data that a linker makes room for, where no object defines it: bytes and alignment.
    pub(crate) commons: HashMap<Vec<u8>, (u64, u64)>,
}

impl<'d> Object<'d> {
    /// Adds its global symbols.
    pub(crate) fn add_symbols(&self, symbols: &mut Symbols) -> Result<(), object::Error> {
        for symbol in self.symbols.iter().filter(|symbol| !symbol.is_local()) {
            let name = self.symbols.symbol_name(LE, symbol)?.to_vec();
            if symbol.is_undefined(LE) {
                symbols.wanted.insert(name);
            } else {
                if symbol.is_common(LE) || self.is_large_common(symbol) {
                    // Its value is its alignment.
                    let (size, alignment) = (symbol.st_size(LE), symbol.st_value(LE));
                    let known = symbols.commons.entry(name.clone()).or_default();
                    *known = (known.0.max(size), known.1.max(alignment));
                }
                if let Some(label) = self.label(symbol)? {
                    if label.ends {
                        symbols.ends.insert(name.clone());
                    }
                    let labels = if label.code {
                        &mut symbols.code_labels
                    } else {
                        &mut symbols.labels
                    };
                    labels.insert(name.clone());
                }
                symbols.defined.insert(name);
            }
        }
        Ok(())
    }

    /// Whether a symbol is a common one of the medium code model.
    fn is_large_common(&self, symbol: &elf::Sym64<LE>) -> bool {
        self.machine == Some(Machine::X86_64) && symbol.st_shndx(LE) == LARGE_COMMON
    }

    /// What linkers call the places of its common symbols.
    pub(crate) fn commons(&self) -> BTreeSet<&'static str> {
        let place = |symbol: &elf::Sym64<LE>| {
            let large = || self.is_large_common(symbol).then_some("LARGE_COMMON");
            symbol.is_common(LE).then_some("COMMON").or_else(large)
        };
        self.symbols.iter().filter_map(place).collect()
    }

    /// Global symbols in zeroed data of the medium code model.
    pub(crate) fn large_zeroed(&self) -> Result<Vec<Vec<u8>>, object::Error> {
        let mut found = Vec::new();
        for symbol in self.symbols.iter().filter(|symbol| !symbol.is_local()) {
            let Some(index) = symbol.st_shndx(LE).index() else {
                continue;
            };
            let header = self.sections.section(SectionIndex(usize::from(index)))?;
            if self.own_section(header)? == Some(OwnSections::LargeZeroed) {
                found.push(self.symbols.symbol_name(LE, symbol)?.to_vec());
            }
        }
        Ok(found)
    }

    /// What a symbol without a size names, if it is in a section of code or data.
    fn label(&self, symbol: &elf::Sym64<LE>) -> Result<Option<Label>, object::Error> {
        let sizeless = symbol.st_size(LE) == 0
            && matches!(symbol.st_type(), elf::STT_NOTYPE | elf::STT_OBJECT);
        let Some(index) = symbol.st_shndx(LE).index().filter(|_| sizeless) else {
            return Ok(None);
        };
        let header = self.sections.section(SectionIndex(usize::from(index)))?;
        let name = self.sections.section_name(LE, header)?;
        let block = Block::of(name, header.sh_type(LE), header.sh_flags(LE).0);
        Ok(block.map(|block| Label {
            code: block == Block::Text,
            ends: symbol.st_value(LE) == header.sh_size(LE),
        }))
    }

    /// Reads an object. None when this is no relocatable ELF object, 64-bit and little-endian; an
    /// error when it is damaged.
    pub(crate) fn parse(data: &'d [u8]) -> Result<Option<Object<'d>>, object::Error> {
        if data.get(..6) != Some(b"\x7fELF\x02\x01") {
            return Ok(None);
        }
        let header = Header::parse(data)?;
        if header.e_type(LE) != elf::ET_REL {
            return Ok(None);
        }
        let sections = header.sections(LE, data)?;
        let symbols = sections.symbols(LE, data, elf::SHT_SYMTAB)?;
        let gcc_lto = sections.iter().any(|section| {
            sections
                .section_name(LE, section)
                .is_ok_and(|name| name.starts_with(b".gnu.lto_"))
        });
        let machine = Machine::of(header.e_machine(LE));
        // Section numbers beyond 65,279 live in a table beside the symbols, which is not extended
        // here: such an object is left as it is.
        let plain = header.e_shnum.get(LE) != 0 && symbols.shndx_section() == SectionIndex(0);
        Ok(plain.then_some(Object {
            data,
            sections,
            symbols,
            machine,
            gcc_lto,
        }))
    }

    /// Whether it has a table of symbols. One without can hold nothing that other objects refer to,
    /// and no handle can be added to it.
    pub(crate) fn has_symbols(&self) -> bool {
        self.symbols.section() != SectionIndex(0)
    }

    /// The sections that layouts deal with, empty ones left out.
    pub(crate) fn units(&self) -> Result<Vec<Section>, object::Error> {
        let mut units = Vec::new();
        if !self.has_symbols() {
            return Ok(units);
        }
        let mut unit_of = vec![usize::MAX; self.sections.len()];
        for (index, header) in self.sections.enumerate() {
            let name = self.sections.section_name(LE, header)?;
            let (kind, flags) = (header.sh_type(LE), header.sh_flags(LE).0);
            let merged = Block::is_merged(name, kind, flags);
            let block = Block::of(name, kind, flags);
            let Some(block) = block.or(merged.then_some(Block::Rodata)) else {
                continue;
            };
            let size = header.sh_size(LE);
            if size == 0 {
                continue;
            }
            unit_of[index.0] = units.len();
            #[expect(
                clippy::cast_possible_truncation,
                reason = "an object with extended section numbers is not parsed"
            )]
            let index = index.0 as u32;
            units.push(Section {
                index,
                name: String::from_utf8_lossy(name).into_owned(),
                block,
                symbol: None,
                functions: 0,
                size,
                alignment: header.sh_addralign(LE).max(1),
                content: None,
                merged,
            });
        }
        self.name_units(&mut units, &unit_of)?;
        Ok(units)
    }

    /// Finds the symbol at the lowest offset of each unit, and counts functions.
    fn name_units(&self, units: &mut [Section], unit_of: &[usize]) -> Result<(), object::Error> {
        let mut lowest: Vec<Option<(u64, bool, &[u8])>> = vec![None; units.len()];
        let mut starts: Vec<Vec<u64>> = vec![Vec::new(); units.len()];
        for symbol in self.symbols.iter() {
            let shndx = symbol.st_shndx(LE);
            let Some(&unit) = shndx
                .index()
                .and_then(|index| unit_of.get(usize::from(index)))
            else {
                continue;
            };
            if unit == usize::MAX || matches!(symbol.st_type(), elf::STT_SECTION | elf::STT_FILE) {
                continue;
            }
            let name = self.symbols.symbol_name(LE, symbol)?;
            if symbol.st_type() == elf::STT_FUNC || symbol.st_type() == elf::STT_GNU_IFUNC {
                starts[unit].push(symbol.st_value(LE));
            }
            // Labels of assemblers (`.L…`, `$x`) name nothing.
            if name.is_empty() || name.starts_with(b".L") || name.starts_with(b"$") {
                continue;
            }
            let found = (symbol.st_value(LE), symbol.is_local(), name);
            if lowest[unit].is_none_or(|best| found < best) {
                lowest[unit] = Some(found);
            }
        }
        for ((unit, lowest), mut starts) in units.iter_mut().zip(lowest).zip(starts) {
            unit.symbol = lowest.map(|(_, _, name)| String::from_utf8_lossy(name).into_owned());
            starts.sort_unstable();
            starts.dedup();
            unit.functions = u32::try_from(starts.len()).unwrap_or(u32::MAX);
        }
        Ok(())
    }

    /// Which kind of sections with names of their own a section is of.
    fn own_section(
        &self,
        header: &elf::SectionHeader64<LE>,
    ) -> Result<Option<OwnSections>, object::Error> {
        let name = self.sections.section_name(LE, header)?;
        let (kind, flags) = (header.sh_type(LE), header.sh_flags(LE).0);
        Ok(OwnSections::of(name, kind, flags))
    }

    /// Kinds of its sections with names of their own, with the largest alignment of each in bytes.
    pub(crate) fn own_sections(&self) -> Result<BTreeMap<OwnSections, u64>, object::Error> {
        let mut found = BTreeMap::new();
        for header in self.sections.iter().filter(|one| one.sh_size(LE) > 0) {
            if let Some(kind) = self.own_section(header)? {
                let known = found.entry(kind).or_insert(1);
                *known = header.sh_addralign(LE).max(*known);
            }
        }
        Ok(found)
    }

    /// Each of them, with what it takes up.
    pub(crate) fn own_extents(&self) -> Result<Vec<OwnExtent>, object::Error> {
        let mut found = Vec::new();
        for (index, header) in self.sections.enumerate() {
            let kind = self.own_section(header)?;
            let Some(kind) = kind.filter(|_| header.sh_size(LE) > 0) else {
                continue;
            };
            let is_in = |symbol: &&elf::Sym64<LE>| {
                let section = symbol.st_shndx(LE).index();
                matches!(symbol.st_type(), elf::STT_FUNC | elf::STT_OBJECT)
                    && section.is_some_and(|section| usize::from(section) == index.0)
            };
            let name = self.sections.section_name(LE, header)?;
            found.push(OwnExtent {
                kind,
                name: String::from_utf8_lossy(name).into_owned(),
                size: header.sh_size(LE),
                symbols: self.symbols.iter().filter(is_in).count(),
            });
        }
        Ok(found)
    }

    /// Sections of code and data that layouts leave where they are: they have names of their own.
    /// `led` says whether those of a kind are moved together.
    pub(crate) fn fixed_sections(
        &self,
        led: impl Fn(OwnSections) -> bool,
    ) -> Result<Vec<String>, object::Error> {
        let mut found = Vec::new();
        for header in self.sections.iter() {
            let name = self.sections.section_name(LE, header)?;
            let (kind, flags) = (header.sh_type(LE), header.sh_flags(LE).0);
            let loaded = matches!(kind, elf::SHT_PROGBITS | elf::SHT_NOBITS)
                && flags & elf::SHF_ALLOC.0 != 0
                && flags & elf::SHF_LINK_ORDER.0 == 0
                && header.sh_size(LE) > 0;
            let is_unit =
                Block::of(name, kind, flags).is_some() || Block::is_merged(name, kind, flags);
            let is_led = self.own_section(header)?.is_some_and(&led);
            // Linkers know these, and what is in them is the program's.
            let is_of_linkers = is_of_linkers(name) && !name.starts_with(b".gnu.linkonce.");
            if loaded && !is_unit && !is_led && !is_of_linkers {
                found.push(String::from_utf8_lossy(name).into_owned());
            }
        }
        Ok(found)
    }

    /// The names of its groups of sections, of which a linker keeps one of each name.
    pub(crate) fn group_names(&self) -> Result<Vec<Vec<u8>>, object::Error> {
        let mut names = Vec::new();
        for header in self.sections.iter() {
            let Some((flags, _)) = header.group(LE, self.data)? else {
                continue;
            };
            if flags.0 & elf::GRP_COMDAT.0 != 0 {
                let symbol = self
                    .symbols
                    .symbol(SymbolIndex(header.sh_info(LE) as usize))?;
                names.push(self.symbols.symbol_name(LE, symbol)?.to_vec());
            }
        }
        Ok(names)
    }

    /// The sections of mergeable constants among read-only data; `across_alignments` says whether
    /// the linker makes one of equal constants of unlike alignments.
    pub(crate) fn mergeable(
        &self,
        across_alignments: bool,
    ) -> Result<Vec<Mergeable>, object::Error> {
        let mut found = Vec::new();
        for (index, header) in self.sections.enumerate() {
            let name = self.sections.section_name(LE, header)?;
            let flags = header.sh_flags(LE).0;
            if !Block::is_merged(name, header.sh_type(LE), flags) {
                continue;
            }
            let kind = if flags & elf::SHF_STRINGS.0 != 0 {
                "str"
            } else {
                "cst"
            };
            let size = header.sh_entsize(LE);
            let common_name = if across_alignments && kind == "cst" {
                format!(".pm{kind}{size}")
            } else {
                format!(".pm{kind}{size}.{}", header.sh_addralign(LE))
            };
            #[expect(
                clippy::cast_possible_truncation,
                reason = "an object with extended section numbers is not parsed"
            )]
            found.push(Mergeable {
                index: index.0 as u32,
                common_name,
            });
        }
        Ok(found)
    }

    /// Empty sections of the blocks: their alignment alone would move what follows.
    pub(crate) fn empty(&self) -> Result<Vec<u32>, object::Error> {
        let mut found = Vec::new();
        for (index, header) in self.sections.enumerate() {
            let name = self.sections.section_name(LE, header)?;
            if header.sh_size(LE) == 0
                && header.sh_addralign(LE) > 1
                && Block::of(name, header.sh_type(LE), header.sh_flags(LE).0).is_some()
            {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "an object with extended section numbers is not parsed"
                )]
                found.push(index.0 as u32);
            }
        }
        Ok(found)
    }
}

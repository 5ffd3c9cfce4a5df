//! A linked image read for what a layout promises: where the handles came to lie, and how functions
//! and data are spread.

use std::collections::HashMap;
use std::path::Path;

use object::elf;
use object::read::elf::{FileHeader, Rela as _, SectionHeader, SectionTable, Sym};
use object::{LittleEndian as LE, read};

use crate::LayoutError;

type Header = elf::FileHeader64<LE>;

/// What is read of an image.
#[derive(Clone)]
pub(crate) struct Linked {
    /// Address of each handle (`pm.` and a number) by its number.
    pub(crate) handles: HashMap<u32, u64>,
    /// Addresses of the pad object's own symbols (`pme_text`…).
    pub(crate) marks: HashMap<String, u64>,
    /// Functions and data by name. Names that occur more than once are left out.
    pub(crate) named: HashMap<Vec<u8>, Named>,
    /// Executable sections and their sizes in bytes.
    pub(crate) executable: Vec<(String, u64)>,
    /// Loaded sections with a place of their own, in the order of addresses.
    pub(crate) spans: Vec<Span>,
    /// Symbols without a type, or of data without a size, such as linkers, their scripts and
    /// assembly define: addresses by name.
    pub(crate) untyped: HashMap<Vec<u8>, u64>,
    /// The stub (PLT) through which each function of a library is called: its address, by the name
    /// of the function.
    pub(crate) stubs: HashMap<Vec<u8>, u64>,
}

/// A function or datum that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) address: u64,
    pub(crate) is_function: bool,
    /// Bytes.
    pub(crate) size: u64,
}

/// A loaded section of an image.
#[derive(Clone)]
pub(crate) struct Span {
    pub(crate) name: String,
    pub(crate) address: u64,
    pub(crate) size: u64,
    /// What its start is a multiple of, in bytes.
    pub(crate) alignment: u64,
}

impl Span {
    /// Whether an address is in it, or where it ends.
    pub(crate) fn reaches(&self, address: u64) -> bool {
        (self.address..=self.address + self.size).contains(&address)
    }
}

impl Linked {
    /// Reads an image; `names` asks for `named`, which a mere look at handles has no use for.
    pub(crate) fn read(path: &Path, names: bool) -> Result<Linked, LayoutError> {
        let data = std::fs::read(path).map_err(LayoutError::file("read", path))?;
        Linked::parse(&data, names).map_err(|error| LayoutError::Image {
            path: path.to_path_buf(),
            problem: error.to_string(),
        })
    }

    fn parse(data: &[u8], names: bool) -> read::Result<Linked> {
        let header = Header::parse(data)?;
        let sections = header.sections(LE, data)?;
        let symbols = sections.symbols(LE, data, elf::SHT_SYMTAB)?;
        let mut linked = Linked {
            handles: HashMap::new(),
            marks: HashMap::new(),
            named: HashMap::new(),
            executable: Vec::new(),
            spans: Vec::new(),
            untyped: HashMap::new(),
            stubs: HashMap::new(),
        };
        let mut twice = Vec::new();
        for symbol in symbols.iter().filter(|symbol| !symbol.is_undefined(LE)) {
            let name = symbols.symbol_name(LE, symbol)?;
            let address = symbol.st_value(LE);
            if let Some(number) = name
                .strip_prefix(b"pm.")
                .and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok())
            {
                linked.handles.insert(number, address);
            } else if name.starts_with(b"pmb_") || name.starts_with(b"pme_") {
                linked
                    .marks
                    .insert(String::from_utf8_lossy(name).into_owned(), address);
            } else if is_label(symbol) && !symbol.is_absolute(LE) {
                linked.untyped.insert(name.to_vec(), address);
            } else if names && matches!(symbol.st_type(), elf::STT_FUNC | elf::STT_OBJECT) {
                let found = Named {
                    address,
                    is_function: symbol.st_type() == elf::STT_FUNC,
                    size: symbol.st_size(LE),
                };
                if linked
                    .named
                    .insert(name.to_vec(), found)
                    .is_some_and(|before| before != found)
                {
                    twice.push(name.to_vec());
                }
            }
        }
        for name in twice {
            linked.named.remove(&name);
        }
        for section in sections
            .iter()
            .filter(|section| section.sh_flags(LE).0 & elf::SHF_EXECINSTR.0 != 0)
        {
            linked.executable.push((
                String::from_utf8_lossy(sections.section_name(LE, section)?).into_owned(),
                section.sh_size(LE),
            ));
        }
        linked.spans = spans(&sections)?;
        if names {
            linked.stubs = stubs(&sections, &linked.spans, data)?;
        }
        Ok(linked)
    }

    /// The loaded section at an address.
    pub(crate) fn section_at(&self, address: u64) -> Option<&Span> {
        let after = self.spans.partition_point(|span| span.address <= address);
        let span = self.spans.get(after.checked_sub(1)?)?;
        (address - span.address < span.size).then_some(span)
    }
}

/// A symbol that names a place, and not something of a size.
fn is_label(symbol: &elf::Sym64<LE>) -> bool {
    symbol.st_type() == elf::STT_NOTYPE
        || (symbol.st_type() == elf::STT_OBJECT && symbol.st_size(LE) == 0)
}

/// Where an image has functions of this symbol, each place once, in the order of its symbol table:
/// a linker writes there the symbols of one object after those of another, in the order in which it
/// was given them, wherever it put their code.
pub(crate) fn functions_named(path: &Path, symbol: &[u8]) -> Result<Vec<u64>, LayoutError> {
    let data = std::fs::read(path).map_err(LayoutError::file("read", path))?;
    let find = || -> read::Result<Vec<u64>> {
        let header = Header::parse(data.as_slice())?;
        let sections = header.sections(LE, data.as_slice())?;
        let symbols = sections.symbols(LE, data.as_slice(), elf::SHT_SYMTAB)?;
        let mut found = Vec::new();
        for one in symbols.iter().filter(|one| !one.is_undefined(LE)) {
            let function = matches!(one.st_type(), elf::STT_FUNC | elf::STT_GNU_IFUNC);
            if function && symbols.symbol_name(LE, one)? == symbol {
                let at = one.st_value(LE);
                if !found.contains(&at) {
                    found.push(at);
                }
            }
        }
        Ok(found)
    };
    find().map_err(|error| LayoutError::Image {
        path: path.to_path_buf(),
        problem: error.to_string(),
    })
}

/// The bytes that an image's file has for a range of addresses within one section.
pub(crate) fn bytes_at(path: &Path, address: u64, size: u64) -> Result<Vec<u8>, LayoutError> {
    let data = std::fs::read(path).map_err(LayoutError::file("read", path))?;
    let find = || -> read::Result<Option<Vec<u8>>> {
        let header = Header::parse(data.as_slice())?;
        for section in header.sections(LE, data.as_slice())?.iter() {
            let within = address.checked_sub(section.sh_addr(LE));
            let holds = section.sh_flags(LE).0 & elf::SHF_ALLOC.0 != 0;
            let end = within.map(|offset| (offset, offset.saturating_add(size)));
            let Some((from, to)) = end.filter(|(_, end)| holds && *end <= section.sh_size(LE))
            else {
                continue;
            };
            let content = section.data(LE, data.as_slice())?;
            let range = usize::try_from(from).ok().zip(usize::try_from(to).ok());
            if let Some(bytes) = range.and_then(|(from, to)| content.get(from..to)) {
                return Ok(Some(bytes.to_vec()));
            }
        }
        Ok(None)
    };
    let wrong = |problem: String| LayoutError::Image {
        path: path.to_path_buf(),
        problem,
    };
    find()
        .map_err(|error| wrong(error.to_string()))?
        .ok_or_else(|| wrong(format!("nothing is loaded at {address:#x}")))
}

/// The stubs of calls to libraries. Linkers write one for each relocation of `.rela.plt`, in that
/// order, to `.plt.sec`, or to `.plt` behind a stub that they all share (System V ABI, AMD64
/// supplement, 5.2).
fn stubs(
    sections: &SectionTable<'_, Header>,
    spans: &[Span],
    data: &[u8],
) -> read::Result<HashMap<Vec<u8>, u64>> {
    const SIZE: usize = 16;
    let mut found = HashMap::new();
    let start = |name: &str| spans.iter().find(|span| span.name == name);
    let after = |span: &Span| span.address + SIZE as u64;
    let first = start(".plt.sec").map(|span| span.address);
    let Some(first) = first.or_else(|| start(".plt").map(after)) else {
        return Ok(found);
    };
    let symbols = sections.symbols(LE, data, elf::SHT_DYNSYM)?;
    for section in sections.iter() {
        if sections.section_name(LE, section)? != b".rela.plt" {
            continue;
        }
        let Some((relocations, _)) = section.rela(LE, data)? else {
            continue;
        };
        let stubs = (first..).step_by(SIZE);
        for (relocation, stub) in relocations.iter().zip(stubs) {
            if let Some(index) = relocation.symbol(LE, false) {
                let name = symbols.symbol_name(LE, symbols.symbol(index)?)?;
                found.insert(name.to_vec(), stub);
            }
        }
    }
    Ok(found)
}

/// Loaded sections in the order of addresses; zeroed thread-local data has no address of its own.
fn spans(sections: &SectionTable<'_, Header>) -> read::Result<Vec<Span>> {
    let mut spans = Vec::new();
    for section in sections.iter() {
        let has = |flag: elf::SectionFlags| section.sh_flags(LE).0 & flag.0 != 0;
        let nowhere = has(elf::SHF_TLS) && section.sh_type(LE) == elf::SHT_NOBITS;
        if has(elf::SHF_ALLOC) && !nowhere && section.sh_size(LE) > 0 {
            spans.push(Span {
                name: String::from_utf8_lossy(sections.section_name(LE, section)?).into_owned(),
                address: section.sh_addr(LE),
                size: section.sh_size(LE),
                alignment: section.sh_addralign(LE),
            });
        }
    }
    spans.sort_by_key(|span| span.address);
    Ok(spans)
}

//! Changes a copy of a relocatable object: handles added, sections renamed and enlarged.
//!
//! Nothing that is there moves: what changes is appended and the section headers, appended too,
//! lead to it. Relocations, groups, unwind and debug information, which go by offsets, indices and
//! symbol numbers, stay true without being read; a relocation that is to lead elsewhere is changed
//! where it stands. Enlarging at the end changes no offset; new
//! symbols stand behind all others, where globals belong, so that none is renumbered.

use std::collections::{BTreeMap, HashMap};

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::SectionHeader;

use super::relocatable::Object;

/// Bytes behind a section of code for the gap that follows it: a line and the alignment that is
/// drawn within it. Longer gaps are pieces of the pad object.
pub(crate) const SLACK: u64 = 128;
/// What fills gaps in code: a breakpoint on x86-64, so that running into one is seen at once.
pub(crate) const FILL: u8 = 0xcc;

const EHDR_SHOFF: usize = 0x28;
const EHDR_SHENTSIZE: usize = 0x3a;
const EHDR_SHSTRNDX: usize = 0x3e;
const SHDR: usize = 64;
const SYM: usize = 24;
const RELA: usize = 24;

/// A symbol that leads to a section: weak, so that copies that lose do no harm, and hidden, so that
/// none is exported.
#[derive(Clone, Debug)]
pub(crate) struct Handle {
    pub(crate) section: u32,
    pub(crate) name: String,
    pub(crate) thread_local: bool,
}

/// A relocation that is to lead elsewhere: to a handle, which may be another object's.
#[derive(Clone, Debug)]
pub(crate) struct Redirect {
    /// File offset of the relocation.
    pub(crate) at: usize,
    /// Name of the handle.
    pub(crate) name: String,
    pub(crate) addend: i64,
}

/// What is to be changed in one object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits {
    pub(crate) handles: Vec<Handle>,
    /// New names of sections.
    pub(crate) names: Vec<(u32, String)>,
    /// New sizes and alignments of sections, in bytes; never smaller than what is there.
    pub(crate) sizes: Vec<(u32, u64, u64)>,
    /// Sections of code that get `SLACK` bytes behind them, which they can be enlarged by later.
    pub(crate) slack: Vec<u32>,
    /// Sections of constants that are no longer merged with others.
    pub(crate) unmerged: Vec<u32>,
    /// Relocations that lead elsewhere.
    pub(crate) redirects: Vec<Redirect>,
    /// New alignments of sections, in bytes.
    pub(crate) alignments: Vec<(u32, u64)>,
    /// What it defines is taken, whatever other objects define: its groups of sections stay
    /// (`GRP_COMDAT` is taken off), and its weak symbols are weak no longer.
    pub(crate) prevails: bool,
}

/// A changed copy.
pub(crate) struct Patched {
    pub(crate) bytes: Vec<u8>,
    /// File offset of each new section name, in the order of `Edits::names`.
    pub(crate) names_at: Vec<usize>,
    headers_at: usize,
}

impl Patched {
    /// File offset of the eight bytes that hold a section's size.
    pub(crate) fn size_field(&self, section: u32) -> usize {
        self.headers_at + section as usize * SHDR + 0x20
    }
}

/// The object with the edits carried out, or what is wrong with it.
pub(crate) fn patch(object: &Object<'_>, edits: &Edits) -> Result<Patched, String> {
    let mut out = Writer::open(object)?;
    let symbols_section = object.symbols.section().0;
    let strings_section = object.symbols.string_section().0;
    let names_section = usize::from(u16::from_le_bytes([
        object.data[EHDR_SHSTRNDX],
        object.data[EHDR_SHSTRNDX + 1],
    ]));
    // Both kinds of names may share one table (clang): it is extended once, by both.
    let mut tables: Tables =
        BTreeMap::from([(names_section, out.content(names_section)?.to_vec())]);
    if object.has_symbols() {
        tables.insert(strings_section, out.content(strings_section)?.to_vec());
        let mut symbols = out.content(symbols_section)?.to_vec();
        if edits.prevails {
            strengthen(&mut symbols);
        }
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        for handle in &edits.handles {
            let name = append_string(&mut tables, strings_section, &handle.name)?.0;
            numbers.insert(&handle.name, symbols.len() / SYM);
            symbols.extend_from_slice(&symbol(name, handle));
        }
        for redirect in &edits.redirects {
            let number = if let Some(number) = numbers.get(redirect.name.as_str()) {
                *number
            } else {
                let name = append_string(&mut tables, strings_section, &redirect.name)?.0;
                let number = symbols.len() / SYM;
                numbers.insert(&redirect.name, number);
                symbols.extend_from_slice(&elsewhere(name));
                number
            };
            out.redirect(redirect, number)?;
        }
        out.replace(symbols_section, &symbols)?;
    }
    let mut name_offsets = Vec::with_capacity(edits.names.len());
    for (section, name) in &edits.names {
        let (value, at) = append_string(&mut tables, names_section, name)?;
        out.header(*section)?[0..4].copy_from_slice(&value.to_le_bytes());
        name_offsets.push(at);
    }
    let mut names_base = 0;
    for (section, content) in tables {
        let at = out.replace(section, &content)?;
        if section == names_section {
            names_base = at;
        }
    }
    for (section, size, alignment) in &edits.sizes {
        out.enlarge(*section, *size, *alignment)?;
    }
    for section in &edits.slack {
        out.slacken(*section)?;
    }
    for (section, alignment) in &edits.alignments {
        out.set(*section, 0x30, *alignment)?;
    }
    for section in &edits.unmerged {
        out.part(*section)?;
    }
    if edits.prevails {
        out.free_groups()?;
    }
    let (bytes, headers_at) = out.close();
    Ok(Patched {
        bytes,
        names_at: name_offsets.into_iter().map(|at| names_base + at).collect(),
        headers_at,
    })
}

/// Makes the weak symbols that are defined here global ones.
fn strengthen(symbols: &mut [u8]) {
    let (symbols, _) = symbols.as_chunks_mut::<SYM>();
    for symbol in symbols {
        let (binding, kind) = (symbol[4] >> 4, symbol[4] & 0xf);
        if binding == elf::STB_WEAK.0 && symbol[6..8] != [0, 0] {
            symbol[4] = (elf::STB_GLOBAL.0 << 4) | kind;
        }
    }
}

/// Content of string tables by their section.
type Tables = BTreeMap<usize, Vec<u8>>;

fn append_string(tables: &mut Tables, section: usize, text: &str) -> Result<(u32, usize), String> {
    let table = tables
        .get_mut(&section)
        .ok_or("a string table is missing")?;
    let at = table.len();
    table.extend_from_slice(text.as_bytes());
    table.push(0);
    Ok((
        u32::try_from(at).map_err(|_| "a string table of more than 4 GiB")?,
        at,
    ))
}

fn symbol(name: u32, handle: &Handle) -> [u8; SYM] {
    let kind = if handle.thread_local {
        elf::STT_TLS
    } else {
        elf::STT_NOTYPE
    };
    let mut bytes = [0; SYM];
    bytes[0..4].copy_from_slice(&name.to_le_bytes());
    bytes[4] = (elf::STB_WEAK.0 << 4) | kind.0;
    bytes[5] = elf::STV_HIDDEN.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "an object with extended section numbers is not parsed"
    )]
    bytes[6..8].copy_from_slice(&(handle.section as u16).to_le_bytes());
    bytes
}

/// A symbol of another object. It is weak: a linker would take a member of an archive for another
/// one, before its turn.
fn elsewhere(name: u32) -> [u8; SYM] {
    let mut bytes = [0; SYM];
    bytes[0..4].copy_from_slice(&name.to_le_bytes());
    bytes[4] = (elf::STB_WEAK.0 << 4) | elf::STT_NOTYPE.0;
    bytes[5] = elf::STV_HIDDEN.0;
    bytes
}

struct Writer<'d> {
    object: &'d Object<'d>,
    bytes: Vec<u8>,
    headers: Vec<[u8; SHDR]>,
}

impl<'d> Writer<'d> {
    fn open(object: &'d Object<'d>) -> Result<Writer<'d>, String> {
        let entry =
            u16::from_le_bytes([object.data[EHDR_SHENTSIZE], object.data[EHDR_SHENTSIZE + 1]]);
        if usize::from(entry) != SHDR {
            return Err(format!("section headers of {entry} bytes; 64 are expected"));
        }
        let headers = object.sections.iter().map(|header| {
            let mut bytes = [0; SHDR];
            bytes.copy_from_slice(object::pod::bytes_of(header));
            bytes
        });
        Ok(Writer {
            object,
            bytes: object.data.to_vec(),
            headers: headers.collect(),
        })
    }

    fn content(&self, section: usize) -> Result<&'d [u8], String> {
        let header = self
            .object
            .sections
            .section(object::SectionIndex(section))
            .map_err(|error| error.to_string())?;
        header
            .data(LE, self.object.data)
            .map_err(|error| error.to_string())
    }

    fn header(&mut self, section: u32) -> Result<&mut [u8; SHDR], String> {
        self.headers
            .get_mut(section as usize)
            .ok_or_else(|| format!("section {section} does not exist"))
    }

    fn set(&mut self, section: u32, at: usize, value: u64) -> Result<(), String> {
        self.header(section)?[at..at + 8].copy_from_slice(&value.to_le_bytes());
        Ok(())
    }

    fn align(&mut self, alignment: u64) {
        let aligned = self
            .bytes
            .len()
            .next_multiple_of(usize::try_from(alignment.clamp(1, 4096)).unwrap_or(1));
        self.bytes.resize(aligned, 0);
    }

    /// Gives a section other content, at the end of the file; says where.
    fn replace(&mut self, section: usize, content: &[u8]) -> Result<usize, String> {
        self.align(8);
        let at = self.bytes.len();
        self.bytes.extend_from_slice(content);
        let section = u32::try_from(section).map_err(|_| "too many sections")?;
        self.set(section, 0x18, at as u64)?;
        self.set(section, 0x20, content.len() as u64)?;
        Ok(at)
    }

    fn enlarge(&mut self, section: u32, size: u64, alignment: u64) -> Result<(), String> {
        let index = object::SectionIndex(section as usize);
        let header = self
            .object
            .sections
            .section(index)
            .map_err(|error| error.to_string())?;
        let (old, kind) = (header.sh_size(LE), header.sh_type(LE));
        self.set(section, 0x30, alignment.max(header.sh_addralign(LE)))?;
        if size <= old {
            return Ok(());
        }
        if kind == elf::SHT_NOBITS {
            return self.set(section, 0x20, size);
        }
        let content = self.content(section as usize)?;
        self.align(alignment);
        let at = self.bytes.len();
        self.bytes.extend_from_slice(content);
        let grown =
            usize::try_from(size - old).map_err(|_| "a section too large for this machine")?;
        self.bytes.resize(self.bytes.len() + grown, 0);
        self.set(section, 0x18, at as u64)?;
        self.set(section, 0x20, size)
    }

    /// Moves a section of code to the end of the file, with room behind it. Its size stays.
    fn slacken(&mut self, section: u32) -> Result<(), String> {
        let content = self.content(section as usize)?;
        self.align(16);
        let at = self.bytes.len();
        self.bytes.extend_from_slice(content);
        let room = usize::try_from(SLACK).unwrap_or(0);
        self.bytes.resize(self.bytes.len() + room, FILL);
        self.set(section, 0x18, at as u64)
    }

    /// Has a relocation lead to another symbol.
    fn redirect(&mut self, redirect: &Redirect, symbol: usize) -> Result<(), String> {
        let symbol = u32::try_from(symbol).map_err(|_| "too many symbols")?;
        let relocation = self.bytes.get_mut(redirect.at..redirect.at + RELA);
        let relocation = relocation.ok_or("a damaged relocation")?;
        relocation[12..16].copy_from_slice(&symbol.to_le_bytes());
        relocation[16..24].copy_from_slice(&redirect.addend.to_le_bytes());
        Ok(())
    }

    /// Takes the mark off a section that makes a linker merge its constants with others.
    fn part(&mut self, section: u32) -> Result<(), String> {
        let header = self.header(section)?;
        let flags = header[0x08..].first_chunk_mut();
        let flags: &mut [u8; 8] = flags.ok_or("a damaged header")?;
        let merged = elf::SHF_MERGE.0 | elf::SHF_STRINGS.0;
        *flags = (u64::from_le_bytes(*flags) & !merged).to_le_bytes();
        // Bytes of one constant.
        self.set(section, 0x38, 0)
    }

    /// Takes the mark off groups that makes a linker keep one of several of a name.
    fn free_groups(&mut self) -> Result<(), String> {
        for header in self.object.sections.iter() {
            if header.sh_type(LE) != elf::SHT_GROUP {
                continue;
            }
            let at = usize::try_from(header.sh_offset(LE)).map_err(|_| "a damaged group")?;
            let flags = self.bytes.get_mut(at..at + 4).ok_or("a damaged group")?;
            flags.fill(0);
        }
        Ok(())
    }

    /// The file, and where its section headers are.
    fn close(mut self) -> (Vec<u8>, usize) {
        self.align(8);
        let at = self.bytes.len();
        for header in &self.headers {
            self.bytes.extend_from_slice(header);
        }
        self.bytes[EHDR_SHOFF..EHDR_SHOFF + 8].copy_from_slice(&(at as u64).to_le_bytes());
        (self.bytes, at)
    }
}

//! The pad object: fillers between functions, and ballast at the start of each part of the image
//! that is kept in step.

use std::collections::HashMap;

use object::elf;

use super::Machine;
use super::block::Block;
use super::patch::FILL;

const EHDR: usize = 64;
const SHDR: usize = 64;

/// One section of the pad object.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// Its name; `.text`, `.data`…
    pub(crate) section: String,
    /// What kind of section it is.
    pub(crate) block: Block,
    /// Flags of the section, beyond those of its block.
    pub(crate) flags: u64,
    /// Bytes.
    pub(crate) size: u64,
    /// Bytes, a power of two.
    pub(crate) alignment: u64,
    /// Symbols in it and their offsets.
    pub(crate) symbols: Vec<(String, u64)>,
}

/// What a link does with the sections that it is given.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Manner {
    /// It throws away what nothing refers to (`--gc-sections`).
    pub(crate) collects: bool,
    /// It keeps one of several sections of equal content (`--icf`).
    pub(crate) folds: bool,
}

/// Most pieces of one object: section numbers end at 65,279, a piece may take two, and names and
/// tables need a few.
pub(crate) const MOST_PIECES: usize = 30_000;

/// Writes one pad object of at most `MOST_PIECES` pieces. Where the link collects, the first piece
/// refers to all others without asking anything of the linker, so that whoever keeps it keeps them.
/// Where it folds, each piece of code has a reference of its own that fills nothing in: no two
/// pieces are equal.
pub(crate) fn write(machine: Machine, pieces: &[Piece], manner: Manner) -> Vec<u8> {
    let mut object = Object::new();
    let mut kept = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let symbols = object.piece(piece, index + 1);
        if manner.collects && index > 0 {
            kept.extend(symbols);
        }
    }
    object.notes(machine);
    // The first piece has references already.
    let code =
        |(index, piece): &(usize, &Piece)| manner.folds && *index > 0 && piece.block == Block::Text;
    let told_apart: Vec<usize> = pieces
        .iter()
        .enumerate()
        .filter(code)
        .map(|(index, _)| index)
        .collect();
    let symtab = number(object.headers.len() + told_apart.len()) + 1;
    for index in told_apart {
        let own = nothing(0, index as u64 + 1);
        object.relocations(".rela.text", symtab, index + 1, &own);
    }
    object.relocations(".rela.pm", symtab, 1, &references(&kept));
    object.finish(machine, 2)
}

/// Writes an object that holds nothing but groups of these names: standing in front, it makes a
/// linker drop every other group of them.
pub(crate) fn claims(machine: Machine, names: &[Vec<u8>]) -> Vec<u8> {
    let mut object = Object::new();
    let symtab = number(3 + 2 * names.len());
    for name in names {
        object.claim(name, symtab);
    }
    object.notes(machine);
    let locals = number(object.tables.symbols.len() / 24);
    object.finish(machine, locals)
}

/// A note with the property `GNU_PROPERTY_X86_FEATURE_1_AND` (bits for IBT and SHSTK) or
/// `GNU_PROPERTY_AARCH64_FEATURE_1_AND` (BTI, PAC and GCS), as the ABIs' supplements define them. An
/// image has what all of its objects have.
fn promises(machine: Machine) -> Vec<u8> {
    let (property, bits): (u32, u32) = match machine {
        Machine::X86_64 => (0xc000_0002, 0b11),
        Machine::Aarch64 => (0xc000_0000, 0b111),
    };
    let name = u32::from_le_bytes(*b"GNU\0");
    let words = [
        4,
        16,
        elf::NT_GNU_PROPERTY_TYPE_0.0,
        name,
        property,
        4,
        bits,
        0,
    ];
    words
        .iter()
        .flat_map(|word: &u32| word.to_le_bytes())
        .collect()
}

/// Data that an object defines.
pub(crate) struct Defined<'n> {
    pub(crate) name: &'n str,
    /// Bytes from the start of its section.
    pub(crate) offset: u64,
    /// Bytes.
    pub(crate) size: u64,
}

/// Writes an object of pieces in which these data are.
pub(crate) fn defining(machine: Machine, pieces: &[(Piece, Vec<Defined<'_>>)]) -> Vec<u8> {
    let mut object = Object::new();
    for (number, (piece, data)) in (1..).zip(pieces) {
        object.piece(piece, number);
        for datum in data {
            object.tables.datum(datum, number);
        }
    }
    object.notes(machine);
    object.finish(machine, 2)
}

/// An object that is being written.
struct Object {
    out: Vec<u8>,
    headers: Vec<[u8; SHDR]>,
    tables: Tables,
}

impl Object {
    fn new() -> Object {
        Object {
            out: vec![0; EHDR],
            headers: vec![[0_u8; SHDR]],
            tables: Tables::default(),
        }
    }

    /// Adds a piece, which becomes the section of this number. Returns its symbols.
    fn piece(&mut self, piece: &Piece, section: usize) -> Vec<u32> {
        let offset = self.out.len() as u64;
        if !piece.block.is_zeroed() {
            // Every piece has bytes of its own, in the order of the pieces: gold reads sections in
            // one sweep and stumbles over shared ones.
            let fill = if piece.block == Block::Text { FILL } else { 0 };
            let size = usize::try_from(piece.size).unwrap_or(0);
            self.out.resize(self.out.len() + size, fill);
        }
        let (kind, flags) = nature(piece.block);
        let header = Shdr {
            name: self.tables.section(&piece.section),
            kind,
            flags: flags | piece.flags,
            offset,
            size: piece.size,
            alignment: piece.alignment,
            ..Shdr::default()
        };
        self.headers.push(header.bytes());
        let symbols = piece.symbols.iter();
        symbols
            .map(|(name, offset)| self.tables.symbol(name, piece.block, section, *offset))
            .collect()
    }

    /// An object without the first of these notes asks GNU ld for a stack that can be executed. One
    /// without the second takes from an image what all other objects promise: that it may run with
    /// indirect branches checked, or with a second stack of return addresses. So it promises that
    /// itself, which adds nothing to what they do.
    fn notes(&mut self, machine: Machine) {
        let note = Shdr {
            name: self.tables.section(".note.GNU-stack"),
            kind: elf::SHT_PROGBITS,
            alignment: 1,
            ..Shdr::default()
        };
        self.headers.push(note.at(self.out.len() as u64, 0));
        let promises = promises(machine);
        let note = Shdr {
            name: self.tables.section(".note.gnu.property"),
            kind: elf::SHT_NOTE,
            flags: elf::SHF_ALLOC.0,
            alignment: 8,
            ..Shdr::default()
        };
        let at = append(&mut self.out, &promises);
        self.headers.push(note.at(at, promises.len()));
    }

    /// Adds relocations of the section of this number.
    fn relocations(&mut self, name: &str, symtab: u32, section: usize, relocations: &[u8]) {
        let header = Shdr {
            name: self.tables.section(name),
            kind: elf::SHT_RELA,
            flags: elf::SHF_INFO_LINK.0,
            link: symtab,
            info: number(section),
            alignment: 8,
            entry: 24,
            ..Shdr::default()
        };
        let at = append(&mut self.out, relocations);
        self.headers.push(header.at(at, relocations.len()));
    }

    /// Adds a group of this name. Its member is empty and not loaded.
    fn claim(&mut self, name: &[u8], symtab: u32) {
        let member = number(self.headers.len() + 1);
        let start = self.tables.string_of(name);
        let symbol = self.tables.raw_symbol(
            start,
            (elf::STB_LOCAL.0 << 4) | elf::STT_NOTYPE.0,
            0,
            short(self.headers.len() + 1),
            0,
        );
        let words = [elf::GRP_COMDAT.0.to_le_bytes(), member.to_le_bytes()];
        let group = Shdr {
            name: self.tables.section(".group"),
            kind: elf::SHT_GROUP,
            link: symtab,
            info: symbol,
            alignment: 4,
            entry: 4,
            ..Shdr::default()
        };
        let at = append(&mut self.out, words.as_flattened());
        self.headers.push(group.at(at, 8));
        let empty = Shdr {
            name: self.tables.section(".pm.claim"),
            kind: elf::SHT_PROGBITS,
            flags: elf::SHF_GROUP.0,
            alignment: 1,
            ..Shdr::default()
        };
        self.headers.push(empty.at(self.out.len() as u64, 0));
    }

    /// The whole object. Of its symbols so many are local.
    fn finish(mut self, machine: Machine, locals: u32) -> Vec<u8> {
        self.tables.close(&mut self.out, &mut self.headers, locals);
        finish(self.out, machine, &self.headers)
    }
}

/// Type and flags of a block's sections.
fn nature(block: Block) -> (elf::SectionType, u64) {
    let kind = if block.is_zeroed() {
        elf::SHT_NOBITS
    } else {
        elf::SHT_PROGBITS
    };
    let more = match block {
        Block::Text => elf::SHF_EXECINSTR.0,
        Block::Rodata => 0,
        Block::Tdata | Block::Tbss => elf::SHF_WRITE.0 | elf::SHF_TLS.0,
        Block::RelRo | Block::Data | Block::Bss => elf::SHF_WRITE.0,
    };
    (kind, elf::SHF_ALLOC.0 | more)
}

/// Relocations of the kind that changes nothing, number 0 on every machine, against these symbols.
fn references(symbols: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(symbols.len() * 24);
    for symbol in symbols {
        bytes.extend_from_slice(&nothing(*symbol, 0));
    }
    bytes
}

/// A relocation that changes nothing.
fn nothing(symbol: u32, addend: u64) -> [u8; 24] {
    let mut bytes = [0; 24];
    bytes[8..16].copy_from_slice(&(u64::from(symbol) << 32).to_le_bytes());
    bytes[16..24].copy_from_slice(&addend.to_le_bytes());
    bytes
}

fn append(out: &mut Vec<u8>, content: &[u8]) -> u64 {
    out.resize(out.len().next_multiple_of(8), 0);
    let at = out.len() as u64;
    out.extend_from_slice(content);
    at
}

/// The header in front and the section headers behind.
fn finish(mut out: Vec<u8>, machine: Machine, headers: &[[u8; SHDR]]) -> Vec<u8> {
    let at = append(&mut out, headers.as_flattened());
    out[0..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    let mut put = |at: usize, value: u16| out[at..at + 2].copy_from_slice(&value.to_le_bytes());
    put(0x10, elf::ET_REL.0);
    put(0x12, machine.code());
    put(0x14, 1);
    put(0x34, short(EHDR));
    put(0x3a, short(SHDR));
    put(0x3c, short(headers.len()));
    put(0x3e, short(headers.len() - 1));
    out[0x28..0x30].copy_from_slice(&at.to_le_bytes());
    out
}

/// A number within the bounds that `MOST_PIECES` keeps.
fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn short(value: usize) -> u16 {
    u16::try_from(value).unwrap_or(u16::MAX)
}

#[derive(Default)]
struct Shdr {
    name: u32,
    kind: elf::SectionType,
    flags: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    alignment: u64,
    entry: u64,
}

impl Shdr {
    fn at(self, offset: u64, size: usize) -> [u8; SHDR] {
        Shdr {
            offset,
            size: size as u64,
            ..self
        }
        .bytes()
    }

    fn bytes(&self) -> [u8; SHDR] {
        let mut bytes = Vec::with_capacity(SHDR);
        bytes.extend_from_slice(&self.name.to_le_bytes());
        bytes.extend_from_slice(&self.kind.0.to_le_bytes());
        for long in [self.flags, 0, self.offset, self.size] {
            bytes.extend_from_slice(&long.to_le_bytes());
        }
        bytes.extend_from_slice(&self.link.to_le_bytes());
        bytes.extend_from_slice(&self.info.to_le_bytes());
        bytes.extend_from_slice(&self.alignment.to_le_bytes());
        bytes.extend_from_slice(&self.entry.to_le_bytes());
        let mut header = [0; SHDR];
        header.copy_from_slice(&bytes);
        header
    }
}

/// Strings and symbols as they grow.
struct Tables {
    strings: Vec<u8>,
    symbols: Vec<u8>,
    section_names: HashMap<String, u32>,
}

impl Default for Tables {
    fn default() -> Tables {
        let mut tables = Tables {
            strings: vec![0],
            symbols: vec![0; 24],
            section_names: HashMap::new(),
        };
        // GNU ld writes the name of an input file into the image where the input names none itself.
        let name = tables.string("pm");
        tables.raw_symbol(
            name,
            (elf::STB_LOCAL.0 << 4) | elf::STT_FILE.0,
            0,
            elf::SHN_ABS.0,
            0,
        );
        tables
    }
}

impl Tables {
    /// Writes the symbols, of which so many are local, and the strings.
    fn close(&mut self, out: &mut Vec<u8>, headers: &mut Vec<[u8; SHDR]>, locals: u32) {
        let symbols = Shdr {
            name: self.section(".symtab"),
            kind: elf::SHT_SYMTAB,
            link: number(headers.len()) + 1,
            info: locals,
            alignment: 8,
            entry: 24,
            ..Shdr::default()
        };
        headers.push(symbols.at(append(out, &self.symbols), self.symbols.len()));
        let strings = Shdr {
            name: self.section(".strtab"),
            kind: elf::SHT_STRTAB,
            alignment: 1,
            ..Shdr::default()
        };
        headers.push(strings.at(append(out, &self.strings), self.strings.len()));
    }

    fn string(&mut self, text: &str) -> u32 {
        self.string_of(text.as_bytes())
    }

    fn string_of(&mut self, text: &[u8]) -> u32 {
        let at = number(self.strings.len());
        self.strings.extend_from_slice(text);
        self.strings.push(0);
        at
    }

    /// Fillers may share a name: it is written once.
    fn section(&mut self, name: &str) -> u32 {
        if let Some(known) = self.section_names.get(name) {
            return *known;
        }
        let at = self.string(name);
        self.section_names.insert(name.to_string(), at);
        at
    }

    fn symbol(&mut self, name: &str, block: Block, section: usize, offset: u64) -> u32 {
        let kind = if block.is_thread_local() {
            elf::STT_TLS
        } else {
            elf::STT_NOTYPE
        };
        let name = self.string(name);
        self.raw_symbol(
            name,
            (elf::STB_GLOBAL.0 << 4) | kind.0,
            elf::STV_HIDDEN.0,
            short(section),
            offset,
        )
    }

    /// A datum that other objects may refer to.
    fn datum(&mut self, datum: &Defined<'_>, section: usize) {
        let name = self.string(datum.name);
        let info = (elf::STB_GLOBAL.0 << 4) | elf::STT_OBJECT.0;
        self.raw_symbol(name, info, elf::STV_DEFAULT.0, short(section), datum.offset);
        let size_at = self.symbols.len() - 8;
        self.symbols[size_at..].copy_from_slice(&datum.size.to_le_bytes());
    }

    fn raw_symbol(&mut self, name: u32, info: u8, other: u8, section: u16, value: u64) -> u32 {
        let index = number(self.symbols.len() / 24);
        self.symbols.extend_from_slice(&name.to_le_bytes());
        self.symbols.extend_from_slice(&[info, other]);
        self.symbols.extend_from_slice(&section.to_le_bytes());
        self.symbols.extend_from_slice(&value.to_le_bytes());
        self.symbols.extend_from_slice(&0_u64.to_le_bytes());
        index
    }
}

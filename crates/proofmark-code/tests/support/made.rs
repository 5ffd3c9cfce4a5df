//! ELF files made field by field: what no compiler and no linker writes.

/// Types of sections.
pub(crate) const PROGBITS: u32 = 1;
pub(crate) const SYMTAB: u32 = 2;
pub(crate) const STRTAB: u32 = 3;
pub(crate) const RELA: u32 = 4;
pub(crate) const DYNSYM: u32 = 11;
pub(crate) const RELR: u32 = 19;
/// Flags of sections.
pub(crate) const ALLOC: u64 = 2;
pub(crate) const CODE: u64 = 6;

/// A section, as its header describes it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Header {
    pub(crate) name: &'static str,
    pub(crate) kind: u32,
    pub(crate) flags: u64,
    pub(crate) address: u64,
    /// Offset and size in the file.
    pub(crate) place: (u64, u64),
    pub(crate) link: u32,
    pub(crate) entry: u64,
}

/// A file in the making.
pub(crate) struct Made {
    bytes: Vec<u8>,
    headers: Vec<Header>,
}

impl Made {
    /// A position-independent file for AArch64 or x86-64.
    pub(crate) fn new(arm: bool) -> Made {
        let mut bytes = vec![0; 64];
        bytes[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        bytes[16] = 3;
        bytes[18] = if arm { 183 } else { 62 };
        bytes[20] = 1;
        Made {
            bytes,
            headers: vec![Header::default()],
        }
    }

    /// One that runs where it was linked.
    pub(crate) fn fixed() -> Made {
        let mut made = Made::new(false);
        made.bytes[16] = 2;
        made
    }

    /// Puts bytes into the file, and says where.
    pub(crate) fn put(&mut self, bytes: &[u8]) -> (u64, u64) {
        self.bytes.resize(self.bytes.len().next_multiple_of(64), 0);
        let place = (self.bytes.len() as u64, bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
        place
    }

    /// Adds a section, and gives its number.
    pub(crate) fn section(&mut self, header: Header) -> u32 {
        self.headers.push(header);
        u32::try_from(self.headers.len() - 1).unwrap()
    }

    /// The dynamic symbol table of these functions of other files, and its number.
    pub(crate) fn dynamic_symbols(&mut self, names: &[&str]) -> u32 {
        let functions = names.iter().map(|name| (*name, 0, 0, 0));
        self.symbols(DYNSYM, functions)
    }

    /// A table of function symbols, each with its address, size and section; gives its number.
    pub(crate) fn symbols<'a>(
        &mut self,
        kind: u32,
        functions: impl Iterator<Item = (&'a str, u64, u64, u16)>,
    ) -> u32 {
        let mut text = vec![0];
        let mut symbols = vec![0; 24];
        for (name, address, size, section) in functions {
            symbols.extend_from_slice(&u32::try_from(text.len()).unwrap().to_le_bytes());
            symbols.extend_from_slice(&[0x12, 0]);
            symbols.extend_from_slice(&section.to_le_bytes());
            symbols.extend_from_slice(&address.to_le_bytes());
            symbols.extend_from_slice(&size.to_le_bytes());
            text.extend_from_slice(name.as_bytes());
            text.push(0);
        }
        let place = self.put(&text);
        let link = self.section(Header {
            kind: STRTAB,
            place,
            ..Header::default()
        });
        let place = self.put(&symbols);
        self.section(Header {
            kind,
            place,
            link,
            entry: 24,
            ..Header::default()
        })
    }

    /// The whole file.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let mut names = vec![0];
        let mut starts = Vec::new();
        for header in &self.headers {
            starts.push(u32::try_from(names.len()).unwrap());
            if !header.name.is_empty() {
                names.extend_from_slice(header.name.as_bytes());
                names.push(0);
            }
        }
        starts.push(u32::try_from(names.len()).unwrap());
        names.extend_from_slice(b".shstrtab\0");
        let place = self.put(&names);
        let last = self.section(Header {
            kind: STRTAB,
            place,
            ..Header::default()
        });
        let (table, _) = self.put(&[]);
        for (header, name) in self.headers.iter().zip(starts) {
            self.bytes.extend_from_slice(&name.to_le_bytes());
            self.bytes.extend_from_slice(&header.kind.to_le_bytes());
            let (offset, size) = header.place;
            for field in [header.flags, header.address, offset, size] {
                self.bytes.extend_from_slice(&field.to_le_bytes());
            }
            self.bytes.extend_from_slice(&header.link.to_le_bytes());
            self.bytes.extend_from_slice(&[0; 4]);
            for field in [8, header.entry] {
                self.bytes.extend_from_slice(&field.to_le_bytes());
            }
        }
        let mut put = |at: usize, value: u16| {
            self.bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
        };
        put(52, 64);
        put(58, 64);
        put(60, u16::try_from(last + 1).unwrap());
        put(62, u16::try_from(last).unwrap());
        self.bytes[40..48].copy_from_slice(&table.to_le_bytes());
        self.bytes
    }
}

/// The smallest executable that has this code: a header and one segment.
pub(crate) fn minimal(code: &[u8], arm: bool) -> Vec<u8> {
    let mut bytes = vec![0u8; 120];
    bytes[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
    put(16, &2u16.to_le_bytes());
    put(18, &(if arm { 183u16 } else { 62 }).to_le_bytes());
    put(20, &1u32.to_le_bytes());
    put(32, &64u64.to_le_bytes());
    put(52, &64u16.to_le_bytes());
    put(54, &56u16.to_le_bytes());
    put(56, &1u16.to_le_bytes());
    put(64, &1u32.to_le_bytes());
    put(68, &5u32.to_le_bytes());
    put(72, &120u64.to_le_bytes());
    put(80, &0x40_0078u64.to_le_bytes());
    put(96, &(code.len() as u64).to_le_bytes());
    put(104, &(code.len() as u64).to_le_bytes());
    bytes.extend_from_slice(code);
    bytes
}

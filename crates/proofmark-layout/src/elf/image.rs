//! A linked image read for what a layout promises: where the handles came to lie, and how functions and data are spread.

use std::collections::HashMap;
use std::path::Path;

use object::elf;
use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{LittleEndian as LE, read};

use crate::LayoutError;

type Header = elf::FileHeader64<LE>;

/// What is read of an image.
pub(crate) struct Linked {
    /// Address of each handle (`pm.` and a number) by its number.
    pub(crate) handles: HashMap<u32, u64>,
    /// Addresses of the pad object's own symbols (`pme_text`…).
    pub(crate) marks: HashMap<String, u64>,
    /// Functions and data by name: address and whether it is a function. Names that occur more than once are left out.
    pub(crate) named: HashMap<Vec<u8>, (u64, bool)>,
    /// Executable sections and their sizes in bytes.
    pub(crate) executable: Vec<(String, u64)>,
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
            } else if names && matches!(symbol.st_type(), elf::STT_FUNC | elf::STT_OBJECT) {
                let found = (address, symbol.st_type() == elf::STT_FUNC);
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
        Ok(linked)
    }
}
